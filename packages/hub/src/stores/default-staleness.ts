/** How old what a hub knows may be, where nobody says otherwise. */

import type { Staleness } from '../access/moment.ts'

export const defaultStaleness: Staleness = {
  now: () => ({ steadyMs: performance.now(), wallMs: Date.now() }),
  mostMs: 5000,
}
