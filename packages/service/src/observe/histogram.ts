/** A histogram for what every request waits for: prom-client's own makes and looks up texts for each measurement. */

export interface HistogramOptions {
  readonly name: string
  readonly help: string
  /** Without one there is one series, which is there from the start. */
  readonly label?: string
  /** Upper bounds, the lowest first. */
  readonly buckets: readonly number[]
}

export interface LabelledHistogram {
  /** Takes the measurements under one value of the label. */
  of(value?: string): (measured: number) => void
  /** In the form in which a registry of prom-client asks every metric. */
  readonly metric: {
    readonly name: string
    get(): Promise<HistogramValues>
  }
}

export interface HistogramValues {
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

export function labelledHistogram(options: HistogramOptions): LabelledHistogram {
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

/** Of a labelled series, none before the first measurement. */
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
