/** The members of a JSON object that somebody else wrote: all of them may be missing. */

export function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
