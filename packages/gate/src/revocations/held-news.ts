/** The news of a hub that a gate holds: a verified head, its list, and how long they count. */

import type { Moment } from '@latchkey/protocol'
import { cutOffHash, type RevocationHead, type RevocationList } from '@latchkey/token'
import type { JudgingLists } from './kept-entries.ts'

export interface HeldNews extends JudgingLists {
  readonly head: RevocationHead
  /** Of the key that signed the head. */
  readonly kid: string
  /** When the first question was sent that brought the head: from then on its life is counted. */
  readonly since: Moment
  /** When the last question was sent that brought it, or another one of the same number. */
  readonly confirmed: Moment
}

/** A cut-off of a key is absolute: its number does not matter. */
export function namesKey(list: RevocationList, kid: string): boolean {
  return list.has(cutOffHash({ kind: 'key', id: kid }))
}
