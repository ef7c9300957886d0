/** Large registrations leave room for other writers, of this process and of others. */

import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { RefUid } from '@latchkey/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { defaultShardCaps } from '../../src/bounds/shard-caps.ts'
import type { Registration } from '../../src/catalog/catalog.ts'
import { Terms } from '../../src/catalog/terms.ts'
import { bert, openWorld, other } from './catalog-world.ts'
import { addXorb, hash, xorb } from './content.ts'
import { onPostgres } from './test-catalog.ts'

/** So many files of one term each, all made of one xorb. */
function manyFiles(word: string, count: number, refUid: RefUid): Registration {
  const from = xorb('shared')
  const terms = Terms.of([{ xorb: from.hash, start: 0, end: 3, unpackedBytes: 150 }])
  const names = Array.from({ length: count }, (_, index) => `${word} ${index}`)
  return {
    files: names.map((name) => ({ hash: hash(name), bytes: 150, terms })),
    xorbs: [{ ...from, refUid }],
    chunks: names.map((name) => ({ hash: hash(`chunk of ${name}`), xorb: from.hash })),
  }
}

// conformance: Attacks / 38. An attacker blocks the database writer with one request
test('an upload to another repository waits for one large registration, not for all that wait', async () => {
  const { catalog, place } = await openWorld()
  const [main, beside] = [await place(bert, 'main'), await place(other, 'main')]
  await addXorb(catalog, main, 'shared')
  const done: string[] = []
  const large = ['first', 'second', 'third'].map((word) =>
    catalog.addFiles(main, manyFiles(word, 600, main.refUid)).then(() => done.push(word)),
  )
  const small = addXorb(catalog, beside, 'small').then(() => done.push('small'))
  await Promise.all([...large, small])
  expect(done.indexOf('small')).toBeLessThan(done.indexOf('second'))
  expect(done).toHaveLength(4)
})

// conformance: Attacks / 38. An attacker blocks the database writer with one request
test.skipIf(onPostgres)(
  'another process gets the lock between two large registrations',
  async () => {
    const resting = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const world = await openWorld({
      restAfterLargeWrite() {
        resting.resolve()
        return goOn.promise
      },
    })
    const { catalog, place, rows } = world
    const main = await place(bert, 'main')
    await addXorb(catalog, main, 'shared')
    const large = ['first', 'second'].map((word) =>
      catalog.addFiles(main, manyFiles(word, 600, main.refUid)),
    )
    await resting.promise
    const another = new DatabaseSync(world.file, { timeout: 0 })
    onTestFinished(() => another.close())
    another.exec('BEGIN IMMEDIATE')
    expect(await rows('SELECT count(*) AS files FROM stored_files')).toEqual([{ files: 600 }])
    another.exec('ROLLBACK')
    goOn.resolve()
    expect(await Promise.all(large)).toEqual([true, true])
  },
)

// conformance: Attacks / 38. An attacker blocks the database writer with one request
test('the largest shard is one transaction of at most this many rows', () => {
  const { files, xorbs } = defaultShardCaps
  // A row for each file, one for its first chunk, and one for each xorb.
  expect(2 * files + xorbs).toBeLessThanOrEqual(20_000)
})

/** How long another thread waits for the lock, which is another connection as in another process. */
async function lockMilliseconds(file: string): Promise<number> {
  const program = `
    const { DatabaseSync } = require('node:sqlite')
    const { parentPort, workerData } = require('node:worker_threads')
    const database = new DatabaseSync(workerData, { timeout: 60_000 })
    const started = performance.now()
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    parentPort.postMessage(performance.now() - started)
    database.close()`
  const worker = new Worker(program, { eval: true, workerData: file })
  const [milliseconds] = await once(worker, 'message')
  return milliseconds
}

test.skipIf(onPostgres)(
  'beside the largest shards, an upload and another process wait for one of them',
  { tags: 'soak', timeout: 120_000 },
  async () => {
    const { catalog, place, file } = await openWorld()
    const [main, beside] = [await place(bert, 'main'), await place(other, 'main')]
    await addXorb(catalog, main, 'shared')
    const done: string[] = []
    const largest = ['first', 'second', 'third'].map(async (word) => {
      await catalog.addFiles(main, manyFiles(word, defaultShardCaps.files, main.refUid))
      done.push(word)
    })
    const locked = lockMilliseconds(file)
    await setImmediate()
    const started = performance.now()
    await addXorb(catalog, beside, 'small')
    const uploaded = performance.now() - started
    expect(done).toEqual(['first'])
    const waited = await locked
    expect(done).not.toContain('third')
    console.log(`the upload took ${Math.round(uploaded)} ms, the lock ${Math.round(waited)} ms`)
    await Promise.all(largest)
  },
)
