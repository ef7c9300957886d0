/** Messages between a pool and its threads, as data that can be copied. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'

/** Given to a thread when it starts. */
export interface ThreadData {
  /** The URL of a module that exports `openWork`. */
  readonly module: string
  readonly data: unknown
}

export type ToThread =
  | { readonly id: number; readonly task: unknown }
  | { readonly id: number; readonly isAborted: true }

export type FromThread =
  | { readonly id: number; readonly progress: unknown }
  | { readonly id: number; readonly outcome: Outcome }

export type Outcome =
  | { readonly result: unknown }
  | { readonly refusal: Omit<Refusal, symbol> }
  | { readonly failure: Failure }

/** A copied error would lose its code. */
export interface Failure {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly code: string | undefined
}

/** The mark of a refusal is a symbol, which no copy has. */
export function outcomeOf(result: unknown): Outcome {
  return isRefusal(result) ? { refusal: { ...result } } : { result }
}

export function failureOf(error: unknown): Outcome {
  if (!(error instanceof Error)) return failureOf(new Error(String(error)))
  const { name, message, stack, code } = error as NodeJS.ErrnoException
  return { failure: { name, message, stack, code } }
}

/** The result or refusal of a task; throws what the task threw. */
export function resultOf(outcome: Outcome): unknown {
  if ('failure' in outcome) {
    const { message, ...more } = outcome.failure
    throw Object.assign(new Error(message), more)
  }
  if ('result' in outcome) return outcome.result
  const { code, detail, ...more } = outcome.refusal
  return refuse(code, detail, more)
}
