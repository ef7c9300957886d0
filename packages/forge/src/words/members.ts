import { type Refusal, refuse } from '@latchkey/protocol'
import { quoted } from './quoted.ts'

export type Members = Readonly<Record<string, unknown>>

/** Undefined for what is no object. */
export function membersOf(value: unknown): Members | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Members) : undefined
}

/** A member that is not known may mean something that would be left undone. */
export function refuseUnknown(
  what: string,
  members: Members,
  knownMembers: readonly string[],
): Refusal | undefined {
  const unknown = Object.keys(members).find((member) => !knownMembers.includes(member))
  return unknown === undefined
    ? undefined
    : refuse('bad_request', `${what} has the unknown member ${quoted(unknown)}.`)
}

/** Absent and null are the same to clients. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

/** A number of bytes. */
export function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
