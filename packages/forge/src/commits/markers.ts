/** Files that tell after a crash which repositories may differ from the directory, and what was under way. */

import { mkdirSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  asRefUid,
  asRepositoryUid,
  idPattern,
  parseRefName,
  type RefName,
  type RefUid,
  type RepositoryUid,
  refUidPattern,
} from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { type ExclusiveLock, takeLock } from '@latchkey/service/machine/exclusive-lock'
import { syncPath } from '@latchkey/service/machine/files'
import { type ObjectHash, parseObjectHash } from '../git/index.ts'
import { membersOf } from '../words/members.ts'

/** A commit that the hub's database does not know yet. */
export interface UnderWay {
  /** A ref that content is stored for before it is made. */
  readonly reserved?: RefUid | undefined
  /** A tag with a message: the directory has the commit alone. */
  readonly tag?: { readonly ref: RefName; readonly object: ObjectHash } | undefined
}

export interface Markers {
  /** On the disk when the promise settles. */
  set(uid: RepositoryUid, underWay?: UnderWay): Promise<void>
  clear(uid: RepositoryUid): Promise<void>
  read(uid: RepositoryUid): Promise<UnderWay>
  list(): Promise<readonly RepositoryUid[]>
  /** Set by this process, or found when it started. */
  isSet(uid: RepositoryUid): boolean
  all(): readonly RepositoryUid[]
}

/** Below the data directory of the hub. */
function forgeFolder(data: string): string {
  return join(data, 'forge')
}

export function markersFolder(data: string): string {
  return join(forgeFolder(data), 'pending')
}

/** A second forge would take the locks of the first one in git for those of a process that was killed. */
export function lockForge(data: string): ExclusiveLock {
  const folder = forgeFolder(data)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = takeLock(join(folder, 'lock'))
  if (lock !== undefined) return lock
  throw new CannotStart(
    `another forge serves the repositories of the data directory ${data}. Stop that one, or name another directory with --data.`,
  )
}

export async function openMarkers(folder: string): Promise<Markers> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const fileOf = (uid: RepositoryUid) => {
    if (!idPattern.test(uid)) throw new TypeError('a repository is named by its uid')
    return join(folder, uid)
  }
  const list = async () => {
    const names = await readdir(folder)
    return names.filter((name) => idPattern.test(name)).map((name) => asRepositoryUid(name))
  }
  const knownUids = new Set(await list())
  return {
    async set(uid, underWay = {}) {
      knownUids.add(uid)
      const file = await open(fileOf(uid), 'w', 0o600)
      try {
        await file.writeFile(JSON.stringify(underWay))
        if (Object.keys(underWay).length > 0) await file.sync()
      } finally {
        await file.close()
      }
      syncPath(folder)
    },
    // A marker that comes back after a crash costs one look at its repository.
    async clear(uid) {
      await rm(fileOf(uid), { force: true })
      knownUids.delete(uid)
    },
    read: async (uid) => underWayIn(await readFile(fileOf(uid), 'utf8').catch(() => '')),
    list,
    isSet: (uid) => knownUids.has(uid),
    all: () => [...knownUids],
  }
}

/** A marker that a kill has cut off tells only that something was under way. */
function underWayIn(text: string): UnderWay {
  const { reserved, tag } = membersOf(parsed(text)) ?? {}
  const { ref, object } = membersOf(tag) ?? {}
  const name = typeof ref === 'string' ? parseRefName(ref) : undefined
  const hash = typeof object === 'string' ? parseObjectHash(object) : undefined
  return {
    reserved:
      typeof reserved === 'string' && refUidPattern.test(reserved) ? asRefUid(reserved) : undefined,
    tag: name && hash && { ref: name, object: hash },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
