import { shareRunning } from '@latchkey/protocol'
import {
  AggregatorRegistry,
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type HistogramConfiguration,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'

export type MetricsKit = ReturnType<typeof metricsKit>

/** The part of its metrics that a service shows. */
export type MetricsPage = Pick<MetricsKit, 'text' | 'contentType'>

/** All metrics share one registry: a new one, or that of another service in the same process. */
export function metricsKit(registry: Registry = withProcessMetrics()) {
  const registers = [registry]
  return {
    registry,
    counter: <Label extends string>(counter: CounterConfiguration<Label>) =>
      new Counter({ ...counter, registers }),
    histogram: <Label extends string>(histogram: HistogramConfiguration<Label>) =>
      new Histogram({ ...histogram, registers }),
    /** The same for measurements that every request waits for. */
    quickHistogram(options: HistogramOptions): Pick<LabelledHistogram, 'of'> {
      const histogram = labelledHistogram(options)
      registry.registerMetric(histogram.metric as unknown as Histogram)
      return histogram
    },
    /** A number that is looked up whenever the metrics are read. */
    gauge(name: string, help: string, read: () => number | Promise<number>): void {
      new Gauge({
        ...{ name, help, registers },
        async collect() {
          this.set(await read())
        },
      })
    },
    /** Numbers that stay, told apart by one label. */
    gauges(
      name: string,
      help: string,
      by: Readonly<Record<string, Readonly<Record<string, number>>>>,
    ): void {
      const gauge = new Gauge({ name, help, labelNames: Object.keys(by), registers })
      for (const [label, values] of Object.entries(by)) {
        for (const [value, number] of Object.entries(values)) gauge.set({ [label]: value }, number)
      }
    },
    // Rendering takes milliseconds; all requests that come meanwhile get the same text.
    text: shareRunning(() => registry.metrics()),
    contentType: registry.contentType,
  }
}

let processRegistry: Registry | undefined

/**
 * Makes the process metrics of prom-client once: their timer and observer would outlive a service.
 */
function withProcessMetrics(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  return Registry.merge([processRegistry])
}

/** The measurements of a process, in the form that another process receives. */
export type Measurements = readonly MetricObjectWithValues<MetricValue<string>>[]

/** Counters and histograms are summed; every gauge as it was registered: by default summed, too. */
export function summedText(parts: readonly Measurements[]): Promise<string> {
  return AggregatorRegistry.aggregate([...parts]).metrics()
}

/** The counters of processes that have ended: a counter must never go back. */
export async function summedCounters(parts: readonly Measurements[]): Promise<Measurements> {
  const all = await AggregatorRegistry.aggregate([...parts]).getMetricsAsJSON()
  return all.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
}

interface HistogramOptions {
  readonly name: string
  readonly help: string
  /** Without one there is one series, which is there from the start. */
  readonly label?: string
  /** Upper bounds, the lowest first. */
  readonly buckets: readonly number[]
}

interface LabelledHistogram {
  /** Takes the measurements under one value of the label. */
  of(value?: string): (measured: number) => void
  /** In the form in which a registry of prom-client asks every metric. */
  readonly metric: {
    readonly name: string
    get(): Promise<HistogramValues>
  }
}

interface HistogramValues {
  readonly name: string
  readonly help: string
  readonly type: 'histogram'
  readonly aggregator: 'sum'
  readonly values: readonly HistogramValue[]
}

interface HistogramValue {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

interface Series {
  readonly label: Readonly<Record<string, string>>
  /** How many measurements each bucket has that the ones before it have not; the last is for all beyond them. */
  readonly counts: number[]
  sum: number
}

function labelledHistogram(options: HistogramOptions): LabelledHistogram {
  const { name, help, label, buckets } = options
  const all: Series[] = []
  return {
    of(value = '') {
      const series: Series = {
        label: label === undefined ? {} : { [label]: value },
        counts: Array(buckets.length + 1).fill(0),
        sum: 0,
      }
      all.push(series)
      return (measured) => {
        const found = buckets.findIndex((bound) => measured <= bound)
        const at = found === -1 ? buckets.length : found
        series.counts[at] = (series.counts[at] ?? 0) + 1
        series.sum += measured
      }
    },
    metric: {
      name,
      async get() {
        const values = all.flatMap((series) => valuesOf(series, options))
        return { name, help, type: 'histogram', aggregator: 'sum', values }
      },
    },
  }
}

/** The values of a labelled series; empty before the first measurement. */
function valuesOf(
  { label, counts, sum }: Series,
  { name, buckets, label: labelName }: HistogramOptions,
): readonly HistogramValue[] {
  let count = 0
  const below = [...buckets, '+Inf'].map((le, at) => {
    count += counts[at] ?? 0
    return { metricName: `${name}_bucket`, labels: { le, ...label }, value: count }
  })
  if (count === 0 && labelName !== undefined) return []
  return [
    ...below,
    { metricName: `${name}_sum`, labels: label, value: sum },
    { metricName: `${name}_count`, labels: label, value: count },
  ]
}
