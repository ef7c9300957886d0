/** Compares the claims of an id token with the conditions of a trusted publisher. */

import type { HubTokenGrant, Scope } from '@latchkey/protocol'
import { grantsNarrow } from './compare-reach.ts'

/** The part of a rule that decides. */
export interface PublisherRule {
  readonly preset: string
  readonly issuer: string
  /** A claim and its exact value: `repository_id=74`. */
  readonly claims: readonly string[]
  readonly grant: HubTokenGrant
  readonly maxSeconds: number
}

/** The columns of its row that decide. */
export interface StoredRule {
  readonly preset: string
  readonly issuer: string
  readonly claims: string
  readonly contents: string
  readonly refs: string | null
  readonly max_seconds: number
}

export function claimsIn({ claims }: Pick<StoredRule, 'claims'>): readonly string[] {
  return JSON.parse(claims)
}

export function refsIn({ refs }: Pick<StoredRule, 'refs'>): readonly string[] | undefined {
  return refs === null ? undefined : JSON.parse(refs)
}

/** `path` is that of its repository. */
export function ruleOf(row: StoredRule, path: string): PublisherRule {
  const refs = refsIn(row)
  const contents = row.contents as Scope
  return {
    preset: row.preset,
    issuer: row.issuer,
    claims: claimsIn(row),
    grant: refs === undefined ? { on: path, contents } : { on: path, contents, refs: [...refs] },
    maxSeconds: row.max_seconds,
  }
}

/** The claims by which a platform identifies a project for ever: a name can be given again. */
const identifyingClaims: Readonly<Record<string, readonly string[]>> = {
  github: ['repository_id', 'repository_owner_id'],
  gitlab: ['project_id', 'namespace_id'],
  other: ['sub'],
}

export function identifyingClaimsOf(preset: string): readonly string[] {
  return identifyingClaims[preset] ?? []
}

export type IdTokenClaims = Readonly<Record<string, unknown>>

/** By claim, its allowed values. */
export function allowedValues(conditions: readonly string[]): ReadonlyMap<string, Set<string>> {
  const allowed = new Map<string, Set<string>>()
  for (const condition of conditions) {
    const end = condition.indexOf('=')
    const claim = condition.slice(0, end)
    const values = allowed.get(claim) ?? new Set()
    allowed.set(claim, values.add(condition.slice(end + 1)))
  }
  return allowed
}

export interface ClaimMismatch {
  readonly claim: string
  /** Undefined where the id token has no such claim, or one that is no plain value. */
  readonly value: string | undefined
}

export interface ClaimComparison {
  /** Whether the id token is of the project that the rule names. */
  readonly isOfProject: boolean
  readonly mismatches: readonly ClaimMismatch[]
}

export function compareClaims(
  { preset, claims: conditions }: Pick<PublisherRule, 'preset' | 'claims'>,
  claims: IdTokenClaims,
): ClaimComparison {
  const identifying = identifyingClaimsOf(preset)
  const allowed = allowedValues(conditions)
  const isAllowed = (claim: string) => {
    const value = plainValue(claims, claim)
    return value !== undefined && allowed.get(claim)?.has(value) === true
  }
  const mismatches = [...allowed.keys()].filter((claim) => !isAllowed(claim))
  return {
    isOfProject: identifying.length > 0 && identifying.every(isAllowed),
    mismatches: mismatches.map((claim) => ({ claim, value: plainValue(claims, claim) })),
  }
}

/** A list or an object is no value: a platform that sends one means something else. */
export function plainValue(claims: IdTokenClaims, claim: string): string | undefined {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (typeof value === 'string') return value
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined
}

/** Whether the rule admits fewer id tokens than before, or gives less. */
export function publisherNarrows(before: PublisherRule, after: PublisherRule): boolean {
  return (
    before.preset !== after.preset ||
    before.issuer !== after.issuer ||
    after.maxSeconds < before.maxSeconds ||
    grantsNarrow([before.grant], [after.grant]) ||
    claimsNarrow(allowedValues(before.claims), allowedValues(after.claims))
  )
}

type Allowed = ReadonlyMap<string, ReadonlySet<string>>

function claimsNarrow(before: Allowed, after: Allowed): boolean {
  return [...after].some(([claim, values]) => {
    const earlier = before.get(claim)
    return earlier === undefined || [...earlier].some((value) => !values.has(value))
  })
}

/** Write before read, then the oldest. */
export function firstRule<
  Rule extends {
    readonly contents: string
    readonly created_at: number
    readonly account_id: string
  },
>(rules: readonly Rule[]): Rule | undefined {
  const rank = (scope: string) => ((scope as Scope) === 'write' ? 0 : 1)
  return rules.toSorted(
    (one, other) =>
      rank(one.contents) - rank(other.contents) ||
      one.created_at - other.created_at ||
      (one.account_id < other.account_id ? -1 : 1),
  )[0]
}
