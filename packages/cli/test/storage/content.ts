/** Content of a hub on this machine: rows and objects as an upload two days ago would have left them. */

import { createHash } from 'node:crypto'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { openStore, repositoryNames, storeLink } from '@latchkey/hub/management'
import { systemClock } from '@latchkey/service/system-clock'
import { openCatalog, openUpkeep, parseDigest, parseHash, Terms } from '@latchkey/storage/upkeep'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { writeDirectory } from '@latchkey/testing/hub/write-directory'
import { directoryText } from '../directory-file.ts'
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
  const data = join(cwd, 'latchkey-data')
  await writeDirectory(testSettings(data), JSON.parse(directoryText))
  const store = openStore({ data, database: 'sqlite:latchkey.db' }, { create: false })
  const database = openCatalog(data)
  const link = storeLink(store, { verb: 'storage' })
  const names = repositoryNames(store)
  const { change, objects } = openUpkeep({ data, database, link, names, clock: systemClock })
  const main = await store.readBeside(async (tables) => {
    const { uid } = await tables
      .selectFrom('repositories')
      .select('uid')
      .where('path', '=', bert)
      .executeTakeFirstOrThrow()
    const { uid: refUid } = await tables
      .selectFrom('refs')
      .select('uid')
      .where('repository_uid', '=', uid)
      .where('name', '=', 'refs/heads/main')
      .executeTakeFirstOrThrow()
    return { ref_uid: refUid, repository_uid: uid }
  })
  await change(async (tables) => {
    const owned = { ...main, written_at: writtenAt, stamp: writtenAt * 1000 }
    for (const word of ['used', 'unused']) {
      const sizes = { packed_bytes: packedBytes, unpacked_bytes: packedBytes, chunks: 1 }
      const row = { ...owned, hash: hash(word), digest: hash(`object ${word}`), ...sizes }
      await tables.insertInto('stored_xorbs').values(row).execute()
    }
    const term = { xorb: hash('used'), start: 0, end: 1, unpackedBytes: packedBytes }
    const file = { bytes: packedBytes, terms: Terms.of([term]).packed }
    await tables
      .insertInto('stored_files')
      .values({ ...owned, hash: hash('file'), ...file })
      .execute()
  })
  for (const word of ['used', 'unused']) {
    const draft = await objects.receive(body(), packedBytes)
    const digest = parseDigest(hash(`object ${word}`))
    if (draft === undefined || digest === undefined) throw new Error('there is no object')
    utimesSync(draft.file, writtenAt, writtenAt)
    await objects.keep(draft, digest)
    await draft.discard()
  }
  const { number } = await link.changes({})
  await change((tables) =>
    tables.updateTable('hub_link').set({ applied: number, known: number }).execute(),
  )
  database.close()
  store.close()
  return cwd
}

async function* body(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(packedBytes)
}
