/** One verb of the directory: the row from which its command, its route and its documentation are made. */

import type { Refusal } from '@latchkey/protocol'
import type { ZodObject, z } from 'zod'
import type { Caller } from '../identity/caller.ts'
import type { FindRepository } from '../permission/access-facts.ts'
import type { Policy } from '../permission/decide-permission.ts'
import type { Work } from './directory.ts'

/** What an `admin` hub token can be limited to. `apply` reaches everything. */
export const verbGroups = [
  'account',
  'namespace',
  'repository',
  'ref',
  'hub-token',
  'keys',
  'explain',
  'apply',
] as const

export type VerbGroup = (typeof verbGroups)[number]

export interface VerbWork extends Work {
  /** The administrator who acts; undefined for a command on the machine itself. */
  readonly actor: Caller | undefined
  readonly findRepository: FindRepository
  readonly policy: Policy
}

export interface Verb<Input extends ZodObject = ZodObject, Output extends z.ZodType = z.ZodType> {
  /** The words of the command: `account create`. */
  readonly words: string
  readonly group: VerbGroup
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/admin/v1`; `{repository}` stands for three segments, as in `models/acme/bert`. */
  readonly path: string
  /** The input members that the command takes as arguments, in order; the others are options. */
  readonly positional: readonly string[]
  readonly summary: string
  readonly input: Input
  readonly output: Output
  run(work: VerbWork, input: z.output<Input>): Promise<z.input<Output> | Refusal>
}

/** Keeps the types of a row's parts together. */
export function verb<Input extends ZodObject, Output extends z.ZodType>(
  row: Verb<Input, Output>,
): Verb<Input, Output> {
  return row
}
