/** What a service counts and measures, in the format that Prometheus reads. */

import { shared } from '@latchkey/protocol'
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
import { type HistogramOptions, type LabelledHistogram, labelledHistogram } from './histogram.ts'

export type MetricsKit = ReturnType<typeof metricsKit>

/** What a service shows of its metrics. */
export type MetricsPage = Pick<MetricsKit, 'text' | 'contentType'>

/** Everything is registered in one registry: a new one, or that of another service in the same process. */
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
    text: shared(() => registry.metrics()),
    contentType: registry.contentType,
  }
}

let processRegistry: Registry | undefined

/** What prom-client measures of the process is made once: its timer and its observer would outlive a service. */
function withProcessMetrics(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  return Registry.merge([processRegistry])
}

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
