/** Is an object there, and is it what its rows say? */

import {
  type CheckedChunks,
  type ChunkTable,
  checkXorb,
  type FormatError,
  isFormatError,
  sameBytes,
} from '@latchkey/xet/format'
import { digestOfBytes } from '../catalog/scoped-digest.ts'
import { hasCode } from '../objects/file-errors.ts'
import { DamagedObject, NoSuchObject } from '../objects/object-store.ts'
import type { Maintenance } from './maintenance.ts'
import type { NamedObject } from './named-objects.ts'

export interface Problem {
  readonly problem: 'missing' | 'damaged'
  /** One sentence. */
  readonly detail: string
}

/** Its length and its chunk table; with `withContent` also every byte. Undefined when it is whole. */
export async function inspectObject(
  { objects }: Pick<Maintenance, 'objects'>,
  named: NamedObject,
  withContent: boolean,
): Promise<Problem | undefined> {
  const { key } = named
  if (key === undefined) return missing
  try {
    const table = await objects.table(key)
    if (!fits(table, named)) return damaged('Its chunk table does not fit the catalog.')
    // The table may be an object of its own.
    const bytes = await objects.sizeOf(key)
    if (bytes === undefined) return missing
    if (bytes < named.packedBytes) return damaged('It is shorter than the catalog says.')
    return withContent
      ? await inspectBytes(objects.read(key, 0, named.packedBytes - 1), named, table)
      : undefined
  } catch (error) {
    return problemOf(error)
  }
}

function fits(table: ChunkTable, { packedBytes, unpackedBytes, chunks }: NamedObject): boolean {
  return (
    table.packedBytes === packedBytes &&
    table.unpackedBytes === unpackedBytes &&
    table.count === chunks
  )
}

async function inspectBytes(
  content: AsyncIterable<Uint8Array>,
  named: NamedObject,
  table: ChunkTable,
): Promise<Problem | undefined> {
  const checked = await checkContent(content, named)
  if (isFormatError(checked)) return damaged(checked.flaw)
  if (checked.digest !== digestOfBytes(named.digest))
    return damaged(`Its bytes have the digest ${checked.digest}.`)
  const isSame = sameBytes(checked.table.encoded(), table.encoded())
  return isSame ? undefined : damaged('Its chunk table does not fit its bytes.')
}

/** The problem of one object. An unreadable disk is a problem of another kind. */
function problemOf(error: unknown): Problem {
  if (error instanceof NoSuchObject) return missing
  if (error instanceof DamagedObject) return damaged('Its chunk table cannot be read.')
  if (hasCode(error, 'EIO')) return damaged('The disk cannot read it.')
  throw error
}

const missing: Problem = { problem: 'missing', detail: 'The object is not there.' }

function damaged(detail: string): Problem {
  return { problem: 'damaged', detail }
}

/** Reads an object from beginning to end as if it were uploaded. */
async function checkContent(
  content: AsyncIterable<Uint8Array>,
  { hash, packedBytes }: NamedObject,
): Promise<CheckedChunks | FormatError> {
  const bytes = Buffer.allocUnsafe(packedBytes)
  let [filled, bytesTaken] = [0, 0]
  for await (const part of content) {
    bytes.set(part, filled)
    filled += part.length
  }
  return checkXorb((into) => {
    const got = bytes.copy(into, 0, bytesTaken)
    bytesTaken += got
    return got
  }, hash)
}
