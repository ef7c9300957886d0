/** What a developer gives, checked once; whatever is wrong is said before anything is sent. */

import {
  formatTokenPath,
  isPlainHttp,
  isServiceUrl,
  parseRepoRef,
  type Scope,
  type ScopeRules,
  refreshBufferSeconds as standardBuffer,
} from '@latchkey/protocol'
import { type ClientClock, systemClock } from '../clock/client-clock.ts'
import { badOption } from '../error/latchkey-error.ts'
import type { HubTokenSource } from '../identity/credential.ts'

export interface StorageClientOptions {
  readonly hubUrl: string
  /** Left out, nobody asks: for the public repositories of a hub that allows it. */
  readonly hubToken?: HubTokenSource | undefined
  /** `models/acme/bert` */
  readonly repo: string
  readonly revision?: string
  readonly fetch?: typeof globalThis.fetch
  readonly clock?: ClientClock
  /** From 0 to 1: spreads what many clients would otherwise do at once. */
  readonly random?: () => number
  readonly refreshBufferSeconds?: number
  /** How long one call may go on trying after a first failure. */
  readonly giveUpAfterSeconds?: number
  /** What the operator of the gate has added to the scope table. */
  readonly rules?: ScopeRules
  /** Speaks to other machines without https: whoever listens on the way has the tokens. */
  readonly allowPlainHttp?: boolean
  /** Closes the client. */
  readonly signal?: AbortSignal | undefined
}

export interface Settled
  extends Required<Omit<StorageClientOptions, 'hubToken' | 'signal' | 'repo' | 'revision'>> {
  tokenPath(scope: Scope): string
}

export function settleOptions({
  hubUrl: givenUrl,
  repo,
  revision = 'main',
  fetch = globalThis.fetch,
  clock = systemClock,
  random = Math.random,
  refreshBufferSeconds = standardBuffer,
  giveUpAfterSeconds = 60,
  rules = {},
  allowPlainHttp = false,
}: StorageClientOptions): Settled {
  const hubUrl = checkedHubUrl(givenUrl, allowPlainHttp)
  const tokenPath = tokenPathOf(hubUrl, repo, revision)
  checkSeconds('refreshBufferSeconds', refreshBufferSeconds)
  checkSeconds('giveUpAfterSeconds', giveUpAfterSeconds)
  return {
    ...{ hubUrl, tokenPath, clock, random, refreshBufferSeconds, giveUpAfterSeconds, rules },
    // Browsers refuse their own fetch when it is called as a method of another object.
    fetch: (input, init) => fetch(input, init),
    allowPlainHttp,
  }
}

function checkedHubUrl(given: string, allowPlainHttp: boolean): string {
  const url = String(given).replace(/\/$/, '')
  if (!isServiceUrl(url)) {
    throw badOption('hubUrl', 'give an http or https URL without query, fragment or credentials')
  }
  if (isPlainHttp(url) && !allowPlainHttp) {
    throw badOption(
      'hubUrl',
      'plain http shows the tokens to everybody on the way; use https, or say allowPlainHttp',
    )
  }
  return url
}

function tokenPathOf(hubUrl: string, repo: string, revision: string): (scope: Scope) => string {
  const parsed = parseRepoRef(repo)
  if (parsed === undefined) {
    throw badOption(
      'repo',
      'give models/, datasets/ or spaces/ and namespace/name: models/acme/bert',
    )
  }
  const isNamed = typeof revision === 'string' && revision !== '' && revision.isWellFormed()
  const paths = { read: '', write: '' }
  if (isNamed) for (const scope of scopes) paths[scope] = formatTokenPath(parsed, scope, revision)
  // `.` and `..` are no revisions, and URLs are repaired around them.
  const isKept = new URL(hubUrl + paths.read).href === hubUrl + paths.read
  if (!isNamed || !isKept) throw badOption('revision', 'give a branch, a tag or a commit hash')
  return (scope) => paths[scope]
}

const scopes = ['read', 'write'] as const

function checkSeconds(name: string, seconds: number): void {
  if (Number.isFinite(seconds) && seconds >= 0) return
  throw badOption(name, 'give a number of seconds, 0 or more')
}
