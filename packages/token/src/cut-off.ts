/** A cut-off: tokens that name a thing, and were decided before a number of the journal, are dead. */

import { hash } from 'node:crypto'
import type { JournalNumber } from '@latchkey/protocol'

export const cutOffKinds = [
  'token',
  'hub-token',
  'account',
  'account+repository',
  'account+namespace',
  'repository',
  'ref',
  'key',
  'all',
] as const

export type CutOffKind = (typeof cutOffKinds)[number]

/** What is cut: an id of the kind, two ids joined by a slash, or nothing for `all`. */
export interface CutOffPlace {
  readonly kind: CutOffKind
  readonly id: string
}

/** What is cut for ever stays dead, whatever `as_of` a token has. */
export const forEver = Number.MAX_SAFE_INTEGER as JournalNumber

/** 43 characters. The list has nothing else of a thing, so it tells a reader nothing who lacks the id. */
export function cutOffHash({ kind, id }: CutOffPlace): string {
  return hash('sha256', `${kind}:${id}`, 'base64url')
}
