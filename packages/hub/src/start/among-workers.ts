/** What a process that is one of a hub's workers has in common with the others. */

import type { Secret } from '@latchkey/protocol'
import type { Watched } from '@latchkey/service/http/operations-routes'
import type { SharedCounts } from '@latchkey/service/limits/shared-counts'

export interface AmongWorkers {
  /** Which of them this one is; every line of its log says so. */
  readonly number: number
  /** The same for all workers of a hub, and for no other's. */
  readonly hub: string
  /** Of the storage that runs beside the hub; it may reach any worker. */
  readonly credential: Secret<'hub-token'>
  /** For limits that hold for all workers together. */
  readonly counts: SharedCounts
  /** All workers as one, for `/readyz` and `/metrics`. */
  readonly watched: Watched
}
