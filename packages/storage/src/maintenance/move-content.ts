/**
 * Moves the content of one repository to another storage. While it is copied nothing is written to it; the hub is told of
 * the switch when the copy is whole, and what is left at the source becomes a removed place.
 */

import type { JournalNumber, RepositoryUid } from '@latchkey/protocol'
import { type Hash, isFormatError, maxXorbBytes, tableLength } from '@latchkey/xet/format'
import { sql } from 'kysely'
import { raiseKnown, readLinkState, setMoving } from '../catalog/link-state.ts'
import { hold } from '../catalog/locks.ts'
import { nameObject, objectOf, objectsOf, reserveObjects } from '../catalog/object-names.ts'
import { addTombstones, liftTombstones, sweepPlaces } from '../catalog/removed-places.ts'
import type { StorageTables } from '../catalog/schema.ts'
import { digestOfBytes, digestWithin } from '../catalog/scoped-digest.ts'
import { checkXorbDraft } from '../checking/xorb-work.ts'
import type { Digest, ObjectKey } from '../objects/object-store.ts'
import { inspectObject } from './inspect-object.ts'
import type { Maintenance } from './maintenance.ts'
import { type NamedObject, namedObjects } from './named-objects.ts'

export interface Move {
  readonly uid: RepositoryUid
  readonly source: Maintenance
  readonly target: Maintenance
  /** Whether repositories share objects at the target. */
  readonly areObjectsShared: boolean
  readonly onCopied?: (bytes: number) => void
}

/** The move cannot go on. Content and uploads are as the hub says; the message says what to do. */
export class MoveFailed extends Error {
  override readonly name = 'MoveFailed'
}

/** Brings most bytes over while clients still upload. Gives how many bytes were brought. */
export async function preparedBytes(move: Move): Promise<number> {
  let brought = 0
  for await (const named of namedObjects(move.source, move.uid)) {
    brought += await bringObject(move, named)
  }
  return brought
}

/** Waits for the writes that run; every later one finds the repository closed. */
export async function closeWrites({ source, uid }: Move, moveNumber: JournalNumber): Promise<void> {
  await source.change(async (tables) => {
    await hold(tables, { link: 'alone' })
    const { [uid]: earlier = 0 } = (await readLinkState(tables)).moving
    if (earlier > moveNumber) throw takenOver()
    await setMoving(tables, uid, moveNumber)
  })
}

/** After the hub has cancelled the move. */
export async function openWrites({ source, uid }: Pick<Move, 'source' | 'uid'>): Promise<void> {
  await source.change(async (tables) => {
    await hold(tables, { link: 'alone' })
    await setMoving(tables, uid, undefined)
  })
}

/** Once writes are closed: the target has every row with its stamp, and every object that a row names. */
export async function copyContent(move: Move, moveNumber: JournalNumber): Promise<void> {
  const { source, target, uid } = move
  const { knownNumber, moving } = await source.read(readLinkState)
  if (moving[uid] !== moveNumber) throw takenOver()
  await clearTarget(target, uid)
  await target.change(async (tables) => {
    await hold(tables, { link: 'alone' })
    await raiseKnown(tables, knownNumber)
  })
  await preparedBytes(move)
  for (const table of tablesInOrder) {
    for await (const rows of pagesOf(move, table, moveNumber)) await addRows(move, table, rows)
  }
  await expectWhole(move)
}

/** After the switch. The storage deletes the rows bit by bit, and its garbage collection the bytes. */
export async function retireContent({ source, uid }: Pick<Move, 'source' | 'uid'>): Promise<void> {
  await source.change(async (tables) => {
    await hold(tables, { link: 'alone' })
    await setMoving(tables, uid, undefined)
    await addTombstones(tables, [uid], source.clock())
  })
}

/** A repository that was here before has left a tombstone, and perhaps rows. */
async function clearTarget(target: Maintenance, uid: RepositoryUid): Promise<void> {
  const stones = await target.read((tables) =>
    tables.selectFrom('removed_places').select('uid').where('uid', '=', uid).execute(),
  )
  if (stones.length === 0) return
  await sweepPlaces(target.database)
  await target.change(async (tables) => {
    await hold(tables, { link: 'alone' })
    await liftTombstones(tables, [uid])
  })
}

function digestAt({ areObjectsShared, uid }: Move, digest: Digest): Digest {
  return areObjectsShared ? digestOfBytes(digest) : digestWithin(uid, digest)
}

/** Gives how many bytes were brought; none where the target has the object. Every byte is hashed on the way. */
async function bringObject(move: Move, named: NamedObject): Promise<number> {
  const { source, target } = move
  const digest = digestAt(move, named.digest)
  const stored = await target.read((tables) => objectOf(tables, digest))
  if ((await inspectObject(target, { ...named, digest, key: stored }, false)) === undefined)
    return 0
  if (named.key === undefined) throw damaged(named.hash)
  const body = source.objects.read(named.key, 0, named.packedBytes - 1)
  const draft = await target.objects.receive(body, maxXorbBytes)
  if (draft === undefined) throw damaged(named.hash)
  try {
    const checked = checkXorbDraft(target.objects.openDraft(draft.id), named.hash)
    if (isFormatError(checked) || checked.digest !== digestOfBytes(named.digest)) {
      throw damaged(named.hash)
    }
    // The object of a draft has its id for a key.
    const reserved = {
      key: draft.id as string as ObjectKey,
      bytes: checked.packedBytes + tableLength(checked.chunks),
    }
    await target.change((tables) => reserveObjects(tables, [reserved], target.clock()))
    // Collection deletes it if another run has brought the same bytes, or this one is cut off.
    await mapObject(move, digest, { key: await target.objects.put(draft), lost: stored })
  } finally {
    await draft.discard()
  }
  move.onCopied?.(named.packedBytes)
  return named.packedBytes
}

