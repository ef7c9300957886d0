import { describe, expect, it } from 'vitest'
import { isMeasured } from '../measure/figure.ts'
import { detailsOf, inRounds, type Round, ratioOf } from '../measure/rounds.ts'

const round = (perSecond: number, busy: number, cpuMicros = 100): Round => ({
  ...{ requests: perSecond, perSecond, busy, cpuMicros },
})

describe('the ratio of two servers', () => {
  it('rejects a round in which either of them did not use its core', () => {
    const own = [round(50, 1), round(1, 0.5), round(50, 1), round(1, 1), round(50, 0.95)]
    const anchors = [round(100, 1), round(100, 1), round(100, 1), round(1000, 0.89), round(100, 1)]
    expect(ratioOf(own, anchors)).toMatchObject({
      value: 0.5,
      low: 0.5,
      high: 0.5,
      rounds: 3,
      of: 5,
    })
  })

  it('is of CPU time and says why, where too few rounds are left', () => {
    const own = [1, 2, 3].map(() => round(10, 0.4, 200))
    const anchors = [1, 2, 3].map(() => round(10, 0.8, 100))
    const result = ratioOf(own, anchors)
    expect(result).toMatchObject({ value: 0.5, rounds: 3, of: 3 })
    expect(isMeasured(result) && result.note).toBe(
      'of CPU time: 3 of 3 rounds rejected, the server used 0.40 and its anchor 0.80 of a core',
    )
  })

  it('is not measured and says why, where CPU time is not known either', () => {
    const idle = [1, 2, 3].map(() => round(0, 0, 0))
    expect(ratioOf(idle, idle)).toEqual({
      notMeasured: '3 of 3 rounds rejected, the server used 0.00 and its anchor 0.00 of a core',
    })
    expect(ratioOf([], [])).toHaveProperty('notMeasured')
  })

  it('is the median of the ratios of each round, not the ratio of medians', () => {
    const own = [round(10, 1), round(200, 1), round(90, 1)]
    const anchors = [round(100, 1), round(100, 1), round(10, 1)]
    expect(ratioOf(own, anchors)).toMatchObject({ value: 2 })
  })
})

describe('rounds', () => {
  it('visit every server before any of them again', async () => {
    const visited: string[] = []
    const visit = async (side: string) => {
      visited.push(side)
      return round(1, 1)
    }
    const measured = await inRounds(['one', 'two'], visit, 2)
    expect(visited).toEqual(['one', 'two', 'one', 'two'])
    expect(measured.get('one')).toHaveLength(2)
  })

  it('have no cost of nothing, where the system counted no CPU time', () => {
    const own = [round(1, 1, 0), round(1, 1, 70), round(1, 1, 80)]
    expect(detailsOf(own, own)['CPU µs']).toBe(70)
  })

  it('leave out of their details what was not measured', () => {
    expect(detailsOf([round(1, 1)], [round(1, 1)])['database µs']).toBeUndefined()
  })
})
