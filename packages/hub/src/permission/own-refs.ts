/** Refs that a hub keeps for itself: they have a place in the storage, and no revision names them. */

import { parseRefName, type RefName, uploadFolder } from '@latchkey/protocol'

const ownFolder = 'refs/latchkey/'

export function isOwnRef(name: string): boolean {
  return name.startsWith(ownFolder)
}

/** Their names are from the first on, and before the second: 0 sorts next after a slash. */
export const ownRefRange = [ownFolder, 'refs/latchkey0'] as const

/** A pull request that has no number yet is judged by this name; no number is 0. */
export const anyPullRequest = refName('refs/pr/0')

const periodSeconds = 7 * 24 * 3600

/** Where an account uploads what it will propose: a new ref in each period, so that none lives for ever. */
export function uploadRefs(accountId: string, now: number): readonly [RefName, RefName] {
  const period = Math.floor(now / periodSeconds)
  return [uploadRef(accountId, period), uploadRef(accountId, period - 1)]
}

function uploadRef(accountId: string, period: number): RefName {
  return refName(`${uploadFolder}${period}/${accountId}`)
}

/** An upload ref is over when neither its own period nor the next is the present one. */
export function isExpiredUpload(name: string, now: number): boolean {
  if (!name.startsWith(uploadFolder)) return false
  const period = Number(name.slice(uploadFolder.length).split('/')[0])
  return !(period >= Math.floor(now / periodSeconds) - 1)
}

function refName(text: string): RefName {
  const name = parseRefName(text)
  if (name === undefined) throw new Error(`no ref can be called ${text}`)
  return name
}