async function mapObject(
  { target }: Move,
  digest: Digest,
  object: { readonly key: ObjectKey; readonly lost: ObjectKey | undefined },
): Promise<void> {
  await target.change(async (tables) => {
    await hold(tables, { objects: [digestOfBytes(digest)] })
    await nameObject(tables, digest, { ...object, now: target.clock() })
  })
}

/** Xorbs before the files that are made of them, so that what is there lacks nothing at any time. */
const tablesInOrder = ['stored_xorbs', 'stored_chunks', 'stored_files'] as const
type Table = (typeof tablesInOrder)[number]

/** The terms of a large file are tens of kilobytes. */
const rowsAtOnce = 100

type Row = Readonly<Record<string, unknown>> & { readonly hash: string; readonly ref_uid: string }

/** A page counts only if the move was still this one after it was read: afterwards the source may delete rows. */
async function* pagesOf({ source, uid }: Move, table: Table, moveNumber: JournalNumber) {
  let after: readonly (string | number)[] | undefined = table === 'stored_files' ? [0] : ['', '']
  while (after !== undefined) {
    const from: readonly (string | number)[] = after
    const { rows, moving } = await source.read(async (tables) => ({
      rows: await pageAfter(tables, table, { uid, from }),
      moving: (await readLinkState(tables)).moving,
    }))
    if (moving[uid] !== moveNumber) throw takenOver()
    if (rows.length > 0) yield rows
    after = rows.length < rowsAtOnce ? undefined : cursorOf(table, rows.at(-1))
  }
}

function cursorOf(table: Table, row: Row | undefined): readonly (string | number)[] | undefined {
  if (row === undefined) return undefined
  return table === 'stored_files' ? [Number(row['position'])] : [row.hash, row.ref_uid]
}

interface PageStart {
  readonly uid: RepositoryUid
  readonly from: readonly (string | number)[]
}

/** In the order of an index; files in the order in which they came. */
async function pageAfter(
  tables: StorageTables,
  table: Table,
  { uid, from }: PageStart,
): Promise<readonly Row[]> {
  const order = table === 'stored_files' ? sql`position` : sql`hash, ref_uid`
  const { rows } = await sql<Row>`
    SELECT * FROM ${sql.table(table)}
    WHERE repository_uid = ${uid} AND (${order}) > (${sql.join(from)})
      AND ref_uid NOT IN (SELECT uid FROM removed_places)
    ORDER BY ${order} LIMIT ${rowsAtOnce}`.execute(tables)
  return rows
}

/** With their moments and stamps. The position of a file is another one, in the same order. */
async function addRows(move: Move, table: Table, page: readonly Row[]): Promise<void> {
  const { target, uid } = move
  const rows = page.map(({ position: _, ...row }) =>
    table === 'stored_xorbs' ? { ...row, digest: digestAt(move, row['digest'] as Digest) } : row,
  )
  const digests = rows.flatMap((row) => ('digest' in row ? [row['digest'] as Digest] : []))
  const isAdded = await target.change(async (tables) => {
    const held = { link: 'shared', repositories: [uid] } as const
    await hold(tables, { ...held, objects: digests.map(digestOfBytes) })
    const named = digests.length === 0 ? new Map() : await objectsOf(tables, digests)
    if (digests.some((digest) => !named.has(digest))) return false
    await tables
      .insertInto(table)
      .values(rows as never)
      .onConflict((existing) => existing.doNothing())
      .execute()
    return true
  })
  if (!isAdded) throw new MoveFailed('Garbage collection runs at the destination. Run it again.')
}

/** Compared once more, because nobody can do it after the source has deleted its rows. */
async function expectWhole(move: Move): Promise<void> {
  const { source, target, uid } = move
  for (const table of tablesInOrder) {
    const [own, copied] = await Promise.all(
      [source, target].map((side) => countOf(side, table, uid)),
    )
    if ((own ?? 0) > (copied ?? 0)) {
      throw new MoveFailed(`The copy lacks ${(own ?? 0) - (copied ?? 0)} rows. Run it again.`)
    }
  }
  for await (const named of namedObjects(target, uid)) {
    const problem = await inspectObject(target, named, false)
    if (problem !== undefined) throw damaged(named.hash)
  }
}

function countOf({ read }: Maintenance, table: Table, uid: RepositoryUid): Promise<number> {
  return read(async (tables) => {
    const { rows } = await sql<{ count: number | string }>`
      SELECT count(*) AS count FROM ${sql.table(table)} WHERE repository_uid = ${uid}
        AND ref_uid NOT IN (SELECT uid FROM removed_places)`.execute(tables)
    return Number(rows[0]?.count ?? 0)
  })
}

function damaged(hash: Hash): MoveFailed {
  return new MoveFailed(
    `The xorb ${hash} is missing or damaged at the source. Look with "latchkey storage verify --content", repair it, and run this again.`,
  )
}

function takenOver(): MoveFailed {
  return new MoveFailed(
    'Another run has taken over this move, or has ended it. Look at its result.',
  )
}
