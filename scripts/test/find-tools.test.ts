/** What the test command installs: announced before, not without permission, and nothing that is not pinned. */

import { spawnSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'

const scripts = join(import.meta.dirname, '..')

/** On a machine that has neither the tool nor npm, so that nothing can really be installed. */
function findDeno(env: Readonly<Record<string, string>>) {
  const tools = temporaryFolder()
  const { stdout, stderr } = spawnSync(process.execPath, ['find-tools.ts', 'deno'], {
    cwd: scripts,
    env: { PATH: '/nowhere', LATCHKEY_TEST_TOOLS: tools, ...env },
    encoding: 'utf8',
  })
  return { stdout, stderr, left: readdirSync(tools) }
}

// conformance: Attacks / 49. An attacker uses the test command to change the machine
test('what is about to be installed is said in one line, with the way to say no', () => {
  const { stdout, stderr } = findDeno({})
  expect(stdout).toMatch(
    /^About to install [^\n]*: deno\. LATCHKEY_TEST_INSTALL=no forbids it\.\n$/,
  )
  expect(stderr).toContain('NOT FOUND: deno. It is not tested that')
})

// conformance: Attacks / 49. An attacker uses the test command to change the machine
test('nothing is installed where it is forbidden, and what is not tested is said', () => {
  const { stdout, stderr, left } = findDeno({ LATCHKEY_TEST_INSTALL: 'no' })
  expect([stdout, left]).toEqual(['', []])
  expect(stderr).toContain('NOT FOUND: deno. It is not tested that')
})

// conformance: Attacks / 49. An attacker uses the test command to change the machine
test.each(globSync('tools/requirements/*.txt', { cwd: scripts }))(
  'every package of %s is pinned by hash',
  (file) => {
    const text = readFileSync(join(scripts, file), 'utf8')
    const parts = text.split(/\n(?=\S)/).filter((part) => part.trim() !== '')
    // One that is read along is checked as a file of its own.
    const packages = parts.filter((part) => !/^-r [\w.-]+\.txt$/.test(part))
    expect(packages.length).toBeGreaterThan(1)
    const loose = packages.filter((part) => !/^[\w.-]+==\S+[\s\S]*--hash=sha256:/.test(part))
    expect(loose).toEqual([])
  },
)
