/** Objects in the memory of this process: a million of them cost neither a disk nor a store. */

import { randomBytes as randomOf } from 'node:crypto'
import { type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import type { ChunkTable } from '@latchkey/xet/format'
import { decodeTable } from '../../src/objects/chunk-tables.ts'
import { unlessFull } from '../../src/objects/file-errors.ts'
import { checkDraftId, checkKey } from '../../src/objects/keys.ts'
import {
  DamagedObject,
  type DraftId,
  NoSuchObject,
  type ObjectKey,
  type ObjectStore,
  type ObjectsOptions,
} from '../../src/objects/object-store.ts'

/** What several processes would share. */
export interface MemoryPlace {
  readonly drafts: Map<string, HeldBytes>
  readonly objects: Map<string, HeldBytes & { readonly packedBytes: number }>
  marker?: { readonly text: string; readonly version: string }
}

interface HeldBytes {
  bytes: Buffer
  readonly changedAt: UnixSeconds
}

export function memoryPlace(): MemoryPlace {
  return { drafts: new Map(), objects: new Map() }
}

/** `now` is for the age of what is written. */
export function memoryStore(
  place: MemoryPlace = memoryPlace(),
  {
    randomBytes = randomOf,
    guard = (body) => body,
    now = () => unixSeconds(Math.floor(Date.now() / 1000)),
  }: ObjectsOptions & { readonly now?: () => UnixSeconds } = {},
): ObjectStore {
  const { drafts, objects } = place
  const draftOf = (id: DraftId): HeldBytes => {
    checkDraftId(id)
    const draft = drafts.get(id)
    if (draft === undefined) throw new Error('there is no such draft')
    return draft
  }
  const objectOf = (key: ObjectKey) => {
    checkKey(key)
    const object = objects.get(key)
    if (object === undefined) throw new NoSuchObject('there is no object of this key')
    return object
  }
  const tableOf = (key: ObjectKey): ChunkTable => {
    const { bytes, packedBytes } = objectOf(key)
    return decodeTable(bytes.subarray(packedBytes))
  }
  const newDraft = () => {
    const id = randomBytes(16).toString('hex') as DraftId
    return { id, discard: async () => void drafts.delete(id) }
  }
  return {
    async prepare() {},
    async probe() {},
    receive: (body, most) =>
      unlessFull(async () => {
        const parts: Uint8Array[] = []
        let bytes = 0
        for await (const part of guard(body)) {
          bytes += part.length
          if (bytes > most) return undefined
          parts.push(part)
        }
        const draft = newDraft()
        drafts.set(draft.id, { bytes: Buffer.concat(parts), changedAt: now() })
        return { ...draft, bytes }
      }),
    async *readDraft(id) {
      yield draftOf(id).bytes
    },
    openDraft(id) {
      const draft = draftOf(id)
      let at = 0
      return {
        read(into) {
          const copied = draft.bytes.copy(into, 0, at)
          at += copied
          return copied
        },
        complete(table) {
          const packed = draft.bytes.subarray(0, table.packedBytes)
          draft.bytes = Buffer.concat([packed, table.encoded()])
        },
        close() {},
      }
    },
    newDraft,
    createDraft(id) {
      checkDraftId(id)
      const parts: Uint8Array[] = []
      return {
        write: (bytes) => void parts.push(Buffer.from(bytes)),
        close: () => void drafts.set(id, { bytes: Buffer.concat(parts), changedAt: now() }),
      }
    },
    async put({ id }) {
      const { bytes } = draftOf(id)
      const packedBytes = bytes.readUInt32LE(bytes.length - 8)
      objects.set(id, { bytes, packedBytes, changedAt: now() })
      drafts.delete(id)
      return id as string as ObjectKey
    },
    async sizeOf(key) {
      checkKey(key)
      return objects.get(key)?.bytes.length
    },
    async fullSizeOf(key) {
      checkKey(key)
      return objects.get(key)?.bytes.length
    },
    async *read(key, start, end) {
      const { bytes, packedBytes } = objectOf(key)
      if (end >= packedBytes) throw new DamagedObject('a stored object ends before its bytes do')
      yield bytes.subarray(start, end + 1)
    },
    table: async (key) => tableOf(key),
    async remove(key) {
      checkKey(key)
      objects.delete(key)
    },
    async removeMany(keys) {
      for (const key of keys) {
        checkKey(key)
        objects.delete(key)
      }
    },
    async *list() {
      for (const [key, { bytes, changedAt }] of objects) {
        yield { key: key as ObjectKey, bytes: bytes.length, changedAt }
      }
    },
    async sweepDrafts(olderThan, isDryRun) {
      const old = [...drafts].filter(([, { changedAt }]) => changedAt < olderThan)
      if (!isDryRun) for (const [id] of old) drafts.delete(id)
      const sum = old.reduce((sum, [, { bytes }]) => sum + bytes.length, 0)
      return { count: old.length, bytes: sum }
    },
    async carry() {
      throw new TypeError('nothing is carried into memory')
    },
    readMarker: async () => place.marker,
    async writeMarker(text, version) {
      if ((place.marker?.version ?? 'new') !== version) return false
      place.marker = { text, version: String(Number(place.marker?.version ?? 0) + 1) }
      return true
    },
    addressOf: (key) => `memory:${key}`,
    async close() {},
  }
}
