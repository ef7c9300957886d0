/** Names of objects and drafts, in whatever keeps them. */

import type { DraftId, ObjectKey } from './object-store.ts'

/** 128 random bits. */
const nameForm = /^[0-9a-f]{32}$/

export function parseKey(name: string): ObjectKey | undefined {
  return nameForm.test(name) ? (name as ObjectKey) : undefined
}

/** A path is never made of anything else, despite the types. */
export function checkKey(key: ObjectKey): void {
  if (!nameForm.test(key)) throw new TypeError('this is no key of an object')
}

export function checkDraftId(id: DraftId): void {
  if (!nameForm.test(id)) throw new TypeError('this is no id of a draft')
}
