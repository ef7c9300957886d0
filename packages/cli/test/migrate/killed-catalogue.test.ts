/** SIGKILL during `latchkey migrate --only storage`: a copy that no storage uses, and the next run finishes. */

import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { complaints, type Dump } from '@latchkey/testing/hub/dump'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { prepareCatalogue } from './full-catalogue.ts'
import { rowsIn } from './full-directory.ts'
import {
  done,
  expectSame,
  intoFile,
  killed,
  measure,
  sidesOf,
  type WatchedSchema,
  watchSchema,
} from './kill-copy.ts'

const count = rounds(2, 100)
const isSoak = rounds(0, 1) === 1
const timeout = 1_800_000
const isMissing = isPostgresMissing(
  'it is not shown that a copy of a catalogue that is killed can be finished',
)
const chance = printedChance('migrate --only storage')

describe.skipIf(isMissing)('killed at random moments', () => {
  const cwd = sharedFolder()
  const [data, other] = [join(cwd, 'data'), join(cwd, 'other')]
  const file = () => join(other, 'storage.db')
  let server: OwnDatabase
  let before: Dump
  let schema: WatchedSchema
  beforeAll(async () => {
    before = rowsIn(await prepareCatalogue(data))
    for (const one of [data, other])
      mkdirSync(join(one, 'objects'), { mode: 0o700, recursive: true })
    server = await ownDatabase()
    schema = await watchSchema(server, 'latchkey_storage')
    // The first run of a command is slower than the others, which matters where there are many kills.
    if (isSoak) await measure(there(), around())
  })
  afterAll(() => schema?.close())

  const around = () => ({ cwd, env: { PGPASSWORD: server.cluster.password } })
  const address = () => `postgres://tester@127.0.0.1:${server.cluster.port}/${server.name}`
  const copy = (...args: readonly string[]) => ['migrate', '--only', 'storage', ...args]
  const there = () => schema.victim(copy('--data', data, '--to', address()))
  const back = () => intoFile(copy('--data', other, '--from', address()), file)
  const usage = (...args: readonly string[]) =>
    latchkeyHere(['storage', 'usage', '--json', ...args], around())

  test(`a copy of the catalogue into PostgreSQL, ${count} times`, { timeout }, async () => {
    const sides = sidesOf('migrate --only storage to PostgreSQL', 'repositories')
    const course = await measure(there(), around())
    const whole = await schema.rows()
    for (let round = 0; round < count; round += 1) {
      await killed(there(), around(), { course, chance })
      if (sides.note(await usage('--data', data, '--storage-database', address())) !== 'done')
        await done(there().args, around())
      expectSame(await schema.rows(), whole)
    }
    await back().reset()
    await done(back().args, around())
    expectSame(rowsIn(file()), before)
    sides.print()
  })

  test(`a copy of the catalogue into a file, ${count} times`, { timeout }, async () => {
    await there().reset()
    await done(there().args, around())
    const sides = sidesOf('migrate --only storage to a file', 'repositories')
    const course = await measure(back(), around())
    for (let round = 0; round < count; round += 1) {
      await killed(back(), around(), { course, chance })
      if (existsSync(file())) expect(complaints(file())).toEqual([])
      if (sides.note(await usage('--data', other)) !== 'done') await done(back().args, around())
      expect(complaints(file())).toEqual([])
      expectSame(rowsIn(file()), before)
    }
    sides.print()
  })
})
