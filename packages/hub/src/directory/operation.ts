/** What a verb does, apart from the words and the route that lead to it. */

import type { ZodObject, z } from 'zod'
import type { Verb } from './verb.ts'

export type Operation<
  Input extends ZodObject = ZodObject,
  Output extends z.ZodType = z.ZodType,
> = Pick<Verb<Input, Output>, 'summary' | 'input' | 'output' | 'run'>

/** Keeps the types of an operation's parts together. */
export function operation<Input extends ZodObject, Output extends z.ZodType>(
  parts: Operation<Input, Output>,
): Operation<Input, Output> {
  return parts
}
