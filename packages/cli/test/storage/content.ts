/** Content of a hub on this machine: rows and objects as an upload two days ago would have left them. */

import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore, repositoryNames, type Store, storeLink } from '@latchkey/hub/management'
import { systemClock } from '@latchkey/service/machine/time'
import {
  type Maintenance,
  openCatalog,
  openMaintenance,
  parseHash,
  Terms,
} from '@latchkey/storage/maintenance'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { writeDirectory } from '@latchkey/testing/hub/write-directory'
import { commit, directoryText } from '../directory-file.ts'
import { temporaryDirectory } from '../run-latchkey.ts'

export const bert = 'models/acme/bert'
export const packedBytes = 100

const writtenAt = Math.floor(Date.now() / 1000) - 2 * 24 * 3600

export function hash(word: string) {
  const made = parseHash(createHash('sha256').update(word).digest('hex'))
  if (made === undefined) throw new Error('this is no hash')
  return made
}

/** A hub with the file `file` of the xorb `used`, and the xorb `unused`. */
export async function filledDirectory(): Promise<string> {
  const cwd = temporaryDirectory()
  if (filled === undefined) filled = await fill(cwd)
  else putBack(filled, dataOf(cwd))
  return cwd
}

/** Made once for the tests of a process. */
let filled: readonly Kept[] | undefined

async function fill(cwd: string): Promise<readonly Kept[]> {
  await writeDirectory(testSettings(dataOf(cwd)), JSON.parse(directoryText))
  await addContent(cwd, bert, { xorbs: ['used', 'unused'], file: 'file' })
  return keep(dataOf(cwd))
}

interface Kept {
  /** Below the folder; a folder comes before what is in it. */
  readonly path: string
  readonly mode: number
  readonly changedAt: Date
  /** Left out for a folder. */
  readonly bytes?: Buffer
}

function keep(folder: string): readonly Kept[] {
  return ['', ...readdirSync(folder, { recursive: true }).map(String).sort()].map((path) => {
    const place = join(folder, path)
    const stat = statSync(place)
    const bytes = stat.isFile() ? readFileSync(place) : undefined
    return { path, mode: stat.mode, changedAt: stat.mtime, ...(bytes && { bytes }) }
  })
}

function putBack(kept: readonly Kept[], folder: string): void {
  for (const { path, mode, changedAt, bytes } of kept) {
    const place = join(folder, path)
    if (bytes === undefined) {
      mkdirSync(place, { mode })
      continue
    }
    writeFileSync(place, bytes, { mode })
    utimesSync(place, changedAt, changedAt)
  }
}

export function dataOf(cwd: string): string {
  return join(cwd, 'latchkey-data')
}

/** Another repository with a branch `main`. */
export async function addRepository(cwd: string, repository: string): Promise<void> {
  await withStored(cwd, async ({ store }) => {
    const done = verbRunner(store, systemClock)
    await done('repo create', { repository })
    await done('ref set', { repository, ref: 'main', commit })
  })
}

/** In the branch `main`; the file is made of the first xorb. */
export async function addContent(
  cwd: string,
  repository: string,
  { xorbs, file }: { readonly xorbs: readonly [string, ...string[]]; readonly file?: string },
): Promise<void> {
  await withStored(cwd, async ({ store, maintenance: { change, objects, link } }) => {
    const owned = { ...(await mainOf(store, repository)), written_at: writtenAt, stamp: 1 }
    const { number } = await link.changes({})
    for (const word of xorbs) {
      const digest = hash(`object ${word}`)
      const draft = await objects.receive(body(), packedBytes)
      if (draft === undefined) throw new Error('there is no object')
      utimesSync(join(dataOf(cwd), 'objects/drafts', draft.id), writtenAt, writtenAt)
      const key = await objects.put(draft)
      const named = await change(async (tables) => {
        const sizes = { packed_bytes: packedBytes, unpacked_bytes: packedBytes, chunks: 1 }
        const row = { ...owned, hash: hash(word), digest, ...sizes }
        await tables.insertInto('stored_xorbs').values(row).execute()
        return tables
          .insertInto('stored_objects')
          .values({ key, digest, bytes: packedBytes, reserved_at: writtenAt })
          .onConflict((known) => known.column('digest').doUpdateSet({ digest }))
          .returning('key')
          .executeTakeFirstOrThrow()
      })
      if (named.key !== key) await objects.remove(key)
    }
    await change(async (tables) => {
      const term = { xorb: hash(xorbs[0]), start: 0, end: 1, unpackedBytes: packedBytes }
      const made = { bytes: packedBytes, terms: Terms.of([term]).packed }
      const row = { ...owned, hash: hash(file ?? ''), ...made }
      if (file !== undefined) await tables.insertInto('stored_files').values(row).execute()
      await tables.updateTable('hub_link').set({ applied: number, known: number }).execute()
    })
  })
}

/** Where the object of a xorb lies below its data directory. */
export function objectOf(data: string, xorb: string): string {
  const catalogue = new DatabaseSync(join(data, 'storage.db'), { timeout: 60_000 })
  const row = catalogue
    .prepare(
      'SELECT key FROM stored_objects WHERE digest = (SELECT digest FROM stored_xorbs WHERE hash = ?)',
    )
    .get(xorb)
  catalogue.close()
  const key = String(row?.['key'])
  return join('objects', key.slice(0, 2), key)
}

/** The storage of the hub gets a data directory of its own, as on another machine. */
export function moveApart(cwd: string): string {
  const own = join(cwd, 'latchkey-storage-data')
  mkdirSync(own, { mode: 0o700 })
  for (const name of ['storage.db', 'objects']) renameSync(join(dataOf(cwd), name), join(own, name))
  return own
}

/** Both databases of a data directory, as a command opens them. */
export async function withStored<Result>(
  cwd: string,
  work: (opened: { store: Store; maintenance: Maintenance }) => Promise<Result>,
): Promise<Result> {
  const data = dataOf(cwd)
  const store = await openStore({ data, database: 'sqlite:latchkey.db' }, { create: false })
  const database = openCatalog(data)
  const link = storeLink(store, { verb: 'storage' })
  const names = repositoryNames(store)
  try {
    const maintenance = await openMaintenance({ data, database, link, names, clock: systemClock })
    await maintenance.identity.check()
    return await work({ store, maintenance })
  } finally {
    database.close()
    store.close()
  }
}

async function mainOf({ readBeside }: Store, repository: string) {
  return readBeside(async (tables) => {
    const { uid } = await tables
      .selectFrom('repositories')
      .select('uid')
      .where('path', '=', repository)
      .executeTakeFirstOrThrow()
    const ref = await tables
      .selectFrom('refs')
      .select('uid')
      .where('repository_uid', '=', uid)
      .where('name', '=', 'refs/heads/main')
      .executeTakeFirstOrThrow()
    return { ref_uid: ref.uid, repository_uid: uid }
  })
}

async function* body(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(packedBytes)
}
