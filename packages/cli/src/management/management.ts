/** Runs operations for the management commands, on this machine's data or on a remote hub. */

import { type Verb, verbs, type Words } from '@latchkey/admin-api'

export type Input = Readonly<Record<string, unknown>>

export interface Management {
  /** The verb's answer as JSON data with new secrets as text, or a refusal. */
  run(verb: Verb, input: Input): Promise<unknown>
  close(): Promise<void>
}

/** Opens what the verbs work on, does the work and closes it again. */
export type UseManagement = <Result>(
  work: (management: Management) => Promise<Result>,
) => Promise<Result>

export function verbCalled(words: Words): Verb {
  const verb = verbs.find((row) => row.words === words)
  if (verb === undefined) throw new Error(`there is no verb "${words}"`)
  return verb
}
