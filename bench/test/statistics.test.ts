import { describe, expect, it } from 'vitest'
import { median, quantile, slopeOf } from '../measure/statistics.ts'

describe('many figures together', () => {
  it('have no median where there is none of them', () => {
    expect(median([])).toBeUndefined()
    expect(quantile([], 0.9)).toBeUndefined()
  })

  it('have the median of their order, not of their sequence', () => {
    expect(median([9, 1, 5])).toBe(5)
  })

  it('have their least and their greatest at the ends', () => {
    expect(quantile([3, 1, 2], 0)).toBe(1)
    expect(quantile([3, 1, 2], 1)).toBe(3)
  })
})

describe('the slope of points', () => {
  it('is unknown where they lie above one place', () => {
    expect(slopeOf([])).toBeUndefined()
    expect(slopeOf([{ x: 1, y: 1 }])).toBeUndefined()
    expect(
      slopeOf([
        { x: 2, y: 1 },
        { x: 2, y: 9 },
      ]),
    ).toBeUndefined()
  })

  it('is that of the line they lie on', () => {
    const points = [0, 1, 2, 5].map((x) => ({ x, y: 100 - 3 * x }))
    expect(slopeOf(points)).toBeCloseTo(-3)
  })

  it('is that of the nearest line where they lie around one', () => {
    const points = [
      { x: 0, y: 1 },
      { x: 1, y: 0 },
      { x: 2, y: 5 },
    ]
    expect(slopeOf(points)).toBeCloseTo(2)
  })
})
