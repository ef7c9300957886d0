/** `latchkey version`: which version this is, the commit that it was built from, and the Node that runs it. */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { jsonText, print } from '../output/show-result.ts'
import { record } from '../output/table.ts'

export function versionCommand(): Command {
  return new Command('version')
    .description(
      'Prints the version of latchkey, the commit that it was built from, and the version and path of the Node that runs it.',
    )
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(({ json }: { readonly json?: boolean }) => {
      const { version: node, execPath: nodePath } = process
      const row = { version: manifest.version, commit: findCommit(), node, nodePath }
      print(json === true ? jsonText(row) : record(row))
    })
}

const teaching = `
Examples:
  latchkey version
  latchkey version --json`

/** A package has its commit in a file beside the code; a checkout asks git. */
function findCommit(): string {
  try {
    return readFileSync(join(import.meta.dirname, 'commit.txt'), 'utf8').trim()
  } catch {
    return commitOfCheckout() ?? 'unknown'
  }
}

/** Ends with -dirty where files were changed since that commit. */
function commitOfCheckout(): string | undefined {
  const [, root = ''] = /^(.+)[/\\]packages[/\\]cli[/\\]/.exec(import.meta.dirname) ?? []
  if (!existsSync(join(root, '.git'))) return undefined
  const words = ['-C', root, 'describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']
  const { status, stdout } = spawnSync('git', words, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', GIT_OPTIONAL_LOCKS: '0' },
  })
  return status === 0 ? stdout.trim() : undefined
}
