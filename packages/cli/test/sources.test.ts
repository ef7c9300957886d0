/** Most tests start the command bundled; people start the sources. */

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { startedFiles } from '@latchkey/testing/machine/started-files'
import { sources } from '@latchkey/testing/source-files'
import { expect, it } from 'vitest'

const packages = resolve(import.meta.dirname, '../..')

it('Node loads every source file as it is', () => {
  // These work when they are loaded; other tests start them.
  const started = Object.values(startedFiles)
  const files = sources.filter((file) => !started.includes(file))
  expect(files.length).toBeGreaterThan(500)
  const script = `for (const file of ${JSON.stringify(files)}) await import('${packages}/' + file)`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
