/** What the parts of the benchmark have measured, as costs that a plan is computed from. */

import type { PartFigure } from '../measure/table.ts'

/** Of one token request, in µs of CPU time. */
export interface IssueCost {
  readonly hub: number
  /** Of PostgreSQL's own processes. */
  readonly database: number
  /** Of one process of a hub. */
  readonly megabytes: number
}

export interface IssueCosts {
  /** In the largest directory that was measured. */
  readonly repositories: number
  readonly directoryMegabytes: number
  /** Of a request that the hub remembers, and of one that it does not. */
  readonly known: IssueCost
  readonly first: IssueCost
}

export interface Costs {
  readonly SQLite: IssueCosts | undefined
  readonly PostgreSQL: IssueCosts | undefined
  /** Of one request to the gate, in µs. */
  readonly gate: Readonly<Record<'seen' | 'unseen' | 'gateway' | 'asking', number | undefined>>
}

/** The size of bodies by which a storage request is counted. */
export const bodies = '64 KiB'

export function costsFrom(figures: readonly PartFigure[]): Costs {
  const of = (part: string, name: string) =>
    figures.find(({ part: own, figure }) => own === part && figure === name)
  const micros = (part: string, name: string) => of(part, name)?.details?.['CPU µs']
  const seen = of('check', 'token seen before')?.result
  return {
    SQLite: issueCosts(figures, 'SQLite'),
    PostgreSQL: issueCosts(figures, 'PostgreSQL'),
    gate: {
      seen: seen !== undefined && 'value' in seen ? seen.value : undefined,
      unseen: of('check', 'token not seen before')?.details?.['µs'],
      gateway: micros('proxies', `gateway, ${bodies}`),
      asking: micros('proxies', `nginx asking the gate, ${bodies}`),
    },
  }
}

function issueCosts(figures: readonly PartFigure[], database: string): IssueCosts | undefined {
  const rows = figures.flatMap(({ figure, details }) => {
    const [, name, keys, size] = /^(\w+), (?:\d+ )?(hot of|uniform over) (\d+)$/.exec(figure) ?? []
    return name === database ? [{ keys, size: Number(size), details }] : []
  })
  const repositories = Math.max(...rows.map(({ size }) => size))
  const cost = (keys: string): IssueCost | undefined => {
    const details = rows.find((row) => row.size === repositories && row.keys === keys)?.details
    const { 'CPU µs': hub, 'database µs': database = 0, MB: megabytes } = details ?? {}
    return hub === undefined || megabytes === undefined ? undefined : { hub, database, megabytes }
  }
  const [known, first] = [cost('hot of'), cost('uniform over')]
  const directoryMegabytes = rows.find(({ size }) => size === repositories)?.details?.[
    'directory MB'
  ]
  if (known === undefined || first === undefined || directoryMegabytes === undefined)
    return undefined
  return { repositories, directoryMegabytes, known, first }
}
