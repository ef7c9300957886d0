/** The one error of the client: what a person needs to know, and nothing that a log must not hold. */

import { type OptionType, type OtherNames, optionFault, type RefusalCode } from '@latchkey/protocol'

/** Codes of errors on the client's side of the wire; every other error has the code of the hub. */
export const clientCodes = [
  'bad_option',
  'path_refused',
  'hub_unreachable',
  'storage_unreachable',
  'answer_invalid',
  'redirected',
  'body_not_repeatable',
  'closed',
] as const

export type ClientCode = (typeof clientCodes)[number]

/** The codes that this version knows, and any other text: a newer hub or storage may have more. */
export type ErrorCode = RefusalCode | ClientCode | (string & {})

export interface ErrorFacts {
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly method?: string | undefined
  /** Without its query, which may hold anything. */
  readonly path?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  /** The permission that is missing. Only the admin client tells this and the next two. */
  readonly missing?: string | undefined
  /** Where in the input the mistake is: `updates[3].ref`. */
  readonly inputPath?: string | undefined
  /** The words of the command that leads on. */
  readonly next?: readonly string[] | undefined
}

export class LatchkeyError extends Error {
  override readonly name = 'LatchkeyError'
  readonly code: ErrorCode
  declare readonly status: number | undefined
  declare readonly requestId: string | undefined
  declare readonly method: string | undefined
  declare readonly path: string | undefined
  declare readonly retryAfterSeconds: number | undefined
  declare readonly missing: string | undefined
  declare readonly inputPath: string | undefined
  declare readonly next: readonly string[] | undefined

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message)
    this.code = code
    Object.assign(this, facts)
  }
}

/**
 * Why the network failed, as one word of the system's; messages of the platform can hold header values. A browser tells
 * a page nothing: the other origin may not list the page's.
 */
export function causeOf(error: unknown, url: string): string {
  const { cause = error } = Object(error)
  const { code } = Object(cause)
  if (/^[A-Z\d_]{1,40}$/.test(code)) return ` (${code})`
  // Only browsers have one.
  const { origin } = globalThis as { origin?: string }
  return !origin || origin === new URL(url).origin
    ? ''
    : `, or refuses pages of ${origin} (CORS): its operator allows them with --cors-origins`
}

/** The value is not repeated: it may be a secret in the wrong place. */
export function badOption(name: string, rule: string): LatchkeyError {
  return new LatchkeyError('bad_option', `${name} is not allowed: ${rule}.`)
}

/** `of` is what takes the options, as a sentence names it: `a storage client`. */
export function refuseOptions(
  of: string,
  value: unknown,
  types: Readonly<Record<string, OptionType>>,
  otherNames?: OtherNames,
): void {
  const fault = optionFault(of, value, types, otherNames)
  if (fault !== undefined) throw new LatchkeyError('bad_option', fault)
}
