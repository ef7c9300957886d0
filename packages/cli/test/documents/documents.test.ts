/** Every command of the documents is run: here, in order, beside a hub that runs; or by the test that `elsewhere` names. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../run-latchkey.ts'
import { before } from './before.ts'
import { blocksOf, commandsIn, languagesOf, pages, root } from './commands.ts'
import { elsewhere } from './elsewhere.ts'
import { openTerminal, type Terminal } from './terminal.ts'

/** What is seen of it beyond an end without failure. */
const seen: Readonly<Record<string, RegExp>> = {
  'docs/guides/forward-auth.md': /401\n404\n401\n403\n400\n403\n$/,
  'docs/guides/gateway.md': /^HTTP\/1\.1 404 /m,
  // Servers alone, whose log is read until they are ready.
  'examples/README.md': /^$/,
}

/** They revoke, rotate and restore what other pages use. */
const breaking = new Set([
  'docs/guides/apply-file.md',
  'docs/guides/backup-and-restore.md',
  'docs/guides/ci-without-secrets.md',
  'docs/guides/git-hook.md',
  'docs/guides/revoke-access.md',
  'docs/guides/rotate-keys.md',
  'docs/guides/separate-storage.md',
  'docs/guides/several-storages.md',
  'docs/guides/sign-in.md',
  'docs/guides/teams.md',
  'docs/guides/users-and-roles.md',
])
const isRunElsewhere = (page: string, command: string) =>
  elsewhere.some((row) => row.page.test(page) && row.command.test(command))

const pasted = pages.flatMap((page) => {
  const blocks = blocksOf(page).filter(
    (block) => !commandsIn(block).every((command) => isRunElsewhere(page, command)),
  )
  return blocks.length > 0 ? [[page, blocks] as const] : []
})

describe('the commands of', () => {
  const missing = ['bash', 'curl', 'git', 'jq', 'tar'].filter(
    (name) => findProgram(name) === undefined,
  )
  const isMissing = missing.length > 0
  if (isMissing)
    console.warn(
      `SKIPPED: the commands of the documents are not run, because ${missing.join(', ')} cannot be found`,
    )

  const shared = sharedFolder()
  let terminal: Terminal
  beforeAll(async () => {
    if (isMissing) return
    terminal = await openTerminal(shared)
    return terminal.close
  })
  const ownTerminal = async () => {
    const own = await openTerminal(temporaryDirectory())
    onTestFinished(own.close)
    return own
  }

  test.skipIf(isMissing).for(pasted)('%s do what they say', async ([page, blocks]) => {
    const { paste } = breaking.has(page) ? await ownTerminal() : terminal
    const { code, stdout, stderr } = await paste(blocks.flatMap(prepared))
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(seen[page] ?? /./)
  })
})

function prepared(block: string): readonly string[] {
  const found = Object.keys(before).filter((beginning) => block.startsWith(beginning))
  return [...found.map((beginning) => before[beginning] ?? ''), block]
}

test('every block of commands is marked as one, and every preparation belongs to one', () => {
  const languages = new Set(pages.flatMap(languagesOf))
  const known = ['', 'sh', 'text', 'ts', 'python', 'go', 'json', 'http', 'ini', 'html', 'yaml']
  expect(languages.difference(new Set(known))).toEqual(new Set())
  const blocks = pasted.flatMap(([, own]) => own)
  const unused = Object.keys(before).filter(
    (beginning) => !blocks.some((block) => block.startsWith(beginning)),
  )
  expect(unused).toEqual([])
})

test.each(elsewhere)('$test runs what is not run here', ({ page, command, test }) => {
  const shown = pages
    .filter((each) => page.test(each))
    .flatMap(blocksOf)
    .flatMap(commandsIn)
  expect(shown.filter((each) => command.test(each))).not.toEqual([])
  expect(existsSync(join(root, test))).toBe(true)
})
