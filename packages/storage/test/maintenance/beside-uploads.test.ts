/** Collection beside uploads: whatever happens between two of its steps, nothing acknowledged is lost. */

import { isRefusal, refuse, unixSeconds } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import type { WritablePlace } from '../../src/catalog/catalog.ts'
import { collect } from '../../src/maintenance/collect.ts'
import { removeXorbRows } from '../../src/maintenance/remove-rows.ts'
import type { StorageCall } from '../../src/request/asked.ts'
import { uploadXorb } from '../../src/xorbs/upload-xorb.ts'
import { bert, other } from '../catalog/catalog-world.ts'
import { hash, xorb } from '../catalog/content.ts'
import { received } from '../objects/disk-world.ts'
import { CutOff, cutOffAfterRemoving, cutOffAt, withSteps } from './interrupted.ts'
import {
  day,
  done,
  type MaintenanceWorld,
  objectBytes,
  openMaintenanceWorld,
} from './maintenance-world.ts'

/** Xorbs of `ours`: `old` is part of a file, the others are not; nothing names the object `free`. */
interface Filled {
  readonly world: MaintenanceWorld
  readonly ours: WritablePlace
  readonly theirs: WritablePlace
}

async function filled(unused: readonly string[] = ['a', 'b']): Promise<Filled> {
  const world = await openMaintenanceWorld()
  const ours = await world.place(bert, 'main')
  const theirs = await world.place(other, 'main')
  for (const word of [...unused, 'old']) await world.upload(ours, word)
  await world.register(ours, 'old')
  await world.upload(theirs, 'free')
  await world.maintenance.change((tables) =>
    removeXorbRows(tables, theirs.repositoryUid, [hash('free')]),
  )
  world.passSeconds(2 * day)
  return { world, ours, theirs }
}

/** Each with a xorb of its own, so that all of them can happen at once. */
interface Happening {
  readonly title: string
  readonly happen: (filled: Filled) => Promise<unknown>
  /** What the client then relies on; must not be refused. */
  readonly afterwards: (filled: Filled) => Promise<unknown>
}

const happenings: readonly Happening[] = [
  {
    title: 'a file is made of an unused xorb',
    happen: ({ world, ours }) => world.register(ours, 'f', ['a']),
    async afterwards({ world, ours }) {
      const isThere =
        (await world.catalog.findFile(await world.view(bert, 'main'), hash('file f'))) !== undefined
      return isThere || world.upload(ours, 'a')
    },
  },
  {
    title: 'an unused xorb is uploaded again',
    happen: async ({ world, ours }) => done(await world.upload(ours, 'b')),
    afterwards: ({ world, ours }) => world.register(ours, 'g', ['b']),
  },
  {
    title: 'another repository gets the same object',
    happen: async ({ world, theirs }) => done(await world.upload(theirs, 'c')),
    afterwards: ({ world, theirs }) => world.register(theirs, 'h', ['c']),
  },
  {
    title: 'an object that no row named is uploaded again',
    happen: async ({ world, ours }) => done(await world.upload(ours, 'free')),
    afterwards: ({ world, ours }) => world.register(ours, 'i', ['free']),
  },
]

describe('what is uploaded or registered', () => {
  // conformance: Embedded storage / Garbage collection during uploads loses no content
  test('before any step of a collection, and is kept', async () => {
    let at = 0
    for (let told: unknown[] | undefined = []; told !== undefined; ) {
      at += 1
      const all = await filled(['a', 'b', 'c'])
      told = await collectWhile(all, at, async () => {
        const each: unknown[] = []
        for (const { happen } of happenings) each.push(await happen(all))
        return each
      })
      expect(await all.world.broken(), `before step ${at}`).toEqual([])
      for (const [index, { title, afterwards }] of happenings.entries()) {
        if (told === undefined || isRefusal(told[index])) continue
        const refused = isRefusal(await afterwards(all))
        expect(refused, `${title} before step ${at}`).toBe(false)
      }
      expect(await all.world.broken(), `before step ${at}`).toEqual([])
    }
    expect(at).toBeGreaterThan(8)
  })
})

