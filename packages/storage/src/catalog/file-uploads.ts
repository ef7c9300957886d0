/** Files that come in several requests: how far each has come. */

import { type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { canContinue, type PieceState } from '@latchkey/xet/pieces'
import { sql } from 'kysely'
import type { Place, WritablePlace } from './catalog.ts'
import type { CatalogDatabase } from './catalog-database.ts'
import { hold } from './locks.ts'
import type { StorageTables, UploadRow } from './schema.ts'
import type { Sha256 } from './sha256.ts'
import { Terms } from './terms.ts'
import { type WritingOptions, writeInPlace } from './write-in-place.ts'

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

/** One account can have so much under way, in all repositories together. */
export interface UploadBounds {
  readonly uploads: number
  readonly bytes: number
  /** Responses that are remembered for a request that comes again. */
  readonly finished: number
}

export const uploadBounds: UploadBounds = { uploads: 100, bytes: 1024 ** 4, finished: 1000 }

export interface FileUploads {
  /** Reads little, so that requests for the state cost little. */
  find(place: Place, name: UploadName): Promise<FileUpload | undefined>
  /** For the piece that comes next. */
  findProgress(place: Place, name: UploadName): Promise<UploadProgress | undefined>
  /** Refuses when the account has too many under way, or when these bytes more would be too much. */
  begin(place: WritablePlace, name: UploadName, more: number): Promise<Refusal | undefined>
  /** Goes on from the byte that the upload was found at. */
  save(place: WritablePlace, name: UploadName, saved: SavedUpload): Promise<Refusal | undefined>
  finish(place: WritablePlace, name: UploadName, file: UploadedFile): Promise<Refusal | undefined>
  /** False where there was none. */
  remove(place: Place, name: UploadName): Promise<boolean | Refusal>
}

export interface SavedUpload extends UploadProgress {
  readonly from: number
}

export interface FileUploadsOptions extends WritingOptions {
  readonly bounds?: UploadBounds | undefined
}

export function fileUploads({
  bounds = uploadBounds,
  ...options
}: FileUploadsOptions): FileUploads {
  const { database, clock } = options
  const inPlace = writeInPlace(options)
  const write = async (place: WritablePlace, work: Work) => {
    const done = await inPlace(place, {
      digests: [],
      work: async ({ tables, writtenAt }) => (await work(tables, writtenAt)) ?? true,
    })
    return typeof done === 'boolean' ? undefined : done
  }
  return {
    async find(place, name) {
      const found = await database.read((tables) => findUpload(tables, { place, name }, clock()))
      if (found?.state === undefined || (await canContinue(found.state))) return found?.upload
      await removeUpload(database, { place, name })
      return undefined
    },
    findProgress: (place, name) =>
      database.read((tables) => findProgress(tables, { place, name }, clock())),
    begin: (place, name, more) =>
      write(place, async (tables, now) => {
        await removeExpired(tables, now)
        const { uploads, bytes } = await underWay(tables, name, now)
        if (uploads >= bounds.uploads) return tooMany(bounds)
        if (bytes + more > bounds.bytes) return tooMuch(bounds)
        await insertUpload(tables, { place, name }, now)
        return undefined
      }),
    save: (place, name, saved) =>
      write(place, async (tables, now) => {
        if (!(await saveUpload(tables, { place, name }, { ...saved, now }))) return movedOn
        const { bytes } = await underWay(tables, name, now)
        return bytes > bounds.bytes ? tooMuch(bounds) : undefined
      }),
    finish: (place, name, file) =>
      write(place, async (tables, now) => {
        await finishUpload(tables, { place, name }, { file, now })
        await removeFinished(tables, name, bounds.finished)
        return undefined
      }),
    remove: (place, name) => removeUpload(database, { place, name }),
  }
}

type Work = (tables: StorageTables, now: UnixSeconds) => Promise<Refusal | undefined>

interface Upload {
  readonly place: Place
  readonly name: UploadName
}

function unexpired(
  tables: StorageTables,
  { place, name: { account, name } }: Upload,
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

async function findUpload(
  tables: StorageTables,
  uploadToFind: Upload,
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

async function findProgress(
  tables: StorageTables,
  upload: Upload,
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
async function underWay(
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

async function insertUpload(
  tables: StorageTables,
  { place: { refUid, repositoryUid }, name: { account, name } }: Upload,
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
async function saveUpload(
  tables: StorageTables,
  { place, name: { account, name } }: Upload,
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

async function finishUpload(
  tables: StorageTables,
  { place, name: { account, name } }: Upload,
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

async function removeUpload(
  { change, inTurn }: CatalogDatabase,
  { place: { refUid, repositoryUid }, name: { account, name } }: Upload,
): Promise<boolean | Refusal> {
  return inTurn(repositoryUid, () =>
    change(async (tables) => {
      await hold(tables, { repositories: [repositoryUid] })
      const { numDeletedRows } = await tables
        .deleteFrom('file_uploads')
        .where('ref_uid', '=', refUid)
        .where('account', '=', account)
        .where('name', '=', name)
        .executeTakeFirst()
      return numDeletedRows > 0n
    }),
  )
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
async function removeFinished(
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

const movedOn = refuse(
  'conflict',
  'Another request continued this upload or deleted it, and this part was not stored. Request the state with HEAD, and send the rest.',
)

function tooMany({ uploads }: UploadBounds): Refusal {
  return refuse(
    'rate_limited',
    `Your account has ${uploads} uploads that are not finished, and may have no more. Finish some, or delete them with DELETE /v1/files?upload=ID; each expires 24 hours after its last bytes.`,
    { retryAfterSeconds: 60 },
  )
}

function tooMuch({ bytes }: UploadBounds): Refusal {
  return refuse(
    'quota_exceeded',
    `Your uploads that are not finished may have ${bytes} bytes together, and this would be more. Finish some, or delete them with DELETE /v1/files?upload=ID; each expires 24 hours after its last bytes.`,
  )
}
