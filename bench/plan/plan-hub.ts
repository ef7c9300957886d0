/** What a large hub on PostgreSQL needs, computed from the costs of single requests. */

import type { Costs, IssueCosts } from './costs.ts'

/** What no benchmark measures. */
export interface Assumptions {
  readonly repositories: number
  readonly tokenRequestsPerSecond: number
  /** Of the directory: each makes hubs forget what they remember. */
  readonly changesPerSecond: number
  /** So many repositories are asked for at a time. */
  readonly hotRepositories: number
  /** The share of a core that is used: the rest is for what comes unevenly. */
  readonly busy: number
  readonly storageRequestsPerToken: number
  /** Of a process of a hub: docs/operating.md#connections-and-poolers. */
  readonly connectionsOfHub: number
  /** Of the one PostgreSQL server. */
  readonly postgresCores: number
  readonly postgresConnections: number
}

export interface HubPlan {
  /** The share of requests that hubs remember. */
  readonly known: number
  readonly hubCores: number
  readonly hubGigabytes: number
  readonly connections: number
  readonly postgresCores: number
  readonly directoryGigabytes: number
  /** Token requests a second at which a limit of the PostgreSQL server is reached. */
  readonly reached: Readonly<Record<'connections' | 'cores', number>>
}

export function planHub(costs: IssueCosts, assumed: Assumptions): HubPlan {
  const { busy, tokenRequestsPerSecond: perSecond, connectionsOfHub } = assumed
  const known = knownShare(costs, assumed)
  const mixed = (of: 'hub' | 'database') => known * costs.known[of] + (1 - known) * costs.first[of]
  // A hub's process uses one core.
  const hubCores = coresFor(perSecond, mixed('hub'), busy)
  const processesPossible = Math.floor(assumed.postgresConnections / connectionsOfHub)
  const perCore = (micros: number) => (busy * 1e6) / micros
  return {
    known,
    hubCores,
    hubGigabytes: (hubCores * Math.max(costs.known.megabytes, costs.first.megabytes)) / 1024,
    connections: hubCores * connectionsOfHub,
    postgresCores: coresFor(perSecond, mixed('database'), busy),
    directoryGigabytes:
      (costs.directoryMegabytes * assumed.repositories) / costs.repositories / 1024,
    reached: {
      connections: processesPossible * perCore(mixed('hub')),
      cores: assumed.postgresCores * perCore(mixed('database')),
    },
  }
}

/** Of gateways, for the storage requests of all tokens; undefined where their cost is not known. */
export function gateCores(
  { gate }: Costs,
  kind: 'gateway' | 'asking',
  assumed: Assumptions,
): number | undefined {
  const { [kind]: micros, seen, unseen } = gate
  if (micros === undefined || seen === undefined || unseen === undefined) return undefined
  const { tokenRequestsPerSecond: perSecond, storageRequestsPerToken: uses, busy } = assumed
  // A token is new to the gate once.
  return coresFor(perSecond, micros * uses + (unseen - seen), busy)
}

export function coresFor(perSecond: number, micros: number, busy: number): number {
  return Math.ceil((perSecond * micros) / 1e6 / busy)
}

/**
 * Between two changes a process answers so many requests. Each is known but the first for its repository, if all hot ones are
 * asked for alike. How many it answers depends on how many are known, so the share is found in steps.
 */
export function knownShare(
  { known, first }: Pick<IssueCosts, 'known' | 'first'>,
  { changesPerSecond, hotRepositories: hot, busy }: Assumptions,
): number {
  if (changesPerSecond === 0) return 1
  let share = 0
  for (let step = 0; step < 100; step += 1) {
    const micros = share * known.hub + (1 - share) * first.hub
    const between = (busy * 1e6) / micros / changesPerSecond
    const firsts = hot * (1 - (1 - 1 / hot) ** between)
    share = Math.max(0, 1 - firsts / between)
  }
  return share
}
