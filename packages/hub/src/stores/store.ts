import type { SharedCounts } from '@latchkey/service/limits/rate-limiter'
import type { AccessStore } from '../access/access-store.ts'
import type { Staleness } from '../access/moment.ts'
import type { Directory, Tables } from '../tables/directory.ts'

/** Log events that a store reports without a request. */
export type StoreTell = (
  event:
    | 'database_unavailable'
    | 'database_recovered'
    | 'database_replaced'
    | 'notifications_lost'
    | 'notifications_recovered',
  fields: { readonly reason?: string },
) => void

export interface Store {
  readonly directory: Directory
  /** Reads what is committed, on another connection than changes. */
  readonly readBeside: <Result>(work: (tables: Tables) => Promise<Result>) => Promise<Result>
  /** Also answered on another connection than changes, so no token request waits for one. */
  readonly access: AccessStore
  /** How this hub and others on the same database count together; undefined where there is one hub alone. */
  readonly counts: SharedCounts | undefined
  /** Whether the database answers; does not wait for changes either. */
  isReady(): Promise<boolean>
  /** Writes a consistent copy of everything while others read and write. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}

export const defaultStaleness: Staleness = {
  now: () => ({ steadyMs: performance.now(), wallMs: Date.now() }),
  maxMs: 5000,
}
