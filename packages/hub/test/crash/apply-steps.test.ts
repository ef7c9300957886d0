/** SIGKILL during `latchkey apply` of a large file: every step is before or after, and the same command finishes the work. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { complaints, type Dump, dump, meaning } from '@latchkey/testing/hub/dump'
import { type Prepared, placesIn, prepareData } from '@latchkey/testing/hub/prepared-data'
import { latchkeyJson } from '@latchkey/testing/machine/command'
import { copyOfData, sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { directoryFile } from './directory-file.ts'
import { expectToldByJournal } from './expect-told.ts'
import { type Course, killSomewhere, measure, type Victim } from './kill.ts'

const count = rounds(4, 200)
const seconds = 1000
const repositories = 1200
/** `main`, 12 branches made from it, and a tag. */
const refsOfEach = 14

let prepared: Prepared
let course: Course
let before: Record<string, unknown>
let after: Record<string, unknown>
const shared = sharedFolder()
beforeAll(async () => {
  prepared = await prepareData(shared, directoryFile(1, 12))
  before = held(dump(prepared.database))
  const { victim, database } = place('whole')
  await latchkeyJson(victim.args.slice(0, -1), victim.around)
  after = held(dump(database))
  course = await measure(place('measured').victim)
}, 120 * seconds)

test(
  `a large apply killed at ${count} random moments leaves whole steps, and the second run finishes`,
  async () => {
    const chance = printedChance('apply in steps')
    const ends = { 'as before': 0, between: 0, done: 0 }
    for (let round = 0; round < count; round += 1) {
      const { victim, database } = place()
      await killSomewhere(victim, course, chance)
      expect(complaints(database)).toEqual([])
      const left = dump(database)
      expectToldByJournal(left)
      expectWholeUnits(left)
      ends[endOf(left)] += 1
      await latchkeyJson(victim.args.slice(0, -1), victim.around)
      expect(held(dump(database))).toEqual(after)
    }
    process.stdout.write(`apply in steps: ${JSON.stringify(ends)}\n`)
  },
  count * 60 * seconds,
)

test('the file takes more than one transaction', () => {
  const numbers = new Set(
    dump(placesIn(join(shared, 'whole')).database)['refs']?.map((row) => row['forked_number']),
  )
  expect(numbers.size).toBeGreaterThan(2)
})

/** Neither a repository without its refs nor a hub token whose secret nobody was told before the rest was written. */
function expectWholeUnits(left: Dump): void {
  const refs = Map.groupBy(left['refs'] ?? [], (row) => row['repository_uid'])
  for (const { uid } of left['repositories'] ?? []) {
    expect(refs.get(uid)).toHaveLength(refsOfEach)
  }
  if (endOf(left) !== 'done') {
    const names = left['hub_tokens']?.map(({ name }) => name)
    expect(names).not.toContain('token-2')
  }
}

function endOf(left: Dump): 'as before' | 'between' | 'done' {
  const text = JSON.stringify(held(left))
  if (text === JSON.stringify(after)) return 'done'
  return text === JSON.stringify(before) ? 'as before' : 'between'
}

function place(name?: string): { victim: Victim; database: string } {
  const folder = name === undefined ? temporaryFolder() : shared
  const { data, database } = placesIn(copyOfData(prepared.data, join(folder, name ?? 'data')))
  const file = join(folder, 'directory.json')
  writeFileSync(file, JSON.stringify(directoryFile(2, repositories)))
  const args = ['apply', file, '--prune', '--json']
  const around = { cwd: folder, env: { LATCHKEY_DATA: data } }
  return { victim: { args, around, trace: `${database}-wal` }, database }
}

/** Without the journal and what follows from it, which tell how many runs there were. */
function held(all: Dump): Record<string, unknown> {
  const { journal, journal_head, cut_offs, ...tables } = meaning(all)
  return tables
}
