/** The metrics of several processes as one page. */

import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'

/** What a process has measured, as it is sent to another. */
export type Measured = readonly MetricObjectWithValues<MetricValue<string>>[]

/** Counters and histograms are summed; every gauge as it was registered: by default summed, too. */
export function summedText(parts: readonly Measured[]): Promise<string> {
  return AggregatorRegistry.aggregate([...parts]).metrics()
}

/** What stays of processes that have ended: a counter must never go back. */
export async function summedCounters(parts: readonly Measured[]): Promise<Measured> {
  const all = await AggregatorRegistry.aggregate([...parts]).getMetricsAsJSON()
  return all.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
}

export const metricsContentType: string = Registry.PROMETHEUS_CONTENT_TYPE
