/** Many short rounds, each of which visits every server: noise falls on all of them alike. */

import { type Measured, measuredOf, type NotMeasured } from './figure.ts'
import { median, quantile } from './statistics.ts'

export interface Round {
  readonly requests: number
  readonly perSecond: number
  /** Of the server, for each request. */
  readonly cpuMicros: number
  /** The share of its core that the server used. */
  readonly busy: number
  /** Of its database, for each request. */
  readonly databaseMicros?: number
}

/** Below it, the load generator was the limit and not the server. */
const minBusy = 0.9
/** Fewer have no median. */
const minRounds = 3

/** The caller has warmed the servers up. */
export async function inRounds<Side, Visit extends Round>(
  sides: readonly Side[],
  visit: (side: Side) => Promise<Visit>,
  rounds: number,
): Promise<ReadonlyMap<Side, readonly Visit[]>> {
  const measured = new Map<Side, Visit[]>(sides.map((side) => [side, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const side of sides) measured.get(side)?.push(await visit(side))
  }
  return measured
}

/** The median ratio of speeds; of CPU time, where too few rounds are left in which both servers were busy. */
export function ratioOf(own: readonly Round[], anchors: readonly Round[]): Measured | NotMeasured {
  const pairs = own.flatMap((round, index) => {
    const anchor = anchors[index]
    return anchor === undefined ? [] : [{ round, anchor }]
  })
  const kept = pairs.filter(({ round, anchor }) => isBusy(round) && isBusy(anchor))
  const of = pairs.length
  if (kept.length >= minRounds) {
    const speeds = kept.map(({ round, anchor }) => round.perSecond / anchor.perSecond)
    return measuredOf(speeds, { of })
  }
  const why = rejection(pairs.length - kept.length, own, anchors)
  const byCpu = measuredOf(cpuRatios(own, anchors), { of, note: `of CPU time: ${why}` })
  return 'notMeasured' in byCpu ? { notMeasured: why } : byCpu
}

/** What the processor time of a server would allow, also in rounds in which it waited. */
export function cpuRatios(own: readonly Round[], anchors: readonly Round[]): number[] {
  return own
    .map(({ cpuMicros }, index) => (anchors[index]?.cpuMicros ?? 0) / cpuMicros)
    .filter((ratio) => Number.isFinite(ratio) && ratio > 0)
}

/** What is printed beside a ratio. */
export function detailsOf(own: readonly Round[], anchors: readonly Round[]) {
  // The system counts in hundredths of a second: a round in which a server got less shows none.
  const costs = own.map(({ cpuMicros }) => cpuMicros).filter((micros) => micros > 0)
  const databases = own.flatMap(({ databaseMicros }) => databaseMicros ?? [])
  return {
    'ratio of CPU': median(cpuRatios(own, anchors)),
    'CPU µs': quantile(costs, 0),
    'median CPU µs': median(costs),
    'database µs': median(databases),
    'a second': median(own.map(({ perSecond }) => perSecond)),
  }
}

function isBusy({ busy }: Round): boolean {
  return busy >= minBusy
}

function rejection(count: number, own: readonly Round[], anchors: readonly Round[]): string {
  const share = (rounds: readonly Round[]) =>
    (median(rounds.map(({ busy }) => busy)) ?? 0).toFixed(2)
  return `${count} of ${own.length} rounds rejected, the server used ${share(own)} and its anchor ${share(anchors)} of a core`
}
