/** A directory with many repositories, which hubs of a benchmark read. */

export interface BenchDirectory {
  readonly database: 'SQLite' | 'PostgreSQL'
  readonly repositories: number
  readonly roles: Roles
  readonly authorization: string
  /** Of the file, or of all that the database server keeps for it. */
  readonly megabytes: number
  /** What one more hub on it is told. */
  order(): HubOrder
  /** Of the database's processes so far, where it has any. */
  readonly databaseMicros?: () => number
  close(): Promise<void>
}

/** How the account gets its role in the namespace. */
export type Roles = 'direct' | 'teams'

const teams = 20

/** In SQL of both databases. The account is in several teams, of which the last one counts. */
export function rolesIn(roles: Roles, now: number): string {
  if (roles === 'direct') {
    return `INSERT INTO members (namespace_id, account_id, role) VALUES ('namespace', 'account', 'write');`
  }
  return Array.from({ length: teams }, (_, nth) => {
    const role = nth === teams - 1 ? 'write' : 'read'
    return `INSERT INTO teams (id, namespace_id, name, role, created_at)
        VALUES ('team-${nth}', 'namespace', 'team-${nth}', '${role}', ${now});
      INSERT INTO team_members (team_id, account_id, until) VALUES ('team-${nth}', 'account', NULL);`
  }).join('\n')
}

export interface HubOrder {
  readonly data: string
  /** Of a directory in PostgreSQL. */
  readonly url?: string
  /** The load names the addresses that it stands for. */
  readonly trustsLoopback?: boolean
}

export const hotKeys = 20_000

/** The repositories that are asked for, in no order that a database could profit from: each once, and then again. */
export function pathsOf(repositories: number, asked: number): () => string {
  const spacing = Math.floor(repositories / asked)
  const step = coprimeStep(asked)
  let index = 0
  return () => {
    index = (index + step) % asked
    return `/api/models/acme/model-${index * spacing}/storage-read-token/main`
  }
}

/** Near the golden section of all, so that steps spread evenly; with no factor in common, so that none is left out. */
export function coprimeStep(count: number): number {
  let step = Math.max(1, Math.round(count * 0.618))
  while (greatestDivisor(step, count) > 1) step += 1
  return step
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other)
}
