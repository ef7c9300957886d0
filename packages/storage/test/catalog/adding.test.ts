/** Content is given to a ref once, whole, and stays as it was given first. */

import { unixSeconds } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { unmapReserved } from '../../src/maintenance/free-objects.ts'
import { beforeCommit, bert, openWorld, other } from './catalog-world.ts'
import { addFile, addXorb, digest, hash, newObject, registration, xorb } from './content.ts'

describe('an object that was collected before it had a name', () => {
  test('gets none, leaves no row behind, and the next try succeeds', async () => {
    const { catalog, database, now, place, rows } = await openWorld()
    const main = await place(bert, 'main')
    const object = await newObject(catalog)
    await database.change((tables) => unmapReserved(tables, unixSeconds(now() + 1), now()))
    const added = await catalog.addXorb(main, xorb('a'), [hash('chunk of a')], object)
    expect(added).toMatchObject({ code: 'not_ready', retryAfterSeconds: 1 })
    for (const table of ['stored_xorbs', 'stored_chunks', 'stored_totals']) {
      expect(await rows(`SELECT * FROM ${table}`)).toEqual([])
    }
    expect(await addXorb(catalog, main, 'a')).toBe(true)
  })
})

describe('an object gets its name', () => {
  test('before anybody can find it', async () => {
    const world = await openWorld()
    const { catalog, place, view } = world
    const seen = await view(bert, 'main')
    let during: unknown = 'not asked'
    const asking = beforeCommit(world, async () => {
      during = await catalog.findXorb(seen, hash('a'))
    })
    await addXorb(asking, await place(bert, 'main'), 'a')
    expect(during).toBeUndefined()
    expect(await catalog.findXorb(seen, hash('a'))).toBeDefined()
  })

  test('while no other change can happen', async () => {
    const world = await openWorld()
    const order: string[] = []
    let deletion: Promise<void> | undefined
    const deleting = beforeCommit(world, async () => {
      deletion = world.done('ref delete', { repository: bert, ref: 'main' }).then(() => {
        order.push('deleted')
      })
      await new Promise(setImmediate)
      order.push('named')
    })
    await addXorb(deleting, await world.place(bert, 'main'), 'a')
    await deletion
    expect(order).toEqual(['named', 'deleted'])
  })

  test('once: who brings the same bytes again finds the first object, in every repository', async () => {
    const { catalog, place, view } = await openWorld()
    const [first, second] = [await newObject(catalog), await newObject(catalog)]
    await catalog.addXorb(await place(bert, 'main'), xorb('a'), [], first)
    await catalog.addXorb(await place(other, 'main'), xorb('a'), [], second)
    const found = await catalog.findXorb(await view(other, 'main'), hash('a'))
    expect(found?.key).toBe(first.key)
    expect(await Promise.all([first, second].map(({ key }) => catalog.isNamed(key)))).toEqual([
      true,
      false,
    ])
  })

  test('in place of the one that is lost, and of no other', async () => {
    const { catalog, place } = await openWorld()
    const main = await place(bert, 'main')
    const first = await newObject(catalog)
    await catalog.addXorb(main, xorb('a'), [], first)
    const { key: lost } = await newObject(catalog)
    await catalog.addXorb(main, xorb('a'), [], { ...(await newObject(catalog)), lost })
    expect(await catalog.objectOf(digest('a'))).toBe(first.key)
    const second = await newObject(catalog)
    await catalog.addXorb(main, xorb('a'), [], { ...second, lost: first.key })
    expect(await catalog.objectOf(digest('a'))).toBe(second.key)
    // Its bytes are not deleted yet.
    const again = catalog.addXorb(main, xorb('b'), [], first)
    expect(await again).toMatchObject({ code: 'not_ready' })
  })

  test('when the ref has that very object, and not when it has another', async () => {
    const { catalog, place } = await openWorld()
    const main = await place(bert, 'main')
    const upload = (packing: string) => addXorb(catalog, main, 'a', { digest: digest(packing) })
    expect(await upload('first')).toBe(true)
    expect(await upload('second')).toBe(false)
    expect(await upload('first')).toBe(false)
    expect(await catalog.objectOf(digest('first'))).toBeDefined()
    expect(await catalog.objectOf(digest('second'))).toBeUndefined()
  })
})