describe('an upload that stands still for longer than the grace time', () => {
  test.each(['it is put', 'others look for its digest', 'it gets its name'] as const)(
    'before %s is not acknowledged without its object, and can be sent again',
    async (moment) => {
      const world = await openMaintenanceWorld()
      const place = await world.place(bert, 'main')
      const { maintenance, catalog, objects } = world
      let isLate = true
      const standStill = async (at: typeof moment) => {
        if (!isLate || at !== moment) return
        isLate = false
        await collect(maintenance, { now: unixSeconds(world.now() + 100 * day), isDryRun: false })
      }
      const upload = uploadXorb({
        receiveUpload: () => received(objects, Buffer.alloc(objectBytes, 'late')),
        checker: { check: async () => ({ ...xorb('late'), askedChunks: [] }), async close() {} },
        objects: {
          ...objects,
          async put(draft) {
            await standStill('it is put')
            return objects.put(draft)
          },
        },
        catalog: {
          ...catalog,
          async objectOf(digest) {
            await standStill('others look for its digest')
            return catalog.objectOf(digest)
          },
          async addXorb(...given) {
            await standStill('it gets its name')
            return catalog.addXorb(...given)
          },
        },
      })
      const payer = { account: 'writer', repositoryUid: place.repositoryUid }
      const { signal } = new AbortController()
      const send = async () =>
        upload({ payer, signal, place } as unknown as StorageCall, hash('late'))
      const first = await send().catch((error) => refuse('not_ready', String(error)))
      expect(isLate).toBe(false)
      if (!isRefusal(first)) expect(await world.broken()).toEqual([])
      done(await send())
      expect(await world.broken()).toEqual([])
      expect(await world.stored()).toHaveLength(1)
    },
  )
})

describe('the epoch', () => {
  test('stays when a file comes to be made of all that was unused, and only then', async () => {
    let wasTooLate = false
    for (let at = 1; !wasTooLate; at += 1) {
      const all = await filled()
      const { world, ours } = all
      const told = await collectWhile(all, at, () => world.register(ours, 'f', ['a', 'b']))
      wasTooLate = isRefusal(told)
      expect(world.raised(), `before step ${at}`).toEqual([wasTooLate, false])
    }
  })
})

describe('a file of another repository', () => {
  test('protects nothing here, before any step', async () => {
    for (let at = 1; at < 6; at += 1) {
      const all = await filled()
      const { world, theirs } = all
      await world.upload(theirs, 'a')
      await collectWhile(all, at, () => world.register(theirs, 'f', ['a']))
      const seen = await world.view(bert, 'main')
      expect(await world.catalog.findXorb(seen, hash('a')), `before step ${at}`).toBeUndefined()
      expect(await world.broken()).toEqual([])
    }
  })
})

/** What came of it; undefined when the collection has no such step. */
async function collectWhile<Told>(
  { world }: Filled,
  at: number,
  happen: () => Promise<Told>,
): Promise<Told | undefined> {
  let told: Told | undefined
  const maintenance = withSteps(world.maintenance, async (step) => {
    if (step === at) told = await happen()
  })
  await collect(maintenance, { now: world.now(), isDryRun: false })
  return told
}

describe('a collection that is cut off', () => {
  test('at any step leaves everything whole, and the next one does the rest', async () => {
    let wasCutOff = true
    for (let at = 1; wasCutOff; at += 1) {
      const { world } = await filled()
      const collected = { now: world.now(), isDryRun: false }
      wasCutOff = await collect(cutOffAt(world.maintenance, at), collected).then(
        () => false,
        (error) => error instanceof CutOff,
      )
      expect(await world.broken(), `at step ${at}`).toEqual([])
      await collect(world.maintenance, collected)
      expect(world.raised(), `at step ${at}`).toEqual([true, false])
      expect(await world.stored(), `at step ${at}`).toHaveLength(1)
    }
  })

  test('while it removes objects leaves everything whole', async () => {
    const { world } = await filled()
    const collected = { now: world.now(), isDryRun: false }
    await expect(collect(cutOffAfterRemoving(world.maintenance), collected)).rejects.toThrow(CutOff)
    expect(await world.broken()).toEqual([])
    await collect(world.maintenance, collected)
    expect(await world.stored()).toHaveLength(1)
  })
})
