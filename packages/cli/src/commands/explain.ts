/** `latchkey explain token write models/acme/bert@main --as ada`: why this would be allowed or refused. */

import { readFileSync } from 'node:fs'
import { isRefusal, scopes } from '@latchkey/protocol'
import { escapeText } from '@latchkey/service/text'
import { Command } from 'commander'
import { z } from 'zod'
import { splitTarget, targetForm } from '../client/target.ts'
import { addOptionFlags } from '../configuration/flags.ts'
import { addManagementFlags, withManagement } from '../management/choose-management.ts'
import { verbCalled } from '../management/management.ts'
import { stopFor } from '../management/refusal-line.ts'
import { cannotRead } from '../output/cannot-read.ts'
import { colours } from '../output/colours.ts'
import { jsonText, print } from '../output/show-result.ts'
import { exitCodes } from '../output/stop.ts'
import { choice } from './choice.ts'
import { checkInput } from './verb-input.ts'

type Flags = Readonly<Record<string, unknown>>

export function explainCommand(): Command {
  const explain = new Command('explain').description(
    'Explains step by step why a request would be allowed or refused. Changes nothing.',
  )
  const token = explain
    .command('token')
    .description(
      'Checks a token request as the hub would, without issuing a token. Exits with 0 if the hub would allow it, and with 1 if it would refuse it.',
    )
    .addArgument(choice('<scope>', 'the scope of the storage token', scopes))
    .argument('<target>', targetForm)
    .requiredOption('--as <account>', 'The account of the request.')
    .option('--with <id>', 'The id of its hub token; without it, any write token.')
    .addHelpText('after', teaching)
    .action(explainToken)
  addOptionFlags(addManagementFlags(token), 'explain')
  const signIn = explain
    .command('sign-in')
    .description(
      'Says what a sign-in with the claims of an id token would end with: which conditions hold, which account it would be, and whether the session would be fresh. Exits with 0 if the hub would open a session, and with 1 if it would refuse.',
    )
    .argument('<provider>', 'The name of the identity provider in the configuration.')
    .requiredOption('--claims <claims>', 'The claims as JSON, or a file that has them.')
    .addHelpText('after', teachingSignIn)
    .action(explainSignIn)
  addOptionFlags(addManagementFlags(signIn), 'explain-sign-in')
  return explain
}

const teaching = `
Examples:
  latchkey explain token write models/acme/bert@main --as ada
  latchkey explain token read datasets/acme/corpus@refs/pr/1 --as ci-bot --with <hub token id>`

const teachingSignIn = `
Examples:
  latchkey explain sign-in corp --claims '{"sub":"6d1f"}' --config hub.json
  latchkey explain sign-in corp --claims claims.json --hub https://hub.example

The settings of the provider come from --config, or from the hub of --hub.`

async function explainSignIn(provider: string, flags: Flags): Promise<void> {
  const payload = claimsIn(String(flags['claims']))
  const called = (member: string) => (member === 'provider' ? '<provider>' : '--claims')
  await run('explain sign-in', { provider, payload }, { called, flags })
}

/** JSON begins with a brace; anything else is a file. */
function claimsIn(text: string): string {
  if (text.trimStart().startsWith('{')) return text
  try {
    return readFileSync(text, 'utf8')
  } catch (error) {
    throw cannotRead(text, error)
  }
}

async function explainToken(scope: string, target: string, flags: Flags): Promise<void> {
  const called = (member: string) => names.get(member)
  await run('explain', inputFrom(scope, target, flags), { called, flags })
}

interface Typed {
  readonly called: (member: string) => string | undefined
  readonly flags: Flags
}

async function run(
  words: 'explain' | 'explain sign-in',
  input: Flags,
  { called, flags }: Typed,
): Promise<void> {
  const verb = verbCalled(words)
  checkInput(verb, input, called)
  const result = await withManagement(flags, { create: false }, (management) =>
    management.run(verb, input),
  )
  if (isRefusal(result)) {
    throw stopFor(result, { words: words === 'explain' ? 'explain token' : words, flags })
  }
  const explanation = explained.parse(result)
  print(flags['json'] === true ? jsonText(explanation) : render(explanation))
  process.exitCode = explanation.allowed ? exitCodes.done : exitCodes.refused
}

/** This command's names for the members of the operation's input. */
const names = new Map([
  ['scope', '<scope>'],
  ['repository', '<target>'],
  ['revision', '<target>'],
  ['account', '--as'],
  ['hubToken', '--with'],
])

function inputFrom(scope: string, target: string, flags: Flags): Flags {
  const { as: account, with: hubToken } = flags
  return {
    scope,
    ...splitTarget(target),
    account,
    ...(hubToken === undefined ? {} : { hubToken }),
  }
}

const explained = z.object({
  allowed: z.boolean(),
  code: z.string().optional(),
  detail: z.string(),
  steps: z.array(z.object({ step: z.string(), passed: z.boolean(), detail: z.string() })),
})

function render({ allowed, code, detail, steps }: z.output<typeof explained>): string {
  const { green, red } = colours(process.stdout)
  const width = Math.max(...steps.map(({ step }) => step.length))
  const lines = steps.map(({ step, passed, detail }) => {
    return `${passed ? green('✓') : red('✗')} ${escapeText(step).padEnd(width)}  ${escapeText(detail)}`
  })
  const outcome = allowed ? green('allowed') : red(`refused (${code})`)
  return `${[...lines, '', `${outcome}: ${escapeText(detail)}`].join('\n')}\n`
}
