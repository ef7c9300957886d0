/** A verb as somebody might type it, for its help. */

import type { Verb } from '@latchkey/admin-api'
import { flagFor, type Parameter } from './parameter.ts'

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

export function exampleOf(verb: Verb, parameters: readonly Parameter[]): string {
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
