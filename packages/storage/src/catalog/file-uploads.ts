/** Files that come in several requests: how far each has come. */

import { type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import { canContinue } from '@latchkey/xet/pieces'
import type { Place, WritablePlace } from './catalog.ts'
import type { CatalogDatabase } from './catalog-database.ts'
import { hold } from './locks.ts'
import type { StorageTables } from './schema.ts'
import {
  type FileUpload,
  findProgress,
  findUpload,
  finishUpload,
  insertUpload,
  removeExpired,
  removeFinished,
  type SavedUpload,
  saveUpload,
  type UploadedFile,
  type UploadKey,
  type UploadName,
  type UploadProgress,
  underWay,
} from './upload-rows.ts'
import { type WritingOptions, writeInPlace } from './write-in-place.ts'

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

async function removeUpload(
  { change, inTurn }: CatalogDatabase,
  { place: { refUid, repositoryUid }, name: { account, name } }: UploadKey,
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
