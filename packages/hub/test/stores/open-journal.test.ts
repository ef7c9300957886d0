/** The journal of a file that is no database is refused, and the file is closed. */

import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openJournal } from '../../src/stores/sqlite/open-store.ts'

const descriptors = '/proc/self/fd'

/** What this process has open. */
function openFiles(): readonly string[] {
  return readdirSync(descriptors).flatMap((name) => {
    try {
      return [readlinkSync(join(descriptors, name))]
    } catch {
      // The descriptor that was open for reading the folder.
      return []
    }
  })
}

test.skipIf(!existsSync(descriptors))('a file that is no database stays closed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-journal-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'latchkey.db')
  writeFileSync(file, 'no database '.repeat(1000))
  expect(() => openJournal(file)).toThrow('is damaged or is no Latchkey database')
  expect(openFiles()).not.toContain(file)
})
