/** Most tests start the command as `npm ci` has bundled it; it must run without that as well. */

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { sources } from '@latchkey/testing/source-files'
import { expect, it } from 'vitest'
import { startedFiles } from '../../../scripts/packages/started-files.ts'

const program = 'packages/conform/src/command/main.ts'
const root = resolve(import.meta.dirname, '../../..')

it('Node loads every source file as it is', () => {
  // These work when they are loaded; other tests start them.
  const started = Object.values(startedFiles)
  const files = sources
    .map((file) => `packages/${file}`)
    .filter((file) => ![...started, program].includes(file))
  expect(files.length).toBeGreaterThan(500)
  const script = `for (const file of ${JSON.stringify(files)}) await import('${root}/' + file)`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
