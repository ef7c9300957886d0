/** `latchkey apply FILE`: the directory becomes as the file says, all of it or nothing. */

import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { loseContent } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import { Command } from 'commander'
import { z } from 'zod'
import { addManagementFlags, withManagement } from '../management/choose-management.ts'
import { verbCalled } from '../management/management.ts'
import { stopFor } from '../management/refusal-line.ts'
import { cannotRead } from '../output/cannot-read.ts'
import { jsonText, type Output, print, withOutput } from '../output/show-result.ts'
import { type TableRow, table } from '../output/table.ts'
import { tell } from '../output/tell.ts'

type Flags = Readonly<Record<string, unknown>>

export function applyCommand(): Command {
  const command = new Command('apply')
    .description(
      'Creates and changes accounts, namespaces, repositories and hub tokens as FILE describes, all or none. Objects that the file does not name stay. A list inside a named object replaces the stored list. Applying a file again changes nothing. New hub tokens are shown only once.',
    )
    .argument('<file>', 'a JSON file, or - for standard input')
    .option('--prune', 'Delete objects that the file does not name, in the sections that it has.')
    .option(
      '--dry-run',
      'List the objects that would be created, changed and deleted, and change nothing.',
    )
    .option('--lose-content', loseContent.description)
    .addHelpText('after', teaching)
    .action(apply)
  return addManagementFlags(command, { makesToken: true })
}

const teaching = `
Example file:
  { "accounts":     [{ "name": "ada", "administrator": true }],
    "namespaces":   [{ "name": "acme", "members": { "ada": "admin" } }],
    "repositories": [{ "type": "model", "id": "acme/bert", "visibility": "private",
                       "refRules": [{ "pattern": "main", "write": "admin" }] }],
    "hubTokens":    [{ "account": "ada", "name": "laptop", "kind": "write" }] }

Examples:
  latchkey apply directory.json
  latchkey apply directory.json --prune --dry-run
  latchkey apply directory.json --output new-tokens.json
  generate-directory | latchkey apply - --prune --json

If the file has a mistake, the command prints its position, for example
repositories[2].branches.main, and changes nothing.`

async function apply(path: string, flags: Flags): Promise<void> {
  const [prune, dryRun] = [flags['prune'] === true, flags['dryRun'] === true]
  const file = await readInputFile(path)
  const input = { file, prune, dryRun, loseContent: flags['loseContent'] === true }
  const { output: _, ...others } = flags
  // A dry run makes no hub token, and a file without one would stand in the way of the real run.
  await withOutput(dryRun ? others : flags, async (output) => {
    const result = await withManagement(flags, dryRun ? dry : { create: true }, (management) =>
      management.run(verbCalled('apply'), input),
    )
    if (isRefusal(result)) throw stopFor(result, { words: 'apply', flags })
    show(applied.parse(result), output)
  })
}

const dry = {
  create: false,
  ifMissing: `A dry run needs a database to compare the file with. Pass the hub's data directory with --data; or, to create a new one from the file, run latchkey apply without --dry-run.`,
}

/** The answer of the verb, whichever way it was asked. */
const applied = z.object({
  dryRun: z.boolean().default(false),
  hubTokens: z.array(z.object({ account: z.string(), name: z.string(), token: z.string() })),
  changes: z.array(z.object({ did: z.string(), what: z.string(), name: z.string() })),
})

async function readInputFile(path: string): Promise<string> {
  try {
    return path === '-' ? await text(process.stdin) : await readFile(path, 'utf8')
  } catch (error) {
    throw cannotRead(path, error)
  }
}

function show(result: z.output<typeof applied>, { json, keepSecret }: Output): void {
  const { hubTokens, changes, dryRun } = result
  if (hubTokens.length > 0) keepSecret?.(jsonText({ hubTokens }))
  const printedTokens =
    keepSecret === undefined ? hubTokens : hubTokens.map(({ token, ...rest }) => rest)
  if (json) print(jsonText({ hubTokens: printedTokens, changes, ...(dryRun ? { dryRun } : {}) }))
  else showToPeople(printedTokens, changes)
  if (dryRun && changes.length > 0) tell('These changes would be made; nothing has changed.')
}

function showToPeople(hubTokens: readonly TableRow[], changes: readonly TableRow[]): void {
  if (changes.length === 0) tell('No change is needed; nothing has changed.')
  else print(table(changes))
  if (hubTokens.length === 0) return
  print(`\n${table(hubTokens)}`)
  if (hubTokens.some((row) => 'token' in row)) {
    tell('The tokens are shown only once: keep them in a safe place.')
  }
}
