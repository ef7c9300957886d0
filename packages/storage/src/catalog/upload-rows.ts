/** Rows of uploads that come in several requests: how far each has come. */

import type { UnixSeconds } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { PieceState } from '@latchkey/xet/pieces'
import { sql } from 'kysely'
import type { Place } from './catalog.ts'
import type { StorageTables, UploadRow } from './schema.ts'
import type { Sha256 } from './sha256.ts'
import { Terms } from './terms.ts'

/** An upload stays for so long after its last bytes. */
export const uploadSeconds = 24 * 3600

/** The account that an upload belongs to, in its place alone, and the name that the client chose. */
export interface UploadName {
  readonly account: string
  readonly name: string
}

/** The response to an upload. */
export interface UploadedFile {
  readonly hash: Hash
  readonly sha256: Sha256
  readonly size: number
}

export interface UploadProgress {
  /** Undefined at the beginning of the file. */
  readonly state: PieceState | undefined
  readonly terms: Terms
}

export interface FileUpload {
  /** How many bytes are stored. */
  readonly bytes: number
  /** Once the file is registered. */
  readonly file: UploadedFile | undefined
}

export interface SavedUpload extends UploadProgress {
  readonly from: number
}

export interface UploadKey {
  readonly place: Place
  readonly name: UploadName
}

function unexpired(
  tables: StorageTables,
  { place, name: { account, name } }: UploadKey,
  now: UnixSeconds,
) {
  return tables
    .selectFrom('file_uploads')
    .where('ref_uid', '=', place.refUid)
    .where('account', '=', account)
    .where('name', '=', name)
    .where('repository_uid', '=', place.repositoryUid)
    .where('touched_at', '>', now - uploadSeconds)
}

interface FoundUpload {
  readonly upload: FileUpload
  /** Without the rest. Undefined at the beginning of the file. */
  readonly state: PieceState | undefined
}

export async function findUpload(
  tables: StorageTables,
  uploadToFind: UploadKey,
  now: UnixSeconds,
): Promise<FoundUpload | undefined> {
  const row = await unexpired(tables, uploadToFind, now)
    .select(['bytes', 'file', 'state'])
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { bytes, file, state } = row
  return {
    upload: { bytes, file: file === null ? undefined : (JSON.parse(file) as UploadedFile) },
    state: state === null ? undefined : readState(state, { bytes, rest: null }),
  }
}

export async function findProgress(
  tables: StorageTables,
  upload: UploadKey,
  now: UnixSeconds,
): Promise<UploadProgress | undefined> {
  const row = await unexpired(tables, upload, now)
    .select(['bytes', 'state', 'rest', 'terms'])
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { bytes, state, rest, terms } = row
  return {
    state: state === null ? undefined : readState(state, { bytes, rest }),
    terms: new Terms(terms),
  }
}

function readState(text: string, { bytes, rest }: Pick<UploadRow, 'bytes' | 'rest'>): PieceState {
  const { tree, sha256, firstChunk } = JSON.parse(text)
  return {
    ...{ bytes, tree, firstChunk },
    rest: Buffer.from(rest ?? []),
    sha256: Buffer.from(sha256, 'base64'),
  }
}

function writtenState({ tree, sha256, firstChunk }: PieceState): string {
  return JSON.stringify({ tree, firstChunk, sha256: Buffer.from(sha256).toString('base64') })
}

/** Unfinished uploads of an account, in all repositories. */
export async function underWay(
  tables: StorageTables,
  { account }: UploadName,
  now: UnixSeconds,
): Promise<{ readonly uploads: number; readonly bytes: number }> {
  const { rows } = await sql<{ uploads: number; bytes: number | null }>`
    SELECT count(*) AS uploads, sum(bytes) AS bytes FROM file_uploads
    WHERE account = ${account} AND touched_at > ${now - uploadSeconds} AND file IS NULL`.execute(
    tables,
  )
  return { uploads: Number(rows[0]?.uploads ?? 0), bytes: Number(rows[0]?.bytes ?? 0) }
}

export async function insertUpload(
  tables: StorageTables,
  { place: { refUid, repositoryUid }, name: { account, name } }: UploadKey,
  now: UnixSeconds,
): Promise<void> {
  await tables
    .insertInto('file_uploads')
    .values({
      ...{ ref_uid: refUid, account, name, repository_uid: repositoryUid, touched_at: now },
      ...{ bytes: 0, state: null, rest: null, terms: new Uint8Array(0), file: null },
    })
    // Another process may have begun it.
    .onConflict((existing) => existing.doNothing())
    .execute()
}

/** False when a request at another process has gone on with it, or it is gone. */
export async function saveUpload(
  tables: StorageTables,
  { place, name: { account, name } }: UploadKey,
  { from, state, terms, now }: SavedUpload & { readonly now: UnixSeconds },
): Promise<boolean> {
  const { numUpdatedRows } = await tables
    .updateTable('file_uploads')
    .set({
      bytes: state?.bytes ?? 0,
      state: state === undefined ? null : writtenState(state),
      rest: state === undefined ? null : Buffer.from(state.rest),
      terms: terms.packed,
      touched_at: now,
    })
    .where('ref_uid', '=', place.refUid)
    .where('account', '=', account)
    .where('name', '=', name)
    .where('bytes', '=', from)
    .where('file', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function finishUpload(
  tables: StorageTables,
  { place, name: { account, name } }: UploadKey,
  { file, now }: { readonly file: UploadedFile; readonly now: UnixSeconds },
): Promise<void> {
  await tables
    .updateTable('file_uploads')
    .set({
      ...{ bytes: file.size, file: JSON.stringify(file), touched_at: now },
      ...{ state: null, rest: null, terms: new Uint8Array(0) },
    })
    .where('ref_uid', '=', place.refUid)
    .where('account', '=', account)
    .where('name', '=', name)
    .execute()
}

const maxRemoved = 250

/** A few of them, so that no request waits for many. */
export async function removeExpired(tables: StorageTables, now: UnixSeconds): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM file_uploads WHERE (ref_uid, account, name) IN (
      SELECT ref_uid, account, name FROM file_uploads
      WHERE touched_at <= ${now - uploadSeconds} LIMIT ${maxRemoved})`.execute(tables)
  return Number(numAffectedRows)
}

/** Beyond the newest ones of the account. */
export async function removeFinished(
  tables: StorageTables,
  { account }: UploadName,
  most: number,
): Promise<void> {
  await sql`
    DELETE FROM file_uploads WHERE (ref_uid, account, name) IN (
      SELECT ref_uid, account, name FROM file_uploads
      WHERE account = ${account} AND file IS NOT NULL
      ORDER BY touched_at DESC LIMIT ${maxRemoved} OFFSET ${most})`.execute(tables)
}

/** Terms of the unfinished uploads of a repository so far. */
export async function* termsOfUploads(
  tables: StorageTables,
  { repositoryUid }: Pick<Place, 'repositoryUid'>,
  now: UnixSeconds,
): AsyncGenerator<Terms> {
  const uploads = tables
    .selectFrom('file_uploads')
    .select('terms')
    .where('repository_uid', '=', repositoryUid)
    .where('file', 'is', null)
    .where('touched_at', '>', now - uploadSeconds)
  for await (const { terms } of uploads.stream()) yield new Terms(terms)
}
