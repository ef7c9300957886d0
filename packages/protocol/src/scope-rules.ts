/** Which scope a storage request wants: the table that gate and client share. */

import { type OptionTypes, refuseOptions } from './option-fault.ts'
import { decodeSegment, type NormalPath, parseNormalPath, slashReadings } from './storage-path.ts'

export const scopes = ['read', 'write'] as const

export type Scope = (typeof scopes)[number]

/** A row that an operator adds; it can demand `write`, never allow less. */
export interface WriteRule {
  /** `unsafe` is every method but GET, HEAD and OPTIONS. */
  readonly methods: 'unsafe' | readonly string[]
  /** `/v1/locks/*`: a star is one segment, two at the end are any further ones; case is ignored. */
  readonly path: string
}

export interface ScopeRules {
  readonly write?: readonly WriteRule[]
  /** Lets a read token use PUT, PATCH, DELETE and the like outside of shards and xorbs. */
  readonly relaxOtherMethods?: boolean
  /** Demands `write` for every method but GET, HEAD and OPTIONS, at every path. Excludes `relaxOtherMethods`. */
  readonly everyUnsafeMethodWrites?: boolean
}

const rulesTypes: OptionTypes<ScopeRules> = {
  write: 'object',
  relaxOtherMethods: 'boolean',
  everyUnsafeMethodWrites: 'boolean',
}
const ruleTypes: OptionTypes<WriteRule> = { methods: 'string|object', path: 'any' }

/** Throws for a name that rules do not have: a mistyped rule would demand less than it says. */
export function refuseMistypedRules(
  rules: ScopeRules,
  Failure?: new (message: string) => Error,
): void {
  refuseOptions('rules', rules, rulesTypes, Failure)
  for (const rule of rules.write ?? []) {
    if (typeof rule === 'object') refuseOptions('a rule', rule, ruleTypes, Failure)
  }
}

/** Reads a rule as operators write it: `POST /v1/locks/*`, or `unsafe /v1/locks/**`. */
export function parseWriteRule(text: string): WriteRule | undefined {
  const [, methods, path] = /^(unsafe|[A-Z]+) (\/\S+)$/.exec(text) ?? []
  if (methods === undefined || path === undefined) return undefined
  const rule: WriteRule = { methods: methods === 'unsafe' ? methods : [methods], path }
  return isWriteRule(rule) ? rule : undefined
}

/** Whether a rule can match anything: a path in its normal form, with stars for whole segments. */
export function isWriteRule({ path }: WriteRule): boolean {
  if (typeof path !== 'string') return false
  const fixed = path.replace(/(?<=\/)\*\*$/, 'x').replace(/(?<=\/)\*(?=\/|$)/g, 'x')
  return parseNormalPath(fixed) !== undefined && !fixed.includes('*')
}

export type RequiredScope = (method: string, path: NormalPath) => Scope

/** spec: Endpoints. `POST /shard` and `POST /xorb/*`, and every route that begins so (`xorb-grants`), below any prefix. */
const writtenTo = /\/(?:SHARD|XORB)/

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

interface Row {
  readonly concerns: (method: string) => boolean
  readonly matches: (segments: readonly string[]) => boolean
}

/**
 * The rules of every storage, whatever its operator adds. POST elsewhere reads: clients send
 * telemetry and queries that way.
 *
 * @example
 * ```ts
 * const path = parseNormalPath('/v1/xorbs/default/4567')
 * if (path !== undefined) standardScope('POST', path) // 'write'
 * ```
 */
export const standardScope: RequiredScope = (method, path) =>
  isUnsafe(method) && (method !== 'POST' || namesShardOrXorb(path)) ? 'write' : 'read'

const strictScope: RequiredScope = (method) => (isUnsafe(method) ? 'write' : 'read')

const relaxedScope: RequiredScope = (method, path) =>
  isUnsafe(method) && namesShardOrXorb(path) ? 'write' : 'read'

export function scopeRules(rules: ScopeRules = {}): RequiredScope {
  refuseMistypedRules(rules)
  const { write = [], relaxOtherMethods = false, everyUnsafeMethodWrites = false } = rules
  const lenient = relaxOtherMethods ? relaxedScope : standardScope
  const fixed = everyUnsafeMethodWrites ? strictScope : lenient
  const added = write.map(rowOf)
  if (added.length === 0) return fixed
  return (method, path) => {
    const rows = added.filter((row) => row.concerns(method))
    if (rows.length === 0) return fixed(method, path)
    const readings = slashReadings(path).map(segmentsOf)
    const isAdded = rows.some((row) => readings.some(row.matches))
    return isAdded ? 'write' : fixed(method, path)
  }
}

function segmentsOf(path: NormalPath): readonly string[] {
  return path.slice(1).split('/').map(fold)
}

function isUnsafe(method: string): boolean {
  return !safe.has(method)
}

/** Folded as a whole, so that a character whose compatibility form is a slash begins a segment too. */
function namesShardOrXorb(path: NormalPath): boolean {
  return writtenTo.test(fold(path))
}

/**
 * One spelling for all that a router may take for the same: upper case, also of letters beyond ASCII, and no dots or
 * blanks at the end (Caddy). Decomposed, because a composed letter would hide the beginning of a word.
 */
function fold(text: string): string {
  const decoded = text.includes('%') ? (decodeSegment(text) ?? text) : text
  return withoutEnd(decoded.normalize('NFKD')).toUpperCase()
}

/** By hand: a pattern for the end of a text looks for it from every place in it. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && '. '.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

function isOneOf(methods: readonly string[]): (method: string) => boolean {
  const names = new Set(methods.map((method) => method.toUpperCase()))
  return (method) => names.has(method.toUpperCase())
}

function rowOf({ methods, path }: WriteRule): Row {
  const pathParts = path.slice(1).split('/').map(fold)
  const open = pathParts.at(-1) === '**'
  const fixed = open ? pathParts.slice(0, -1) : pathParts
  return {
    concerns: methods === 'unsafe' ? isUnsafe : isOneOf(methods),
    matches: (segments) =>
      (open ? segments.length >= fixed.length : segments.length === fixed.length) &&
      fixed.every((part, index) => part === '*' || part === segments[index]),
  }
}

/** spec: Authentication 3. */
export function scopeCovers(held: Scope, neededScope: Scope): boolean {
  return held === 'write' || neededScope === 'read'
}

export const roles = ['read', 'write', 'admin'] as const

export type Role = (typeof roles)[number]

export function roleCovers(held: Role | undefined, needed: Role | Scope): boolean {
  return held !== undefined && roles.indexOf(held) >= roles.indexOf(needed)
}

export function strongerRole(one: Role | undefined, other: Role | undefined): Role | undefined {
  return other !== undefined && roleCovers(other, one ?? 'read') ? other : one
}
