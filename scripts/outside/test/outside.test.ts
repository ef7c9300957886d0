/** The packages in the empty folders of other people: all cells of the table in a soak, a few otherwise. */

import { readFileSync } from 'node:fs'
import { rounds } from '@latchkey/testing/chance'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { bringNode } from '../bring-node.ts'
import { type Cell, nameOf, smallTable, wholeTable } from '../cells.ts'
import { lockfile, Missing } from '../install.ts'
import { openTable } from '../open-table.ts'
import { wanted } from '../pin.ts'

const isSoak = rounds(0, 1) === 1
const cells = isSoak ? wholeTable : smallTable
const named = cells.map((cell): [name: string, cell: Cell] => [nameOf(cell), cell])

test('the lockfile is of what the projects and packages name: npm run outside -- --pin', () => {
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8'))
  expect(packages['']).toEqual(wanted())
})

describe('from its tarball in an empty folder', () => {
  const table = openTable(inject('tarballs'), isSoak ? undefined : bringNode)
  afterAll(() => table.close())

  // conformance: Guarantees / Each package runs as installed, on every supported Node
  test.for(named)('%s does what it is for', async ([name, cell], { skip }) => {
    try {
      await table.try(cell)
    } catch (error) {
      if (!(error instanceof Missing)) throw error
      console.warn(`SKIPPED: ${name}: ${error.message}`)
      skip()
    }
  })
})
