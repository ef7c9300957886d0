import type { Scope } from '@latchkey/protocol'
import { type Claims, type Revocable, revocableOf, type SeenRef } from '@latchkey/token'

export interface Grant extends Revocable {
  readonly scope: Scope
  /** As people write it: `models/acme/bert`. A repository made again has the same name and another uid. */
  readonly repository: string
  readonly repositoryUid: string
  /** A full ref name or a commit hash. */
  readonly ref: string
  readonly refUid: string
  /** The commit that the revision named when the token was issued. */
  readonly commit: string
  /** The last entry of the hub's journal that certainly counted in the decision. */
  readonly asOf: number
  /** Other refs whose content belongs to this revision, each as far as its stamp is below a journal number. */
  readonly sees: readonly SeenRef[]
  /** The account that asked, or `anonymous`. */
  readonly subject: string
  /** The id of the hub token that asked. */
  readonly hubToken: string
  readonly tokenId: string
  readonly issuedAt: number
  readonly expiresAt: number
}

export function grantOf(claims: Claims, kid: string): Grant {
  const { repo, ref } = claims
  return {
    ...revocableOf(claims, kid),
    scope: claims.scope,
    repository: `${repo.type}s/${repo.id}`,
    ref: ref.name,
    refUid: ref.uid,
    commit: claims.commit,
    sees: claims.sees,
    issuedAt: claims.iat,
    expiresAt: claims.exp,
  }
}

/** The grant of a token that was seen before is the same object for every request. */
const cachedHeaders = new WeakMap<Grant, readonly string[]>()

/** Names and values in turn. A value is ASCII; anything else in it, and `%`, is percent-encoded. */
export function identityHeaders(grant: Grant): readonly string[] {
  const before = cachedHeaders.get(grant)
  if (before !== undefined) return before
  const headers = headersOf(grant)
  cachedHeaders.set(grant, headers)
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
