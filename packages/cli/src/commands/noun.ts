/** `latchkey account …`: a noun of the directory, with its verbs below it. */

import { maxPageLength, type Parameter, parametersOf, type Verb, verbs } from '@latchkey/admin-api'
import { didYouMean, isRefusal } from '@latchkey/protocol'
import { Command } from 'commander'
import { placeFlags } from '../configuration/flags.ts'
import { addManagementFlags, withManagement } from '../management/choose-management.ts'
import type { Input, Management } from '../management/management.ts'
import { stopFor } from '../management/refusal-line.ts'
import { showResult, withOutput } from '../output/show-result.ts'
import { wrongUsage } from '../output/stop.ts'
import { type MineForm, mineFlag, mineForms, ownInput } from './own-hub-token.ts'
import { flagFor, readPipedSecret } from './parameter.ts'
import { addParameters, checkInput, inputFrom, namesOf } from './verb-input.ts'

/** `own` are commands that take the place of a verb's, or stand beside them. */
export function nounCommand(noun: string, about: string, own: readonly Command[] = []): Command {
  const command = new Command(noun).description(about)
  for (const verb of verbs) {
    const [first, action] = verb.words.split(' ')
    const isOwn = own.some((one) => one.name() === action)
    if (first !== noun || action === undefined || isOwn) continue
    defineVerbCommand(command.command(action), verb)
  }
  for (const one of own) command.addCommand(one)
  const names = command.commands.map((one) => one.name())
  if (names.includes('set') && !names.includes('create')) teachSet(command, names)
  return command
}

/** Some things are made by `set`, and are looked for under `create`, as others are made. */
function teachSet(command: Command, names: readonly string[]): void {
  command.on('command:*', ([word = '']: readonly string[]) => {
    const meant =
      word === 'create'
        ? `: latchkey ${command.name()} set also creates it.`
        : `.${didYouMean(word, names)}`
    throw wrongUsage(`unknown command '${word}'${meant} See latchkey ${command.name()} --help.`)
  })
}

const samples: Readonly<Record<string, string>> = {
  account: 'ada',
  namespace: 'acme',
  team: 'curators',
  repository: 'models/acme/bert',
  ref: 'main',
  pattern: "'release/*'",
  publisher: 'release',
  preset: 'other',
  issuer: 'https://ci.example',
  provider: 'corp',
  group: 'staff',
  subject: '6d1f',
  claims: 'sub=job',
  payload: "'{}'",
  hash: '<full hash>',
  commit: '<full hash>',
  hubToken: '<id>',
  kid: '<kid>',
  forge: '<id>',
  kind: 'write',
}

/** The name of a new thing in the example of the verb that makes it; without one, `<text>`. */
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
function defineVerbCommand(command: Command, verb: Verb): void {
  const parameters = parametersOf(verb)
  command.description(verb.summary)
  command.addHelpText('after', `\nExample:\n  ${exampleOf(verb, parameters)}`)
  addParameters(command, parameters, verb.positional)
  if (isPaged(parameters)) command.option('--all', 'Show all pages.')
  addManagementFlags(command, { makesToken: makesToken(verb) })
  const mine = mineForms[verb.words]
  if (mine !== undefined) addMine(command, mine)
  command.action(async () => {
    if (mine !== undefined && command.opts()['mine'] === true) {
      const input = ownInput(mine, command.args, inputFrom(command, parameters, []))
      const supposed = verb.positional.includes('account') ? { account: 'own' } : {}
      checkInput(verb, { ...supposed, ...input }, namesOf(verb, parameters))
      return mine.run(input, command.opts())
    }
    if (mine !== undefined) refuseMissing(command, verb)
    const typed = inputFrom(command, parameters, verb.positional)
    const input = { ...typed, ...(await readPipedSecret(parameters)) }
    const nameOf = namesOf(verb, parameters)
    checkInput(verb, input, nameOf)
    return runVerb(verb, input, { nameOf, flags: command.opts() })
  })
}

/** With `--mine` there are fewer arguments, so the parser asks for the first ones alone. */
function addMine(command: Command, mine: MineForm): void {
  const { registeredArguments } = command
  for (const argument of registeredArguments.slice(mine.positional.length)) {
    argument.required = false
  }
  command.usage(mine.usage).addOption(mineFlag(mine))
}

function refuseMissing(command: Command, { positional }: Verb): void {
  const missing = positional[command.args.length]
  if (missing === undefined) return
  const code = 'commander.missingArgument'
  command.error(`error: missing required argument '${missing}'`, { code })
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
    const page = await management.run(verb, { limit: maxPageLength, ...input, after })
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
