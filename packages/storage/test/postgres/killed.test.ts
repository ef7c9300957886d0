/** A process that is killed while it writes leaves everything of a registration or nothing, and no lock. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { rounds } from '@latchkey/testing/chance'
import { expect, test } from 'vitest'
import { type CatalogWorld, openWorld } from '../catalog/catalog-world.ts'
import { environmentFor } from '../catalog/test-catalog.ts'
import { expectTrueTotals } from '../catalog/totals.ts'

const kills = rounds(2, 100)
const files = rounds(300, 600)

/** Gives the refs whose registration was acknowledged. */
async function killedAdding({ data, database }: CatalogWorld, run: number, afterMs: number) {
  const script = fileURLToPath(new URL('adding-process.ts', import.meta.url))
  const child = fork(script, [data, `${run}`, `${files}`], { env: environmentFor(database) })
  const acknowledged: string[] = []
  child.on('message', (told) => acknowledged.push(String(told)))
  await once(child, 'message')
  // A slow machine may make no registration in the time of the others.
  if (run === 0) await once(child, 'message')
  await delay(afterMs)
  child.kill('SIGKILL')
  await once(child, 'exit')
  return acknowledged.slice(1)
}

test('killed at random moments, each registration is there whole or not at all', async () => {
  const world = await openWorld()
  const acknowledged: string[] = []
  for (let run = 0; run < kills; run += 1) {
    acknowledged.push(...(await killedAdding(world, run, Math.random() * rounds(200, 400))))
  }
  const counted = async (table: string) => {
    const found = await world.rows(`SELECT ref_uid, count(*) AS n FROM ${table} GROUP BY ref_uid`)
    return new Map(found.map((row) => [String(row['ref_uid']), row['n']]))
  }
  const [inFiles, inChunks] = [await counted('stored_files'), await counted('stored_chunks')]
  expect(inFiles).toEqual(inChunks)
  expect(new Set(inFiles.values())).toEqual(new Set([files]))
  expect(acknowledged.filter((uid) => !inFiles.has(uid))).toEqual([])
  await expectTrueTotals(world)
})
