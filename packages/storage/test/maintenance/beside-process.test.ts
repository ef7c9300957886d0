/** Collection by another process, while this one uploads at random. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isRefusal, type UnixSeconds } from '@latchkey/protocol'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { CollectionResult } from '../../src/maintenance/collect.ts'
import { bert, other } from '../catalog/catalog-world.ts'
import { hash } from '../catalog/content.ts'
import { environmentFor, onPostgres } from '../catalog/test-catalog.ts'
import { day, done, type MaintenanceWorld, openMaintenanceWorld } from './maintenance-world.ts'

const count = process.env['LATCHKEY_SOAK'] ? 10_000 : onPostgres ? 150 : 300

/** Files are made of what was uploaded this week, or of what collection may take just now. */
const action = fc.record({
  kind: fc.constantFrom(
    ...['upload', 'upload', 'upload', 'register', 'register', 'register last', 'pass'],
  ),
  repository: fc.constantFrom(bert, other),
  letter: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  days: fc.constantFrom(0, 0, 0, 7),
})

// conformance: Guarantees / Garbage collection during uploads loses no content
// conformance: Embedded storage / Garbage collection during uploads loses no content
test('what was acknowledged is there, and what is there is whole', async () => {
  const world = await openMaintenanceWorld()
  const collector = startCollector(world)
  const uploaded = new Map<string, UnixSeconds>()
  const files = new Set<string>()
  let week = 1
  for (const todo of fc.sample(action, { numRuns: count, seed: 1 })) {
    const { kind, repository, letter, days } = todo
    const word = `${letter} of week ${kind === 'register last' ? week - 1 : week}`
    const place = await world.place(repository, 'main')
    await collector.collect(world.now())
    if (kind === 'pass') {
      world.passSeconds(1 + days * day)
      if (days > 0) week += 1
    } else if (kind === 'upload') {
      done(await world.upload(place, word))
      uploaded.set(`${repository} ${word}`, world.now())
    } else {
      const told = await world.register(place, word)
      const age = world.now() - (uploaded.get(`${repository} ${word}`) ?? 0)
      if (age <= day) expect(told, `${word}, uploaded ${age} s before`).toBeTypeOf('boolean')
      if (!isRefusal(told)) files.add(`${repository} ${word}`)
    }
  }
  const collected = await collector.end()
  expect(collected.length).toBeGreaterThan(count / 100)
  expect(sum(collected.map(({ xorbs }) => xorbs.count))).toBeGreaterThan(count / 100)
  expect(await world.broken()).toEqual([])
  for (const file of files) await expectThere(world, file)
}, 60_000)

async function expectThere(world: MaintenanceWorld, file: string): Promise<void> {
  const [, repository = '', word] = /^(\S+) (.*)$/.exec(file) ?? []
  const seen = await world.view(repository, 'main')
  expect(await world.catalog.findFile(seen, hash(`file ${word}`)), file).toBeDefined()
}

/** A collector that is slower than the uploads is waited for after so many of them. */
const maxMeanwhile = 10

/** Collects again as soon as it is done and asked to. */
function startCollector({ data, database }: MaintenanceWorld) {
  const script = fileURLToPath(new URL('collecting-process.ts', import.meta.url))
  const child = fork(script, [data], { env: environmentFor(database) })
  onTestFinished(async () => {
    child.disconnect()
    if (child.exitCode === null) await once(child, 'exit')
  })
  const collected: CollectionResult[] = []
  let running: Promise<unknown> | undefined
  let meanwhile = 0
  return {
    async collect(now: UnixSeconds) {
      meanwhile += 1
      if (meanwhile > maxMeanwhile) await running
      if (running !== undefined) return
      meanwhile = 0
      running = once(child, 'message').then(([told]) => {
        running = undefined
        collected.push(told)
      })
      child.send(now)
    },
    async end() {
      await running
      return collected
    },
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0)
}
