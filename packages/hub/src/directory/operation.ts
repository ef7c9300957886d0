/** What a verb does, apart from the words and the route that lead to it. */

import type { Refusal } from '@latchkey/protocol'
import type { ZodObject, z } from 'zod'
import type { Caller } from '../identity/caller.ts'
import type { FindRepository } from '../permission/access-facts.ts'
import type { Policy } from '../permission/decide-permission.ts'
import type { Work } from './directory.ts'

export interface VerbWork extends Work {
  /** The administrator who acts; undefined for a command on the machine itself. */
  readonly actor: Caller | undefined
  readonly findRepository: FindRepository
  readonly policy: Policy
}

export interface Operation<
  Input extends ZodObject = ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  readonly summary: string
  readonly input: Input
  readonly output: Output
  run(work: VerbWork, input: z.output<Input>): Promise<z.input<Output> | Refusal>
}

/** Keeps the types of an operation's parts together. */
export function operation<Input extends ZodObject, Output extends z.ZodType>(
  parts: Operation<Input, Output>,
): Operation<Input, Output> {
  return parts
}
