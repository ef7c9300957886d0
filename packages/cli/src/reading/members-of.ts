/** Data that somebody else made: any member may be missing, or be something else. */

export type Members = Readonly<Record<string, unknown>>

/** What is no object has none. */
export function membersOf(value: unknown): Members {
  return Object(value)
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}
