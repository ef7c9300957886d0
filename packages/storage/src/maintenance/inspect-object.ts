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
  if (withContent) {
    const whole = await readWhole({ objects }, named)
    return 'problem' in whole ? whole : undefined
  }
  if (key === undefined) return missing
  try {
    if (!fits(await objects.table(key), named)) return otherTable
    // The table may be an object of its own.
    const bytes = await objects.sizeOf(key)
    if (bytes === undefined) return missing
    return bytes < named.packedBytes ? tooShort : undefined
  } catch (error) {
    return problemOf(error)
  }
}

export interface WholeObject {
  readonly bytes: Uint8Array
  readonly table: ChunkTable
}

/** Every byte of an object, if they are what its rows say. */
export async function readWhole(
  { objects }: Pick<Maintenance, 'objects'>,
  named: NamedObject,
): Promise<WholeObject | Problem> {
  const { key } = named
  if (key === undefined) return missing
  try {
    const table = await objects.table(key)
    if (!fits(table, named)) return otherTable
    const bytes = await bytesOf(objects.read(key, 0, named.packedBytes - 1), named)
    return inspectBytes(bytes, named, table) ?? { bytes, table }
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

function inspectBytes(bytes: Buffer, named: NamedObject, table: ChunkTable): Problem | undefined {
  const checked = checkContent(bytes, named)
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

const otherTable = damaged('Its chunk table does not fit the catalog.')

const tooShort = damaged('It is shorter than the catalog says.')

const missing: Problem = { problem: 'missing', detail: 'The object is not there.' }

function damaged(detail: string): Problem {
  return { problem: 'damaged', detail }
}

async function bytesOf(
  content: AsyncIterable<Uint8Array>,
  { packedBytes }: NamedObject,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(packedBytes)
  let filled = 0
  for await (const part of content) {
    bytes.set(part, filled)
    filled += part.length
  }
  return bytes
}

/** Goes through an object from beginning to end as if it were uploaded. */
function checkContent(bytes: Buffer, { hash }: NamedObject): CheckedChunks | FormatError {
  let bytesTaken = 0
  return checkXorb((into) => {
    const got = bytes.copy(into, 0, bytesTaken)
    bytesTaken += got
    return got
  }, hash)
}
