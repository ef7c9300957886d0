/**
 * Remembers what git said of objects, for all requests. An object never changes under its hash, so nothing is ever renewed.
 * Whoever asks has the hub's permission for the repository first: one repository never answers for another.
 */

import { GrowingCache } from '@latchkey/service/limits/cache'
import type { ObjectHash } from './object-hash.ts'
import type { Answer, ObjectInfo } from './object-reader.ts'

export interface RememberedObjects {
  info(hash: ObjectHash): ObjectInfo | undefined
  /** With its content, where that was read. */
  object(hash: ObjectHash): Answer | undefined
  learn(answer: Answer, hasContent: boolean): void
  /** Where a commit or a tag leads to. */
  target(hash: ObjectHash, kind: 'commit' | 'tree'): ObjectHash | undefined
  learnTarget(hash: ObjectHash, kind: 'commit' | 'tree', target: ObjectHash): void
}

/** Content that is longer is read from git each time. */
const maxContentBytes = 32 * 1024
/** Bounds the objects of all repositories together. */
const maxRememberedBytes = 32 * 1024 * 1024
/** An entry takes so much beside its content, with its key. */
const overheadBytes = 400

interface Entry {
  readonly info?: ObjectInfo
  readonly bytes?: Buffer | undefined
  readonly target?: ObjectHash
}

export interface ObjectMemory {
  /** By the place of a repository. */
  of(place: string): RememberedObjects
  forget(place: string): void
}

export function objectMemory(most: number = maxRememberedBytes): ObjectMemory {
  const entries = new GrowingCache<string, Entry>({
    most,
    sizeOf: ({ bytes }) => (bytes?.length ?? 0) + overheadBytes,
  })
  return {
    of: (place) => ({
      info: (hash) => entries.get(`${place} ${hash}`)?.info,
      object(hash) {
        const { info, bytes } = entries.get(`${place} ${hash}`) ?? {}
        return info && bytes && { ...info, bytes }
      },
      learn({ hash, kind, size, bytes }, hasContent) {
        const key = `${place} ${hash}`
        // Folders are remembered as they are parsed.
        const isKept = hasContent && kind !== 'tree' && size <= maxContentBytes
        if (!isKept && entries.get(key) !== undefined) return
        entries.set(key, {
          info: { hash, kind, size },
          bytes: isKept ? unpooled(bytes) : undefined,
        })
      },
      target: (hash, kind) => entries.get(`${place} ${hash}^${kind}`)?.target,
      learnTarget: (hash, kind, target) => entries.set(`${place} ${hash}^${kind}`, { target }),
    }),
    forget(place) {
      entries.deleteWhere((key) => key.startsWith(`${place} `))
    },
  }
}

/** A slice would keep the memory of its neighbours. */
function unpooled(content: Buffer): Buffer {
  if (content.buffer.byteLength === content.length) return content
  const bytes = Buffer.allocUnsafeSlow(content.length)
  content.copy(bytes)
  return bytes
}
