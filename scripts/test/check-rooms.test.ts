/** The check of the rooms finds what it is there to find. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const script = resolve(import.meta.dirname, '../check-rooms.ts')

function check(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-rooms-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const { status, stderr } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' })
  return { status, stderr }
}

const manifest = 'packages/service/package.json'
const entry = { './text': './src/text/index.ts' }

test('a package whose entries have names passes', () => {
  const found = check({ [manifest]: JSON.stringify({ exports: entry }) })
  expect(found).toEqual({ status: 0, stderr: '' })
})

test('a package that makes every file an entry is refused', () => {
  const found = check({
    [manifest]: JSON.stringify({ exports: { ...entry, './*': './src/*.ts' } }),
  })
  expect(found).toEqual({
    status: 1,
    stderr: `${manifest}: "./*" makes every file an entry\n`,
  })
})

test('a package that imports another one against the order is refused', () => {
  const file = 'packages/service/src/text/index.ts'
  const { status, stderr } = check({ [file]: "import { listen } from '@latchkey/hub'\n" })
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `${file}: service must not import hub\n`,
  })
})

test('a package that loads its kit for tests outside of that kit is refused', () => {
  const file = 'packages/gate/src/check/create-gate.ts'
  const { status, stderr } = check({
    [file]: "import { fakeHub } from '../testing/fake-hub.ts'\n",
    'packages/gate/src/testing/index.ts': "export { fakeHub } from './fake-hub.ts'\n",
  })
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `${file}: loads a kit for tests by ../testing/fake-hub.ts\n`,
  })
})

test('a gate that could sign tokens is refused', () => {
  const file = 'packages/gate/src/check/create-gate.ts'
  const { status, stderr } = check({
    [file]: "import { signToken } from '@latchkey/token/signing'\n",
  })
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `${file}: may not use @latchkey/token/signing\n`,
  })
})
