/** SIGKILL during `latchkey apply`: the directory is as it was, or as the file says. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret } from '@latchkey/protocol'
import { printedChance, printSides, rounds } from '@latchkey/testing/chance'
import { complaints, dump, meaning } from '@latchkey/testing/hub/dump'
import { type Prepared, placesIn, prepareData } from '@latchkey/testing/hub/prepared-data'
import { copyOfData, sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { hashHubToken } from '../../src/identity/hub-token.ts'
import { directoryFile } from './directory-file.ts'
import { expectToldByJournal } from './expect-told.ts'
import { type Course, killSomewhere, measure, type Victim } from './kill.ts'

/** With the kills of an apply in steps, these are 20. */
const count = rounds(8, 200)
const seconds = 1000
const atOnce = 4
/** So few that the file is one transaction. */
const few = { repositories: 20, persons: 24 }

interface Applied {
  readonly hubTokens: readonly { readonly account: string; readonly token: string }[]
}

let prepared: Prepared
let course: Course
let before: Record<string, string[]>
let after: Record<string, string[]>
const shared = sharedFolder()
beforeAll(async () => {
  prepared = await prepareData(shared, directoryFile(1, few))
  before = meaning(dump(prepared.database))
  const { victim, database } = place('whole')
  course = await measure(victim)
  after = meaning(dump(database))
})

// conformance: Guarantees / A kill loses no acknowledged write
test(
  `apply killed at ${count} random moments leaves the directory before or after, never between`,
  async () => {
    const chance = printedChance('apply')
    const sides = { before: 0, after: 0 }
    const killOnce = async ({ victim, database }: ReturnType<typeof place>) => {
      const { stdout, code } = await killSomewhere(victim, course, chance)
      expect(complaints(database)).toEqual([])
      const left = dump(database)
      expectToldByJournal(left)
      const acknowledged = readApplied(stdout)
      const changed = JSON.stringify(meaning(left)) === JSON.stringify(after)
      sides[changed ? 'after' : 'before'] += 1
      if (!changed) expect(meaning(left)).toEqual(before)
      if (acknowledged !== undefined || code === 0) expect(changed).toBe(true)
      for (const { token } of acknowledged?.hubTokens ?? []) {
        const hash = hashHubToken(new Secret('hub-token', token))
        expect(left['hub_tokens']?.map((row) => row['secret_hash'])).toContain(hash)
      }
    }
    for (let round = 0; round < count; round += atOnce) {
      const some = Array.from({ length: Math.min(atOnce, count - round) }, () => place())
      await Promise.all(some.map(killOnce))
    }
    printSides('apply', sides)
  },
  count * 40 * seconds,
)

test('the file makes a change worth interrupting', () => {
  expect(after).not.toEqual(before)
  expect(after['refs']?.length).toBeGreaterThan(250)
  const { refs = [] } = dump(placesIn(join(shared, 'whole')).database)
  const forks = refs.map((row) => row['forked_number']).filter((number) => number !== null)
  expect(new Set(forks).size).toBe(1)
})

function place(name?: string): { victim: Victim; database: string } {
  const folder = name === undefined ? temporaryFolder() : shared
  const { data, database } = placesIn(copyOfData(prepared.data, join(folder, name ?? 'data')))
  const file = join(folder, 'directory.json')
  writeFileSync(file, JSON.stringify(directoryFile(2, few)))
  const args = ['apply', file, '--prune', '--json']
  const around = { cwd: folder, env: { LATCHKEY_DATA: data } }
  return { victim: { args, around, trace: `${database}-wal` }, database }
}

/** Undefined unless the whole answer was printed. */
function readApplied(stdout: string): Applied | undefined {
  try {
    return JSON.parse(stdout)
  } catch {
    return undefined
  }
}
