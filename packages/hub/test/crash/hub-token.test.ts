/** SIGKILL during `latchkey hub-token create`: a token that was shown works; one that was not leaves nothing half made. */

import { join } from 'node:path'
import { printedChance, printSides, rounds } from '@latchkey/testing/chance'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import { complaints, type Dump, dump } from '@latchkey/testing/hub/dump'
import { type Prepared, prepareData, startQuietly } from '@latchkey/testing/hub/prepared-data'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { expectToldByJournal } from './expect-told.ts'
import { type Course, killSomewhere, measure, type Victim } from './kill.ts'

const count = rounds(3, 60)
const seconds = 1000

let prepared: Prepared
let course: Course
const shared = sharedFolder()
beforeAll(async () => {
  prepared = await prepareData(join(shared))
  course = await measure(creating('measured'))
})

test(
  `hub-token create killed at ${count} random moments makes the token or none, and a shown one works`,
  async () => {
    const chance = printedChance('hub-token create')
    const sides = { before: 0, after: 0 }
    for (let round = 0; round < count; round += 1) {
      const before = dump(prepared.database)
      const { stdout } = await killSomewhere(creating(`token-${round}`), course, chance)
      const shown = /"token": "(\w+)"/.exec(stdout)?.[1]

      expect(complaints(prepared.database)).toEqual([])
      const left = dump(prepared.database)
      expectToldByJournal(left)
      const made = newTokens(before, left)
      expect(made).toEqual(made.length === 0 ? [] : [`token-${round}`])
      sides[made.length === 0 ? 'before' : 'after'] += 1
      if (shown === undefined) continue
      expect(made).toHaveLength(1)
      expect(await statusOf(shown)).toBe(200)
    }
    printSides('hub-token create', sides)
  },
  count * 20 * seconds,
)

function creating(name: string): Victim {
  const { data, database } = prepared
  return {
    args: ['hub-token', 'create', 'writer', name, '--kind', 'write', '--json'],
    around: { cwd: shared, env: { LATCHKEY_DATA: data } },
    trace: `${database}-wal`,
  }
}

/** The names of new hub tokens, each with its journal entry; everything else must be what it was. */
function newTokens(before: Dump, after: Dump): unknown[] {
  const { hub_tokens: had = [], journal: told = [], journal_head, ...othersBefore } = before
  const { hub_tokens: has = [], journal: tells = [], journal_head: head, ...othersAfter } = after
  expect(othersAfter).toEqual(othersBefore)
  expect(has.slice(0, had.length)).toEqual(had)
  expect(tells.slice(0, told.length)).toEqual(told)
  const made = has.slice(had.length)
  expect(tells.slice(told.length)).toMatchObject(
    made.map(({ id }) => ({ verb: 'hub-token create', did: 'created', hub_token_id: id })),
  )
  if (made.length === 0) expect(head).toEqual(journal_head)
  return made.map(({ name }) => name)
}

async function statusOf(token: string): Promise<number> {
  const hub = await startQuietly(prepared.data)
  try {
    return (await askHub(hub.url, 'write models/acme/bert@main', { token })).status
  } finally {
    await hub.stop()
  }
}
