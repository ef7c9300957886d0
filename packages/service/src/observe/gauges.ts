/** The gauges that a library shows in the metrics of the service that it is part of. */
export interface Gauges {
  /** A number that is looked up whenever the metrics are read. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** Numbers that stay, told apart by one label. */
  gauges(
    name: string,
    help: string,
    by: Readonly<Record<string, Readonly<Record<string, number>>>>,
  ): void
}
