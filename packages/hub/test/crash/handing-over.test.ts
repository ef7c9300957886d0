/** SIGKILL while the catalogue is moved out: opening again ends where an undisturbed move ends. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { complaints, type Dump, dump } from '@latchkey/testing/hub/dump'
import { bundledProgram } from '@latchkey/testing/machine/bundled-program'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import {
  catalogueFile,
  handOverCatalogue,
} from '../../src/stores/sqlite/handing-over/hand-over-catalogue.ts'
import { migrations } from '../../src/stores/sqlite/migrations/migrations.ts'
import { catalogueTables, oldDatabase } from '../stores/old-catalogue.ts'

let program: string
beforeAll(async () => {
  program = await bundledProgram(new URL('hand-over-and-die.ts', import.meta.url))
})
const seconds = 1000
const shared = sharedFolder()
const prepared = oldDatabase(shared)
const expected = dump(prepared)

test(
  'a move killed before any of its calls loses no row, and the next start finishes it',
  async () => {
    const { calls } = await move(Number.POSITIVE_INFINITY)
    expect(calls).toBeGreaterThanOrEqual(50)
    const ends = { unfinished: 0, finished: 0 }
    for (const some of inFours(pointsOf(calls))) {
      await Promise.all(
        some.map(async (point) => {
          const { file, folder } = await move(point)
          const held = [...rowsIn(dump(file)), ...rowsIn(dumpIfThere(catalogueFile(folder)))]
          expect(new Set(held), `killed at ${point}`).toEqual(new Set(rowsIn(expected)))
          ends[Object.hasOwn(dump(file), 'stored_xorbs') ? 'unfinished' : 'finished'] += 1
          handOverCatalogue({ file, folder, migrations })
          expectMoved(file, folder)
        }),
      )
    }
    expect(ends.unfinished).toBeGreaterThan(0)
    expect(ends.finished).toBeGreaterThan(0)
  },
  120 * seconds,
)

/** Every sixth call beginning anywhere, and the last two, between which the move is over; in a soak all of them. */
function pointsOf(calls: number): readonly number[] {
  const step = rounds(6, 1)
  const first = 1 + Math.floor(printedChance('handing over').next() * step)
  const points = Array.from({ length: calls }, (_, index) => index + 1)
  return points.filter((point) => (point - first) % step === 0 || point >= calls - 1)
}

function inFours(points: readonly number[]): number[][] {
  const count = Math.ceil(points.length / 4)
  return Array.from({ length: count }, (_, n) => points.slice(n * 4, n * 4 + 4))
}

/** Gives where the old database was, and how many calls a move takes that nobody kills. */
async function move(point: number) {
  const folder = mkdtempSync(join(shared, 'move-'))
  const file = join(folder, 'hub.db')
  cpSync(prepared, file)
  const child = spawn(process.execPath, [program, file, folder, String(point)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect(child.signalCode, stdout).toBe(Number.isFinite(point) ? 'SIGKILL' : null)
  return { folder, file, calls: Number(stdout) }
}

function expectMoved(file: string, folder: string): void {
  const { handed_over, ...moved } = dump(catalogueFile(folder))
  expect(rowsIn(moved)).toEqual(rowsIn(expected))
  expect(moved['sqlite_sequence']).toEqual([{ name: 'stored_files', seq: 2 }])
  const left = dump(file)
  expect(handed_over).toEqual([{ number: left['journal_head']?.[0]?.['number'] }])
  expect(rowsIn(left)).toEqual([])
  expect(complaints(file)).toEqual([])
  expect(complaints(catalogueFile(folder))).toEqual([])
}

function rowsIn(all: Dump): string[] {
  return catalogueTables.flatMap((table) => (all[table] ?? []).map((row) => JSON.stringify(row)))
}

/** Before the copy has its name, there is nothing that a storage would read. */
function dumpIfThere(file: string): Dump {
  return existsSync(file) ? dump(file) : {}
}