describe('what a ref has', () => {
  test('stays as it came first: the object, the moment and the terms', async () => {
    const { catalog, passSeconds, place, rows, view } = await openWorld()
    const main = await place(bert, 'main')
    await addFile(catalog, main, 'a')
    const first = async () => [
      ...(await rows(`SELECT digest, written_at FROM stored_xorbs WHERE hash = '${hash('a')}'`)),
      ...(await rows(`SELECT * FROM stored_files WHERE hash = '${hash('a')}'`)),
      ...(await rows(`SELECT * FROM stored_chunks WHERE hash = '${hash('chunk of a')}'`)),
    ]
    const before = await first()
    passSeconds(10)
    await addXorb(catalog, main, 'b')
    const otherwise = registration('a', [{ ...xorb('b'), refUid: main.refUid }])
    expect(await catalog.addFiles(main, otherwise)).toBe(false)
    await addXorb(catalog, main, 'a', { digest: digest('packed otherwise') })
    expect(before).toHaveLength(3)
    expect(await first()).toEqual(before)
    const file = await catalog.findFile(await view(bert, 'main'), hash('a'))
    expect(file?.terms.at(0)).toMatchObject({ xorb: hash('a'), start: 0, end: 3 })
  })

  test('counts as young again when it is uploaded again', async () => {
    const { catalog, now, passSeconds, place, rows } = await openWorld()
    const main = await place(bert, 'main')
    await addXorb(catalog, main, 'a')
    const firstTime = now()
    passSeconds(10)
    await addXorb(catalog, main, 'a')
    const moments = { written_at: firstTime, renewed_at: now() }
    expect(await rows('SELECT written_at, renewed_at FROM stored_xorbs')).toEqual([moments])
  })

  test('is complete: a file brings the xorbs of other refs along', async () => {
    const { catalog, done, place, view } = await openWorld()
    const main = await place(bert, 'main')
    await addXorb(catalog, main, 'a')
    await done('ref set', { repository: bert, ref: 'dev', from: 'main' })
    const dev = await place(bert, 'dev')
    const found = await catalog.findXorbs(await view(bert, 'dev'), [hash('a')])
    expect(found.get(hash('a'))?.refUid).toBe(main.refUid)
    expect(await catalog.addFiles(dev, registration('file', [...found.values()]))).toBe(true)
    await done('ref delete', { repository: bert, ref: 'main' })
    const file = await catalog.findFile(await view(bert, 'dev'), hash('file'))
    if (file === undefined) throw new Error('the file was not found')
    const xorbs = await catalog.xorbsOf(file, file.terms.xorbs())
    expect([...xorbs.values()]).toMatchObject([{ ...xorb('a'), refUid: dev.refUid }])
    const chunk = await catalog.findChunk(await view(bert, 'dev'), hash('chunk of file'))
    expect(chunk).toMatchObject({ hash: hash('a'), refUid: dev.refUid })
  })

  test('is new to a ref whatever other refs have', async () => {
    const { catalog, done, place } = await openWorld()
    await addFile(catalog, await place(bert, 'main'), 'a')
    await done('ref set', { repository: bert, ref: 'dev', from: 'main' })
    expect(await addXorb(catalog, await place(bert, 'dev'), 'a')).toBe(true)
    expect(await addFile(catalog, await place(bert, 'dev'), 'a')).toBe(true)
  })
})

test('of many uploads of one xorb at once, one is the first', async () => {
  const { catalog, place, rows } = await openWorld()
  const main = await place(bert, 'main')
  const answers = await Promise.all(Array.from({ length: 20 }, () => addXorb(catalog, main, 'a')))
  expect(answers.filter((isNew) => isNew === true)).toHaveLength(1)
  expect(answers.filter((isNew) => isNew === false)).toHaveLength(19)
  expect(await rows('SELECT bytes, objects FROM stored_totals')).toEqual([
    { bytes: 100, objects: 1 },
  ])
})

test('a commit of its own can be written to, and only it has that', async () => {
  const { catalog, place, directoryRows, view } = await openWorld()
  const [{ hash: recorded = '' } = {}] = directoryRows('SELECT hash FROM commits')
  const here = await place(bert, String(recorded))
  expect(await catalog.addXorb(here, xorb('a'), [], await newObject(catalog))).toBe(true)
  expect(await catalog.findXorb(await view(bert, String(recorded)), hash('a'))).toBeDefined()
  expect(await catalog.findXorb(await view(bert, 'main'), hash('a'))).toBeUndefined()
})
