/** A verb of the directory as a command: its row says what it takes, does and gives. */

import { longestPage, type Verb } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import type { Command } from 'commander'
import { placeFlags } from '../configuration/place-flags.ts'
import { addManagementFlags, withManagement } from '../management/choose-management.ts'
import type { Input, Management } from '../management/management.ts'
import { stopFor } from '../management/refusal-line.ts'
import { withOutput } from '../output/output.ts'
import { showResult } from '../output/show-result.ts'
import { flagFor, type Parameter, parametersOf } from './parameter.ts'
import { readPipedSecret } from './piped-secret.ts'
import { addParameters, checkInput, inputFrom, namesOf } from './verb-input.ts'

const samples: Readonly<Record<string, string>> = {
  account: 'ada',
  namespace: 'acme',
  repository: 'models/acme/bert',
  ref: 'main',
  pattern: "'release/*'",
  hash: '<full hash>',
  commit: '<full hash>',
  hubToken: '<id>',
  kid: '<kid>',
  kind: 'write',
}

/** Names of new things, by the verb that makes them. */
const newNames: Readonly<Record<string, string>> = {
  'account create': 'ada',
  'namespace create': 'acme',
  'hub-token create': 'laptop',
}

/** A verb as somebody might type it, for its help. */
function exampleOf(verb: Verb, parameters: readonly Parameter[]): string {
  const sample = ({ member, choices }: Parameter) =>
    samples[member] ?? choices?.at(-1) ?? newNames[verb.words] ?? '<text>'
  const positional = parameters.filter(({ member }) => verb.positional.includes(member))
  const piped = parameters.some(({ form }) => form === 'secret')
  const options = parameters.filter(
    (one) => one.required && one.form !== 'secret' && !positional.includes(one),
  )
  return [
    'latchkey',
    verb.words,
    ...positional.map(sample),
    ...options.map((option) => `${flagFor(option)} ${sample(option)}`),
    ...(piped ? ['< token.txt'] : []),
  ].join(' ')
}

type Flags = Readonly<Record<string, unknown>>

/** `command` is the verb's own: `create` below `account`. */
export function defineVerbCommand(command: Command, verb: Verb): void {
  const parameters = parametersOf(verb)
  command.description(verb.summary)
  command.addHelpText('after', `\nExample:\n  ${exampleOf(verb, parameters)}`)
  addParameters(command, parameters, verb.positional)
  if (isPaged(parameters)) command.option('--all', 'Show all pages.')
  addManagementFlags(command, { makesToken: makesToken(verb) })
  command.action(async () => {
    const typed = inputFrom(command, parameters, verb.positional)
    const input = { ...typed, ...(await readPipedSecret(parameters)) }
    const nameOf = namesOf(verb, parameters)
    checkInput(verb, input, nameOf)
    return runVerb(verb, input, { nameOf, flags: command.opts() })
  })
}

interface Typed {
  readonly nameOf: ReturnType<typeof namesOf>
  readonly flags: Flags
}

async function runVerb(verb: Verb, input: Input, { nameOf, flags }: Typed): Promise<void> {
  await withOutput(flags, async (output) => {
    const result = await withManagement(flags, { create: startsHub(verb) }, (management) =>
      flags['all'] === true ? runAllPages(management, verb, input) : management.run(verb, input),
    )
    if (isRefusal(result)) throw stopFor(result, { nameOf, words: verb.words, flags })
    showResult(withPlace(result, flags), output)
  })
}

/** One page after the other, so that the hub never answers with more than it must. */
async function runAllPages(management: Management, verb: Verb, input: Input): Promise<unknown> {
  const items: unknown[] = []
  for (let after = input['after']; ; ) {
    const page = await management.run(verb, { limit: longestPage, ...input, after })
    if (isRefusal(page)) return page
    const { items: own = [], next, total } = Object(page)
    items.push(...own)
    if (next === undefined) return { items, total }
    after = next
  }
}

function isPaged(parameters: readonly Parameter[]): boolean {
  return ['limit', 'after'].every((name) => parameters.some(({ member }) => member === name))
}

/** Advice can end with a command to paste, which must be about the same hub or data. */
function withPlace(result: unknown, flags: Flags): unknown {
  const { advice } = Object(result)
  if (typeof advice !== 'string' || !/: latchkey [^.]+$/.test(advice)) return result
  return { ...Object(result), advice: [advice, ...placeFlags(flags)].join(' ') }
}

/** The first account or namespace of a hub is made before there is a directory to make it in. */
function startsHub({ words }: Verb): boolean {
  return words === 'account create' || words === 'namespace create'
}

function makesToken({ output }: Verb): boolean {
  return 'shape' in output && Object.hasOwn(Object(output.shape), 'token')
}
