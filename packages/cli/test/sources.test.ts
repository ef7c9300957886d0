/** Most tests start the command as `npm ci` has bundled it; it must run without that as well. */

import { spawnSync } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { codeOf, sources } from '@latchkey/testing/source-files'
import { expect, it } from 'vitest'
import { startedFiles } from '../../../scripts/packages/started-files.ts'

const program = 'packages/conform/src/command/main.ts'
const root = resolve(import.meta.dirname, '../../..')

it('each file that is started by its address is in the bundle under the name that its starter uses', () => {
  const entries = sources.flatMap((file) =>
    Array.from(
      codeOf(file).matchAll(/new URL\('\.\/([^']+)\.ts', import\.meta\.url\)/g),
      ([, name]) => [name, `packages/${join(dirname(file), `${name}.ts`)}`],
    ),
  )
  expect(entries.length).toBeGreaterThan(10)
  expect(startedFiles).toMatchObject(Object.fromEntries(entries))
})

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
