import type { ZodObject, z } from 'zod'

export interface Says<Input extends ZodObject = ZodObject, Output extends z.ZodType = z.ZodType> {
  readonly summary: string
  readonly input: Input
  readonly output: Output
}

/** Keeps the types of a verb's input and output. */
export function says<Input extends ZodObject, Output extends z.ZodType>(
  parts: Says<Input, Output>,
): Says<Input, Output> {
  return parts
}
