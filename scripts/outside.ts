/** Installs the packages as npm gets them into empty folders, and tries them there on every Node, in JavaScript and TypeScript. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Cell, nameOf, smallTable, wholeTable } from './outside/cells.ts'
import { Missing } from './outside/install.ts'
import { openTable, type Table } from './outside/open-table.ts'
import { pin } from './outside/pin.ts'
import { packAll } from './pack.ts'

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { small: { type: 'boolean' }, pin: { type: 'boolean' } },
})
if (values.pin) await pin()
else process.exitCode = await tryAll(chosen())

/** Those whose name has all words of the command line, such as `gate-hono` and `"Node 22"`. */
function chosen(): readonly Cell[] {
  const table = values.small ? smallTable : wholeTable
  return table.filter((cell) => words.every((word) => nameOf(cell).includes(word)))
}

async function tryAll(cells: readonly Cell[]): Promise<number> {
  const tarballs = mkdtempSync(join(tmpdir(), 'latchkey-tarballs-'))
  const table = openTable(await packAll(tarballs))
  const outcomes: string[] = []
  try {
    for (const cell of cells) outcomes.push(await tryCell(cell, table))
  } finally {
    await table.close()
    rmSync(tarballs, { recursive: true })
  }
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length
  console.log(`\n${count('✓')} as they must be, ${count('✗')} not, ${count('-')} not tested here`)
  return count('✗') === 0 && count('✓') > 0 ? 0 : 1
}

async function tryCell(cell: Cell, table: Table): Promise<'✓' | '✗' | '-'> {
  const begun = performance.now()
  try {
    await table.try(cell)
    console.log(`✓ ${nameOf(cell)} (${((performance.now() - begun) / 1000).toFixed(1)} s)`)
    return '✓'
  } catch (error) {
    if (error instanceof Missing) {
      console.warn(`NOT TESTED HERE: ${nameOf(cell)}. ${error.message}`)
      return '-'
    }
    console.error(`✗ ${nameOf(cell)}\n${error}`)
    return '✗'
  }
}
