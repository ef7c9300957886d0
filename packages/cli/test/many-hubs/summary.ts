/** What happened at noon, as a table for people. */

import type { Downtime } from './disturb.ts'
import type { Counted } from './judge.ts'
import type { Load } from './load.ts'

interface Noon {
  readonly load: Load
  readonly downtimes: readonly Downtime[]
  readonly counted: Counted
}

export function summaryOf({ load, downtimes, counted }: Noon): string {
  const { asked, used, changed, uploaded } = load
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const slowest = (all: readonly { sentAt: number; answeredAt: number }[]) =>
    seconds(all.reduce((most, one) => Math.max(most, one.answeredAt - one.sentAt), 0))
  const of = <One>(all: readonly One[], isOne: (one: One) => boolean) =>
    `${all.filter(isOne).length} of ${all.length}`
  const rows: readonly (readonly [what: string, value: string | number])[] = [
    ...downtimes.map(({ what, from, to }) => [what, seconds(to - from)] as const),
    ['tokens issued', of(asked, ({ status }) => status === 200)],
    ['tokens refused', of(asked, ({ status }) => status === 401 || status === 403)],
    ['slowest token request', slowest(asked)],
    ['uses admitted', of(used, ({ status, door }) => status === door.admits)],
    ['slowest use', slowest(used)],
    ['changes acknowledged', of(changed, ({ status }) => status === 200 || status === 201)],
    ['slowest change', slowest(changed)],
    ['uploads acknowledged', of(uploaded, ({ failure }) => failure === undefined)],
    ['slowest upload', slowest(uploaded)],
    ...Object.entries(counted).map(([what, list]) => [what, list.length] as const),
  ]
  const width = Math.max(...rows.map(([what]) => what.length))
  return rows.map(([what, value]) => `${what.padEnd(width)}  ${value}\n`).join('')
}
