/** An object directory of a test's own, and objects to put there. */

import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chunkTableBuilder } from '@latchkey/xet/format'
import { onTestFinished } from 'vitest'
import type { Digest, Draft, ObjectKey, ObjectStore } from '../../src/objects/object-store.ts'
import { diskObjects } from '../../src/objects/open-objects.ts'

export interface DiskWorld {
  readonly root: string
  readonly objects: ObjectStore
  /** Paths of all files below the root, each with its mode. */
  files(): Readonly<Record<string, string>>
}

export function openDisk(): DiskWorld {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-objects-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  const root = join(data, 'objects')
  const files = () => {
    const entries = readdirSync(data, { recursive: true, withFileTypes: true })
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    return Object.fromEntries(paths.map((path) => [path.slice(root.length + 1), mode(path)]))
  }
  return {
    root,
    objects: diskObjects({ kind: 'disk', folder: root }, { tableBytes: 1_000_000 }),
    files,
  }
}

export interface MadeObject {
  readonly digest: Digest
  readonly bytes: Buffer
  readonly packedBytes: number
}

/** Chunks of the given packed lengths, with their table behind them. */
export function anObject(word: string, lengths: readonly number[] = [100, 50, 7]): MadeObject {
  const rows = chunkTableBuilder()
  let end = 0
  for (const [index, length] of lengths.entries()) {
    end += length
    rows.add(createHash('sha256').update(`${word} ${index}`).digest(), length * 2, end)
  }
  const packed = Buffer.alloc(end, word)
  const digest = createHash('sha256').update(packed).digest('hex') as Digest
  return { digest, bytes: Buffer.concat([packed, rows.build().encoded()]), packedBytes: end }
}

export async function* inParts(bytes: Uint8Array, length = 64): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

export async function received(objects: ObjectStore, bytes: Uint8Array): Promise<Draft> {
  const draft = await objects.receive(inParts(bytes), bytes.length)
  if (draft === undefined) throw new Error('the draft was too long')
  return draft
}

export async function put(objects: ObjectStore, made: MadeObject): Promise<ObjectKey> {
  return objects.put(await received(objects, made.bytes))
}
