/** Names a response by its status, and by the code of its problem document. */

import type { RawResponse } from './raw-request.ts'

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** No members where it is no object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? { ...value } : {}
}

/** The members of a problem document, or none. */
export function problemOf({ text }: Pick<RawResponse, 'text'>): Readonly<Record<string, unknown>> {
  return membersOf(jsonOf(text))
}

/** The status, and the code of an error. */
export function outcomeOf(response: RawResponse): string {
  const { code } = problemOf(response)
  return typeof code === 'string' ? `${response.status} ${code}` : String(response.status)
}

/** The code counts if the response has one: its form is the matter of another check. */
export function isOutcome(response: RawResponse, expected: string): boolean {
  const outcome = outcomeOf(response)
  return expected.split(' or ').some((one) => outcome === one || outcome === one.slice(0, 3))
}
