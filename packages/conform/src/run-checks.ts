/** Runs checks one after the other, because some of them change the server. */

import { scrub } from '@latchkey/protocol'
import {
  type Check,
  type CheckResult,
  type Fault,
  isSkip,
  NotApplicable,
  type Profile,
  type Skip,
} from './check.ts'

export interface RunOptions {
  readonly profiles: readonly Profile[]
  /** Ids of checks that fail on this server, and are known to. */
  readonly expectedFailures?: readonly string[]
  /** Ids, clauses or sections; without it, all. */
  readonly only?: readonly string[]
  readonly timeoutMs?: number
  /** Texts that no report may contain; tokens of Latchkey's forms are removed in any case. */
  readonly secrets?: () => Iterable<string>
  /** Milliseconds that only go forward. */
  readonly stopwatch?: () => number
}

export async function runChecks<Target>(
  checks: readonly Check<Target>[],
  target: Target,
  options: RunOptions,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  for (const check of chosenChecks(checks, options)) {
    results.push(await runCheck(check, target, options))
  }
  return results
}

export function chosenChecks<Target>(
  checks: readonly Check<Target>[],
  { profiles, only = [] }: Pick<RunOptions, 'profiles' | 'only'>,
): readonly Check<Target>[] {
  return checks.filter(
    (check) =>
      profileOf(check, profiles) !== undefined &&
      (only.length === 0 || only.some((word) => isNamed(check, word))),
  )
}

/** A word is an id, a clause or a section. */
export function isNamed({ id, clause }: Check<never>, word: string): boolean {
  return word === id || word === clause || clause.startsWith(`${word} / `)
}

function profileOf(check: Check<never>, profiles: readonly Profile[]): Profile | undefined {
  return check.profiles.find((profile) => profiles.includes(profile))
}

async function runCheck<Target>(
  check: Check<Target>,
  target: Target,
  options: RunOptions,
): Promise<CheckResult> {
  const { stopwatch = () => performance.now(), expectedFailures = [] } = options
  const { id, clause, title } = check
  const profile = profileOf(check, options.profiles) ?? 'token-api'
  const begun = stopwatch()
  const end = await endOf(check, target, options.timeoutMs ?? 30_000)
  const clean = (text: string) => inOneLine(withoutSecrets(text, options.secrets?.() ?? []))
  const outcome = withExpectation(end.outcome, expectedFailures.includes(id))
  return {
    ...{ id, clause, profile, title, outcome },
    ...(end.fault !== undefined && { fault: cleanFault(end.fault, clean) }),
    ...(end.reason !== undefined && { reason: clean(end.reason) }),
    ms: Math.round(stopwatch() - begun),
  }
}

interface End {
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'error'
  readonly fault?: Fault
  readonly reason?: string
}

async function endOf<Target>(check: Check<Target>, target: Target, ms: number): Promise<End> {
  try {
    const end = await withTimeout(check.run(target), ms)
    if (end === undefined) return { outcome: 'passed' }
    return isSkip(end)
      ? { outcome: 'skipped', reason: end.skip }
      : { outcome: 'failed', fault: end }
  } catch (error) {
    if (error instanceof NotApplicable) return { outcome: 'skipped', reason: error.message }
    const fault = { expected: 'a response', got: messageOf(error) }
    return { outcome: 'error', fault }
  }
}

async function withTimeout(
  work: Promise<Fault | Skip | undefined>,
  ms: number,
): Promise<Fault | Skip | undefined> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no result within ${ms / 1000} s`)), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** `fetch` keeps the reason in `cause`. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause, message } = error
  if (!(cause instanceof Error)) return message
  return cause.message === '' && 'code' in cause
    ? `${message}: ${String(cause.code)}`
    : `${message}: ${cause.message}`
}

/** A check that could not run is not the failure that somebody expected. */
function withExpectation(
  outcome: End['outcome'],
  isExpectedToFail: boolean,
): CheckResult['outcome'] {
  if (!isExpectedToFail) return outcome
  if (outcome === 'failed') return 'expected-failure'
  return outcome === 'passed' ? 'unexpected-pass' : outcome
}

function cleanFault({ expected, got, request }: Fault, clean: (text: string) => string): Fault {
  return {
    expected: clean(expected),
    got: clean(got),
    ...(request !== undefined && { request: clean(request) }),
  }
}

const minSecretLength = 6

/** A secret may begin with another one. */
function withoutSecrets(text: string, secrets: Iterable<string>): string {
  const plain = Array.from(secrets)
    .filter(({ length }) => length >= minSecretLength)
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
  return scrub(plain)
}

const maxShownLength = 1000

/** A server writes part of the text: it must not make lines of a report, nor anything that a terminal obeys. */
function inOneLine(text: string): string {
  const shortText = text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text
  return shortText
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`)
}
