/** `latchkey ref …`: the verbs of refs, one of which reads a push from standard input. */

import { loseContent } from '@latchkey/admin-api'
import { isRefusal, parseCommitOrNone } from '@latchkey/protocol'
import { readAtMost } from '@latchkey/service/http/bodies'
import { quoteGiven } from '@latchkey/service/text'
import { Command } from 'commander'
import { z } from 'zod'
import { addManagementFlags, withManagement } from '../management/choose-management.ts'
import { verbCalled } from '../management/management.ts'
import { stopFor } from '../management/refusal-line.ts'
import { jsonText, print } from '../output/show-result.ts'
import { wrongUsage } from '../output/stop.ts'
import { table } from '../output/table.ts'
import { tell } from '../output/tell.ts'
import { nounCommand } from './noun.ts'
import { checkInput } from './verb-input.ts'

export function refCommand(): Command {
  return nounCommand('ref', 'manage branches, tags and other refs', [refUpdateCommand()])
}

type Flags = Readonly<Record<string, unknown>>

/** Larger than ten thousand lines with names of 255 bytes. */
const maxBytes = 8 * 1024 * 1024

function refUpdateCommand(): Command {
  const command = new Command('update')
    .description(
      'Updates the refs of a repository after a push, all or none, with one request. Reads the lines that git passes to a post-receive hook: old commit, new commit and full name of each ref, with zeros for none. It skips and lists names that no ref can have here.',
    )
    .argument('<repository>', 'The repository, such as models/acme/bert.')
    .option('--force', 'Set the refs without comparing their old commits first.')
    .option('--lose-content', loseContent.description)
    .addHelpText('after', teaching)
    .action(update)
  return addManagementFlags(command)
}

const teaching = `
Examples:
  latchkey ref update --hub https://hub.example models/acme/bert     in hooks/post-receive
  latchkey ref update --force models/acme/bert < push.txt            without comparing

The script examples/post-receive/post-receive is a whole hook.`

async function update(repository: string, flags: Flags): Promise<void> {
  const verb = verbCalled('ref update')
  const { updates, unreadable } = readLines(await readInput())
  const [force, losing] = [flags['force'] === true, flags['loseContent'] === true]
  const input = { repository, updates, force, loseContent: losing }
  checkInput(verb, input, (member) => names.get(member))
  const result = await withManagement(flags, { create: false }, (management) =>
    management.run(verb, input),
  )
  if (isRefusal(result)) throw stopFor(result, { words: verb.words, flags })
  const { changes, ignored } = updated.parse(result)
  const left = [...ignored, ...unreadable]
  if (flags['json'] === true) print(jsonText({ changes, ignored: left }))
  else if (changes.length > 0) print(table(changes))
  else tell('No change is needed; nothing has changed.')
  if (left.length > 0)
    tell(
      `Skipped, because no ref can have this name here, or a branch or tag has the same name: ${left.join(', ')}`,
    )
}

const names = new Map([['repository', '<repository>']])

const updated = z.object({
  changes: z.array(z.object({ did: z.string(), what: z.string(), name: z.string() })),
  ignored: z.array(z.string()),
})

async function readInput(): Promise<string> {
  if (process.stdin.isTTY) {
    throw wrongUsage(
      'the push is read from standard input: pipe it in, as the examples of --help do',
    )
  }
  const bytes = await readAtMost(process.stdin, maxBytes)
  if (bytes === undefined)
    throw wrongUsage('standard input has more than 8 MiB, which is too large for a push')
  return bytes.toString()
}

interface Push {
  readonly updates: readonly { readonly old: string; readonly new: string; readonly ref: string }[]
  /** Names that are no UTF-8: they cannot be sent as they are. */
  readonly unreadable: readonly string[]
}

function readLines(text: string): Push {
  const lines = text.split('\n').filter((line) => line !== '')
  if (lines.length === 0) throw wrongUsage('standard input is empty: expected lines "old new ref"')
  const all = lines.map((line, index) => {
    const [, old = '', next = '', ref = ''] = /^(\S+) (\S+) (refs\/.+)$/.exec(line) ?? []
    if ([old, next].some((commit) => parseCommitOrNone(commit) === undefined)) {
      throw wrongUsage(
        `line ${index + 1} of standard input: ${quoteGiven(line)} must be an old commit, a new commit and a full ref name, such as refs/heads/main`,
      )
    }
    return { old, new: next, ref }
  })
  const isReadable = ({ ref }: { ref: string }) => !ref.includes('\ufffd')
  const unreadable = all.filter((update) => !isReadable(update)).map(({ ref }) => ref)
  return { updates: all.filter(isReadable), unreadable }
}
