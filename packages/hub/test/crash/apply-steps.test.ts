/** SIGKILL during `apply` in steps, on both databases: every step is before or after, and the same file finishes the work. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Chance, printedChance, rounds } from '@latchkey/testing/chance'
import { complaints, type Dump, meaning } from '@latchkey/testing/hub/dump'
import { bundledProgram } from '@latchkey/testing/machine/bundled-program'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectToldByJournal } from './expect-told.ts'
import { applyEdition, dumpOf, openPlace, refsOfEach } from './stepped-directory.ts'

const atOnce = 4
const timeout = rounds(600_000, 3_600_000)
let program: string
beforeAll(async () => {
  program = await bundledProgram(new URL('apply-and-die.ts', import.meta.url))
})
const isMissing = isPostgresMissing('no apply is killed on it')

interface Places {
  prepared(): Promise<string>
  /** Another directory that is as the prepared one. */
  copy(name: string): Promise<string>
  /** After a look at it. */
  remove(place: string): Promise<void>
  complaints(place: string): readonly unknown[]
}

const folder = sharedFolder()
const inFiles: Places = {
  prepared: async () => join(folder, 'prepared.db'),
  async copy(name) {
    const file = join(folder, `${name}.db`)
    cpSync(await inFiles.prepared(), file)
    return file
  },
  remove: async () => {},
  complaints,
}

let own: OwnDatabase
const inPostgres: Places = {
  async prepared() {
    own = await ownDatabase()
    return own.url
  },
  copy: async () => own.cluster.url(await own.cluster.createDatabase(`template ${own.name}`)),
  remove: (place) => own.cluster.dropDatabase(new URL(place).pathname.slice(1)),
  complaints: () => [],
}

// With the kills of an apply that is one transaction, these are 20.
describe('a file', () => killApply('SQLite', rounds(8, 200), inFiles))
describe.skipIf(isMissing)('PostgreSQL', () => killApply('PostgreSQL', rounds(4, 200), inPostgres))

function killApply(kind: string, count: number, places: Places): void {
  let before: Record<string, unknown>
  let after: Record<string, unknown>
  let course: Course
  beforeAll(async () => {
    before = held(await applied(await places.prepared(), 1))
    const place = await places.copy('whole')
    const { said } = await apply(place, Number.POSITIVE_INFINITY)
    course = JSON.parse(said)
    after = held(await look(place))
  }, timeout)

  test(`an apply in steps on ${kind} killed at ${count} random points leaves whole steps, and the second run finishes`, {
    timeout,
  }, async () => {
    const chance = printedChance(`apply in steps on ${kind}`)
    const ends = { 'as before': 0, between: 0, done: 0 }
    const points = pointsOf(course, count, chance)
    const killOnce = async (place: string, point: number) => {
      const { signal, said } = await apply(place, point)
      // Between two runs the number of calls differs a little.
      expect(signal ?? `ended: ${said}`).toMatch(/^SIGKILL$|^ended: \{.*\}$/)
      expect(places.complaints(place)).toEqual([])
      const store = await openPlace(place)
      const left = await dumpOf(store)
      expectToldByJournal(left)
      const end = endOf(left)
      expectWholeUnits(left, end)
      ends[end] += 1
      await applyEdition(store, 2)
      expect(held(await dumpOf(store))).toEqual(after)
      await store.close()
      await places.remove(place)
    }
    for (let round = 0; round < count; round += atOnce) {
      const some: [string, number][] = []
      for (const [n, point] of points.slice(round, round + atOnce).entries()) {
        some.push([await places.copy(`round-${round + n}`), point])
      }
      await Promise.all(some.map(([place, point]) => killOnce(place, point)))
    }
    process.stdout.write(`apply in steps on ${kind}: ${JSON.stringify(ends)}\n`)
    expect(ends.between).toBeGreaterThan(0)
  })

  test(`the file takes more than one transaction on ${kind}`, () => {
    expect(course.commits.length).toBeGreaterThan(1)
  })

  function endOf(left: Dump): 'as before' | 'between' | 'done' {
    const now = JSON.stringify(held(left))
    if (now === JSON.stringify(after)) return 'done'
    return now === JSON.stringify(before) ? 'as before' : 'between'
  }
}

/** What the program tells of a run that nobody kills. */
interface Course {
  readonly calls: number
  /** Which of the calls were commits of a step. */
  readonly commits: readonly number[]
}

/** Half of the kills hit the steps between the first commit and the last, each a part of its own; the others any call. */
function pointsOf({ calls, commits }: Course, count: number, chance: Chance): readonly number[] {
  const [first = 0, last = calls] = [commits[0], commits.at(-1)]
  const between = Math.ceil(count / 2)
  return Array.from({ length: count }, (_, n) =>
    n < between
      ? first + 1 + Math.floor(((n + chance.next()) / between) * (last - first))
      : 1 + Math.floor(chance.next() * calls),
  )
}

/** Runs the program; without a point it comes to its end. */
async function apply(place: string, point: number) {
  const child = spawn(process.execPath, [program, place, String(point)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { signal: child.signalCode, said }
}

async function applied(place: string, edition: 1 | 2): Promise<Dump> {
  const store = await openPlace(place)
  await applyEdition(store, edition)
  const all = await dumpOf(store)
  await store.close()
  return all
}

async function look(place: string): Promise<Dump> {
  const store = await openPlace(place)
  const all = await dumpOf(store)
  await store.close()
  return all
}

/** Neither a repository without its refs nor a hub token whose secret nobody was told before the rest was written. */
function expectWholeUnits(left: Dump, end: string): void {
  const refs = Map.groupBy(left['refs'] ?? [], (row) => row['repository_uid'])
  for (const { uid } of left['repositories'] ?? []) {
    expect(refs.get(uid)).toHaveLength(refsOfEach)
  }
  const names = left['hub_tokens']?.map(({ name }) => name)
  if (end !== 'done') expect(names).not.toContain('token-2')
}

/** Without the journal and what follows from it, which tell how many runs there were. */
function held(all: Dump): Record<string, unknown> {
  const { journal, journal_head, cut_offs, ...tables } = all
  return meaning(tables)
}
