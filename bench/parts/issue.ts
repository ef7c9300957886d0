/** How fast is issuing beside bare signing: hot keys and all, few repositories and many, on both databases? */

import { findPostgres } from '@latchkey/testing/tools/postgres-programs'
import type { BenchDirectory } from '../issue/directory.ts'
import { postgresDirectories } from '../issue/postgres-directory.ts'
import {
  type HubSide,
  type Keys,
  startBareSide,
  startHubSide,
  visitSide,
  warmUpAll,
} from '../issue/sides.ts'
import { sqliteDirectory } from '../issue/sqlite-directory.ts'
import { memoryOf } from '../machine.ts'
import { type Figure, type Goal, measuredOf, type PlotPoint } from '../measure/figure.ts'
import type { Options } from '../measure/options.ts'
import { detailsOf, inRounds, type Round, ratioOf } from '../measure/rounds.ts'
import { missing, type Part } from '../part.ts'

const goals: Readonly<Record<BenchDirectory['database'], Readonly<Record<Keys, Goal>>>> = {
  SQLite: { hot: { atLeast: 0.9 }, uniform: { atLeast: 0.65 } },
  PostgreSQL: { hot: { atLeast: 0.85 }, uniform: { atLeast: 0.55 } },
}
const teamGoals: Readonly<Record<Keys, Goal>> = {
  hot: { atLeast: 0.95 },
  uniform: { atLeast: 0.9 },
}
/** It is for ten million repositories: fewer can neither reach nor miss it. */
const growthGoal: Goal = { atMost: 1.3 }
const repositoriesOfGrowthGoal = 1e7
const few = 1000

export const issue: Part = {
  name: 'issue',
  figures: (options) => issueFigures(sizesUpTo(options.repositories ?? 1e6), options),
}

/** Growth begins in few repositories; where no directory has more, there is none to see. */
function sizesUpTo(most: number): readonly number[] {
  return most > few ? [few, most] : [most]
}

/** Goals are for the largest directory. */
export async function issueFigures(
  sizes: readonly number[],
  { database, rounds = 11, roundMs, teams }: Options,
): Promise<readonly Figure[]> {
  const hasPostgres = database === 'postgres' && findPostgres() !== undefined
  const postgres = hasPostgres ? await postgresDirectories() : undefined
  const directories: BenchDirectory[] = []
  try {
    for (const size of sizes) directories.push(await sqliteDirectory(size))
    if (postgres) for (const size of sizes) directories.push(await postgres.add(size))
    const [largest] = sizes.toSorted((one, other) => other - one)
    if (teams && largest !== undefined) {
      directories.push(await sqliteDirectory(largest, 'teams'))
      if (postgres) directories.push(await postgres.add(largest, 'teams'))
    }
    const hubs = await startHubs(directories)
    const bare = await startBareSide(directories[0] ?? (await sqliteDirectory(few)))
    postgres?.pin()
    await warmUpAll([bare, ...hubs], roundMs)
    const all = [bare, ...hubs]
    const measured = await inRounds(all, (side) => visitSide(side, roundMs), rounds)
    const anchors = measured.get(bare) ?? []
    const direct = hubs.filter(({ directory }) => directory.roles === 'direct')
    const figures = direct.map((hub) => {
      const own = measured.get(hub) ?? []
      return {
        figure: hub.name,
        anchor: bare.name,
        result: ratioOf(own, anchors),
        ...(hub.directory.repositories === Math.max(...sizes) && {
          goal: goals[hub.directory.database][hub.keys],
        }),
        details: {
          ...detailsOf(own, anchors),
          MB: memoryOf(hub.pids[0] ?? 0),
          'directory MB': hub.directory.megabytes,
        },
        points: pointsOf(hub, own, anchors),
      }
    })
    return [
      ...figures,
      ...teamsBeside(hubs, measured),
      ...growthOf(direct, measured),
      ...withoutPostgres(database, hasPostgres),
    ]
  } finally {
    for (const directory of directories) await directory.close()
    await postgres?.close()
  }
}

/** In few repositories all keys are hot. */
async function startHubs(directories: readonly BenchDirectory[]): Promise<readonly HubSide[]> {
  const hubs: HubSide[] = []
  for (const directory of directories) {
    if (directory.repositories > few) hubs.push(await startHubSide(directory, 'hot'))
    hubs.push(await startHubSide(directory, 'uniform'))
  }
  return hubs
}

/** CPU time over the size of the directory. In the smallest all keys are hot, so that both lines begin there. */
function pointsOf(
  { directory: { database, repositories: x }, keys }: HubSide,
  own: readonly Round[],
  anchors: readonly Round[],
): readonly PlotPoint[] {
  const { 'CPU µs': micros, 'database µs': ofDatabase = 0 } = detailsOf(own, anchors)
  const { 'CPU µs': bare } = detailsOf(anchors, own)
  if (micros === undefined || bare === undefined) return []
  const isUniform = keys === 'uniform'
  return [
    ...(isUniform && x > few ? [] : [{ line: `${database}, hot keys`, x, y: micros }]),
    ...(isUniform ? [{ line: `${database}, uniform`, x, y: micros }] : []),
    ...(isUniform && database === 'PostgreSQL'
      ? [{ line: 'PostgreSQL, uniform, with its own', x, y: micros + ofDatabase }]
      : []),
    ...(isUniform && database === 'SQLite' ? [{ line: 'bare signing', x, y: bare }] : []),
  ]
}

/** Beside the hub whose account has the same role without a team. */
function teamsBeside(
  hubs: readonly HubSide[],
  measured: ReadonlyMap<unknown, readonly Round[]>,
): readonly Figure[] {
  return hubs.flatMap((hub) => {
    const { database, repositories, roles } = hub.directory
    const direct = hubs.find(
      ({ directory, keys }) =>
        directory.roles === 'direct' &&
        directory.database === database &&
        directory.repositories === repositories &&
        keys === hub.keys,
    )
    if (roles === 'direct' || direct === undefined) return []
    const [own, anchors] = [measured.get(hub) ?? [], measured.get(direct) ?? []]
    return [
      {
        ...{ figure: hub.name, anchor: 'the same without teams', result: ratioOf(own, anchors) },
        ...{ goal: teamGoals[hub.keys], details: detailsOf(own, anchors) },
      },
    ]
  })
}

/** How much more CPU time an issue costs in a larger directory than in the smallest. */
function growthOf(
  hubs: readonly HubSide[],
  measured: ReadonlyMap<unknown, readonly Round[]>,
): readonly Figure[] {
  return hubs.flatMap((hub) => {
    const { database, repositories } = hub.directory
    const smallest = hubs.find(
      ({ directory }) => directory.database === database && directory.repositories === few,
    )
    if (smallest === undefined || smallest === hub) return []
    const before = measured.get(smallest) ?? []
    const own = measured.get(hub) ?? []
    const growth = own.map(({ cpuMicros }, at) => cpuMicros / (before[at]?.cpuMicros ?? 0))
    const figure = `${database}, CPU per issue, ${hub.keys}, ${repositories}`
    const grown = { figure, anchor: `itself, ${few}`, result: measuredOf(growth) }
    return [repositories >= repositoriesOfGrowthGoal ? { ...grown, goal: growthGoal } : grown]
  })
}

function withoutPostgres(database: Options['database'], hasPostgres: boolean): readonly Figure[] {
  if (database === 'sqlite' || hasPostgres) return []
  return [missing('PostgreSQL', 'bare-es', 'PostgreSQL', 'install Debian’s postgresql')]
}
