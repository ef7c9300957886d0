/** A lookup takes the same steps however many rows there are that the token does not see, or that wait to be deleted. */

import { asRefUid, journalNumber, type RefUid } from '@latchkey/protocol'
import { stepsDuring } from '@latchkey/testing/hub/statements'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { View, WritablePlace } from '../../src/catalog/catalog.ts'
import { addTombstones } from '../../src/catalog/removed-places.ts'
import { bert, type CatalogWorld, openWorld, other } from './catalog-world.ts'
import { addFile, hash } from './content.ts'

const chunk = hash('chunk of a')
const gone = asRefUid('gone')
const [few, many] = [100, 2000]

let world: CatalogWorld
let main: WritablePlace
let wholeRepository: View
beforeEach(async () => {
  world = await openWorld()
  main = await world.place(bert, 'main')
  wholeRepository = { repositoryUid: main.repositoryUid, refs: undefined }
})

const upTo = (count: number) => JSON.stringify(Array.from({ length: count }, (_, index) => index))

/** Files of one ref that begin with the chunk, up to so many. */
function fillFiles(refUid: RefUid, count: number, stamp = 2000) {
  return world.database.change((tables) =>
    sql`
      INSERT INTO stored_files
        (ref_uid, hash, repository_uid, bytes, terms, written_at, stamp, first_chunk)
      SELECT ${refUid}, 'file ' || value, ${main.repositoryUid}, 1, x'', 1, ${stamp}, ${chunk}
      FROM json_each(${upTo(count)}) WHERE true ON CONFLICT DO NOTHING`.execute(tables),
  )
}

/** Removed refs that have the chunk, up to so many, all with a lower uid than any other. */
function fillRemovedRefs(count: number) {
  return world.database.change(async (tables) => {
    await sql`
      INSERT INTO removed_places
      SELECT '! ' || value, 1, 0 FROM json_each(${upTo(count)}) WHERE true
      ON CONFLICT DO NOTHING`.execute(tables)
    await sql`
      INSERT INTO stored_chunks
      SELECT '! ' || value, ${chunk}, ${main.repositoryUid}, ${hash('a')}, 1, 5
      FROM json_each(${upTo(count)}) WHERE true ON CONFLICT DO NOTHING`.execute(tables)
  })
}

const remove = (uid: RefUid) =>
  world.database.change((tables) => addTombstones(tables, [uid], world.now()))

const findFile = (view: View) => world.catalog.findFileFrom(view, chunk)
const stepsOf = (view: View) => stepsDuring(() => findFile(view))

const seenBefore = (uid: RefUid): View => ({
  repositoryUid: main.repositoryUid,
  refs: [{ uid, before: journalNumber(1000) }],
})

describe('files by their first chunk', () => {
  test('newer than a fork or a commit sees are not walked', async () => {
    await fillFiles(main.refUid, 1, 999)
    const steps = await stepsOf(seenBefore(main.refUid))
    await fillFiles(main.refUid, many)
    expect(await stepsOf(seenBefore(main.refUid))).toBe(steps)
    expect((await findFile(seenBefore(main.refUid)))?.hash).toBe('file 0')
  })

  test('hidden take the same steps as absent ones', async () => {
    const steps = await stepsOf(seenBefore(main.refUid))
    await fillFiles(main.refUid, many, 1000)
    expect(await findFile(seenBefore(main.refUid))).toBeUndefined()
    expect(await stepsOf(seenBefore(main.refUid))).toBe(steps)
  })

  test('of a removed ref are not walked until they are deleted', async () => {
    await remove(gone)
    await fillFiles(gone, few, 5)
    const steps = [await stepsOf(seenBefore(gone)), await stepsOf(wholeRepository)]
    await fillFiles(gone, many, 5)
    expect([await stepsOf(seenBefore(gone)), await stepsOf(wholeRepository)]).toEqual(steps)
  })

  test('of a ref of another repository are not walked, even if a token named it', async () => {
    const { repositoryUid } = await world.place(other, 'main')
    const named = { ...seenBefore(main.refUid), repositoryUid }
    await fillFiles(main.refUid, 1, 5)
    expect(await findFile(named)).toBeUndefined()
    const steps = await stepsOf(named)
    await fillFiles(main.refUid, many, 5)
    expect(await stepsOf(named)).toBe(steps)
  })

  test('of another ref of the repository are found behind a few of a removed one', async () => {
    await addFile(world.catalog, main, 'a')
    await remove(gone)
    await fillFiles(gone, 63)
    expect((await findFile(wholeRepository))?.hash).toBe(hash('a'))
  })
})

describe('chunks in a view of the whole repository', () => {
  const find = () => world.catalog.findChunk(wholeRepository, chunk)

  test('are found behind those of a few removed refs', async () => {
    await addFile(world.catalog, main, 'a')
    await fillRemovedRefs(63)
    expect((await find())?.refUid).toBe(main.refUid)
  })

  test('take no more steps behind many, and files and xorbs are found all the same', async () => {
    await addFile(world.catalog, main, 'a')
    await fillRemovedRefs(few)
    const steps = await stepsDuring(find)
    await fillRemovedRefs(many)
    expect(await stepsDuring(find)).toBe(steps)
    for (const table of ['stored_files', 'stored_xorbs']) await copyToRemovedRefs(table)
    expect((await world.catalog.findFile(wholeRepository, hash('a')))?.refUid).toBe(main.refUid)
    expect((await world.catalog.findXorb(wholeRepository, hash('a')))?.refUid).toBe(main.refUid)
  })
})

/** Every removed ref gets what the ref of the test has. */
async function copyToRemovedRefs(table: string): Promise<void> {
  const all = await world.rows(`SELECT name FROM pragma_table_info('${table}')`)
  const columns = all
    .map(({ name }) => String(name))
    .filter((name) => name !== 'position' && name !== 'ref_uid')
    .join(', ')
  await world.database.change((tables) =>
    sql
      .raw(`INSERT INTO ${table} (ref_uid, ${columns})
        SELECT removed_places.uid, ${columns} FROM ${table}, removed_places`)
      .execute(tables),
  )
}
