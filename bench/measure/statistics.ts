/** What many figures say together. */

export function sorted(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other)
}

/** The value at a share of all: 0.5 is the median. Undefined where there is none. */
export function quantile(values: readonly number[], share: number): number | undefined {
  return sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))]
}

export function median(values: readonly number[]): number | undefined {
  return quantile(values, 0.5)
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** The slope of the line nearest to all points. Undefined where they have no two places to lie at. */
export function slopeOf(points: readonly Point[]): number | undefined {
  const mean = (of: (point: Point) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  const across = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0)
  if (!(across > 0)) return undefined
  return points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / across
}
