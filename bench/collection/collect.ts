/** One collection of a filled catalogue: how long it takes, and how much memory. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { journalNumber, unixSeconds } from '@latchkey/protocol'
import {
  adopt,
  collect,
  type Maintenance,
  openCatalog,
  openMaintenance,
} from '@latchkey/storage/maintenance'
import type {
  ObjectKey,
  ObjectStore,
  ObjectsPlace,
} from '../../packages/storage/src/objects/object-store.ts'
import { fillCatalogue, indexOf, now } from './catalogue.ts'

export interface Collected {
  readonly objects: number
  readonly milliseconds: number
  readonly cpuMs: number
  /** What the process took. */
  readonly peakBytes: number
  /** The process still uses these after a garbage collection of V8, which runs rarely where memory is free. */
  readonly liveBytes: number
}

export interface Collecting {
  readonly count: number
  /** If left out, objects are bits in memory. */
  readonly place?: ObjectsPlace
  /** Puts objects into a store. */
  readonly fill?: (objects: ObjectStore) => Promise<void>
}

const linkNumber = journalNumber(1)

/** A hub that has nothing to say. */
const link: Maintenance['link'] = {
  changes: async () => ({ kind: 'changes', number: linkNumber, removed: [], isComplete: true }),
  raiseEpochs: async () => {},
  findUnknown: async () => new Set(),
}

export async function collectOnce({ count, place, fill }: Collecting): Promise<Collected> {
  const catalogue = await fillCatalogue(count)
  const database = openCatalog(catalogue.data)
  try {
    const opened = await openMaintenance({
      ...{ data: catalogue.data, database, link, names: undefined, objects: place },
      ...{ clock: () => unixSeconds(now), letReadersEnd: async () => {} },
    })
    await fill?.(opened.objects)
    const objects = place === undefined ? inMemory(opened.objects, count) : opened.objects
    const adopted = await adopt({ ...opened, objects }, { isDryRun: false, evenMissing: true })
    if ('code' in adopted) throw new Error(adopted.detail)
    const memory = watchMemory(count)
    const [started, cpu] = [performance.now(), process.cpuUsage()]
    const collected = await collect(
      { ...opened, objects },
      { now: unixSeconds(now), isDryRun: false, onProgress: memory.onProgress },
    )
    const { user, system } = process.cpuUsage(cpu)
    const milliseconds = performance.now() - started
    await opened.objects.close()
    if ('code' in collected) throw new Error(collected.detail)
    const expected = Math.floor((count * 3) / 5)
    if (collected.objects.count !== expected) {
      throw new Error(`${collected.objects.count} objects were deleted, and not ${expected}`)
    }
    return {
      objects: expected,
      milliseconds,
      cpuMs: (user + system) / 1000,
      ...memory.peaks(),
    }
  } finally {
    await database.close()
    catalogue.remove()
  }
}

/** A timer would wait until all is over: SQLite and objects in memory answer at once. */
function watchMemory(count: number) {
  const collectGarbage = garbageCollector()
  const samples = 10
  let [peakBytes, liveBytes, sampled] = [0, 0, '']
  return {
    onProgress(step: string, done: number) {
      peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
      const sample = `${step} ${Math.floor((done * samples) / count)}`
      if (sample === sampled) return
      sampled = sample
      collectGarbage()
      const { heapUsed, external } = process.memoryUsage()
      liveBytes = Math.max(liveBytes, heapUsed + external)
    },
    peaks: () => ({ peakBytes, liveBytes }),
  }
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

/** A bit for each object: what the store itself takes in memory is small. */
function inMemory(objects: ObjectStore, count: number): ObjectStore {
  const gone = new Uint8Array(Math.ceil(count / 8))
  const remove = async (key: ObjectKey) => {
    const index = indexOf(key)
    gone[index >> 3] = (gone[index >> 3] ?? 0) | (1 << (index & 7))
  }
  return {
    ...objects,
    remove,
    removeMany: async (keys) => void (await Promise.all(keys.map(remove))),
    sweepDrafts: async () => ({ count: 0, bytes: 0 }),
  }
}
