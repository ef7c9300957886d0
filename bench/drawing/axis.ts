/** An axis of a plot: where a value lies, and which values are written beside it. */

export type Scale = 'linear' | 'log'

export interface Axis {
  place(value: number): number
  readonly ticks: readonly { readonly at: number; readonly label: string }[]
}

/** As pixels: from where to where. */
type Span = readonly [from: number, to: number]

export function axisOf(scale: Scale, values: readonly number[], span: Span): Axis {
  const flaw = values.find((value) => !Number.isFinite(value) || value < 0)
  if (flaw !== undefined) throw new Error(`${flaw} has no place on an axis`)
  return scale === 'linear' ? linear(values, span) : logarithmic(values, span)
}

/** From 0, so that a line twice as high is twice as much. */
function linear(values: readonly number[], [from, to]: Span): Axis {
  const most = Math.max(...values) || 1
  const step = stepFor(most / 6)
  const end = Math.ceil(most / step) * step
  const place = (value: number) => from + ((to - from) * value) / end
  const marks = Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step)
  return { place, ticks: marks.map((value) => ({ at: place(value), label: labelOf(value) })) }
}

/** With a mark at each power of ten, and at 2 and 5 of them where these are few. */
function logarithmic(values: readonly number[], [from, to]: Span): Axis {
  if (values.includes(0)) throw new Error('0 has no place on an axis of powers')
  const lowest = Math.floor(Math.log10(Math.min(...values)))
  const highest = Math.max(Math.ceil(Math.log10(Math.max(...values))), lowest + 1)
  const place = (value: number) =>
    from + ((to - from) * (Math.log10(value) - lowest)) / (highest - lowest)
  const powers = Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index))
  const marks =
    powers.length > 4
      ? powers
      : powers
          .flatMap((power) => [power, 2 * power, 5 * power])
          .filter((mark) => mark <= 10 ** highest)
  return { place, ticks: marks.map((value) => ({ at: place(value), label: labelOf(value) })) }
}

/** 1, 2 or 5 times a power of ten. */
function stepFor(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return [1, 2, 5].map((each) => each * power).find((step) => step >= least) ?? 10 * power
}

function labelOf(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))} k`
  return String(Number(value.toPrecision(3)))
}
