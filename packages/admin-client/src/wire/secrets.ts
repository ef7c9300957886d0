/** Secrets in inputs and results: text on the wire, and nowhere else. */

import { Secret } from '@latchkey/protocol'

/** JSON with the text of secrets, for a request or for the one place where a new hub token is stored. */
export function textWithSecrets(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, member) {
    // The secret itself: `member` is what its toJSON gave.
    const original = this[name]
    return original instanceof Secret ? original.reveal() : member
  })
}

/** Turns the text at these members into secrets. */
export function withSecrets(value: unknown, places: readonly (readonly string[])[]): unknown {
  return places.reduce(withSecretAt, value)
}

function withSecretAt(value: unknown, [member, ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const place = member === undefined ? rest : [member, ...rest]
    return value.map((item) => withSecretAt(item, place))
  }
  if (member === undefined) {
    return typeof value === 'string' ? new Secret('hub-token', value) : value
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return value
  const members = value as Readonly<Record<string, unknown>>
  return { ...members, [member]: withSecretAt(members[member], rest) }
}
