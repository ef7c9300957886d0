/** Checks what the commits of a push lead to: the push holds it, or the client may read it here already. */

import { isRefusal } from '@latchkey/protocol'
import { slicePauses } from '@latchkey/service/limits/slices'
import {
  GitFailed,
  type IsOffered,
  missingObjects,
  type ObjectHash,
  type Quarantine,
} from '../git/index.ts'
import { largestRegularBytes } from '../large-files/upload-modes.ts'
import { parseFilePath } from '../words/file-path.ts'
import { quoted } from '../words/quoted.ts'
import { isFault, nameRefused, type PushedObjects, type PushFault } from './check-objects.ts'

export interface Linking {
  readonly quarantine: Quarantine
  readonly objects: PushedObjects
  /** The new targets of the refs. */
  readonly tips: readonly ObjectHash[]
  /** The targets of the refs that clients see. */
  readonly offered: ReadonlySet<ObjectHash>
  /** Also commits that no ref points to, and that the API shows. */
  readonly isOffered: IsOffered
}

/** A push names few objects that it does not hold and that its refs do not lead to. */
const maxMissing = 100_000

const missing: PushFault = { fault: missingObjects }

export async function checkLinks(linking: Linking): Promise<PushFault | undefined> {
  try {
    return await check(linking)
  } catch (error) {
    if (error instanceof GitFailed && error.reason === 'exit') return missing
    throw error
  }
}

async function check(linking: Linking): Promise<PushFault | undefined> {
  const { quarantine, offered, isOffered } = linking
  const others = new Set(offered)
  const first = await findMissing(linking, others)
  if (isFault(first)) return first
  if (first.size === 0) return undefined
  for (const [hash, kind] of first) {
    if (kind === 'commit' && (await isOffered(hash))) others.add(hash)
  }
  const left = others.size === offered.size ? first : await findMissing(linking, others)
  if (isFault(left)) return left
  if (left.size === 0) return undefined
  // A folder of an older commit is not told apart by the walk to the newest ones.
  const pause = slicePauses()
  for await (const { hash } of quarantine.linked([...others], [])) {
    await pause()
    if (left.delete(hash) && left.size === 0) return undefined
  }
  return missing
}

type Missing = Map<ObjectHash, 'commit' | 'other'>

async function findMissing(
  { quarantine, objects, tips }: Linking,
  others: ReadonlySet<ObjectHash>,
): Promise<Missing | PushFault> {
  const found: Missing = new Map()
  const pause = slicePauses()
  const { all, tooLarge } = objects
  for await (const { hash, path } of quarantine.linked(tips, others)) {
    await pause()
    if (!all.has(hash)) {
      found.set(hash, path === undefined ? 'commit' : 'other')
      if (found.size > maxMissing) return missing
      continue
    }
    if (path === undefined) continue
    if (tooLarge.has(hash)) return { fault: fileTooLarge(path) }
    // Git names the tag of a tag object so, too.
    if (isStrange(path) && isRefusal(parseFilePath(Buffer.from(path, 'latin1')))) {
      return { fault: nameRefused(path) }
    }
  }
  return found
}

/** Beginnings and lengths: the names themselves were checked. */
function isStrange(path: string): boolean {
  return /^[A-Za-z]:/.test(path) || path.length > 1000 || path.split('/').length > 99
}

function fileTooLarge(raw: string): string {
  const path = quoted(Buffer.from(raw, 'latin1').toString('utf8'))
  return `The file ${path} is larger than ${largestRegularBytes} bytes. Track it with git-lfs: git lfs migrate import --include=PATH rewrites your commits.`
}
