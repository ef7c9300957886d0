/** Who is let in, told to whatever stands behind the gate. */

import type { Grant } from './grant.ts'

/** The grant of a token that was seen before is the same object for every request. */
const known = new WeakMap<Grant, readonly string[]>()

/** Names and values in turn. A value is ASCII; anything else in it, and `%`, is percent-encoded. */
export function identityHeaders(grant: Grant): readonly string[] {
  const before = known.get(grant)
  if (before !== undefined) return before
  const headers = headersOf(grant)
  known.set(grant, headers)
  return headers
}

function headersOf(grant: Grant): readonly string[] {
  return [
    ...['Latchkey-Subject', encoded(grant.subject)],
    ...['Latchkey-Repository', encoded(grant.repository)],
    ...['Latchkey-Repository-Uid', encoded(grant.repositoryUid)],
    ...['Latchkey-Ref', encoded(grant.ref)],
    ...['Latchkey-Ref-Uid', encoded(grant.refUid)],
    ...['Latchkey-Scope', grant.scope],
  ]
}

function encoded(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\u0021-\u0024\u0026-\u007e]/gu, (character) => encodeURIComponent(character))
}
