/** Checks a developer's options once, before the client sends a request. */

import {
  formatTokenPath,
  isPlainHttp,
  isServiceUrl,
  type OptionTypes,
  parseRepoRef,
  type Scope,
  refreshBufferSeconds as standardBuffer,
} from '@latchkey/protocol'
import { type ClientClock, systemClock } from '../clock/client-clock.ts'
import { badOption, refuseOptions } from '../error/latchkey-error.ts'
import type { HubTokenSource } from '../identity/credential.ts'
import type { AnswerHeaders } from '../patience/worth-a-retry.ts'

export interface ClientOptions {
  readonly hubUrl: string
  /**
   * Left out, nobody asks: for the public repositories of a hub that allows it.
   *
   * @default no token
   */
  readonly hubToken?: HubTokenSource | undefined
  /** `models/acme/bert` */
  readonly repo: string
  /** @default 'main' */
  readonly revision?: string
  /** @default the system's clock */
  readonly clock?: ClientClock
  /**
   * From 0 to 1: spreads what many clients would otherwise do at once.
   *
   * @default Math.random
   */
  readonly random?: () => number
  /** @default 30 */
  readonly refreshBufferSeconds?: number
  /**
   * How long one call may go on trying after a first failure.
   *
   * @default 60
   */
  readonly retryTimeoutSeconds?: number
  /**
   * Speaks to other machines without https: whoever listens on the way has the tokens.
   *
   * @default false
   */
  readonly allowPlainHttp?: boolean
  /** Closes the client. */
  readonly signal?: AbortSignal | undefined
}

/** Options with a rule of their own below are `any` here. */
const types: OptionTypes<ClientOptions & { fetch: unknown }> = {
  hubUrl: 'any',
  hubToken: 'any',
  repo: 'any',
  revision: 'any',
  fetch: 'any',
  clock: 'object',
  random: 'function',
  refreshBufferSeconds: 'any',
  retryTimeoutSeconds: 'any',
  allowPlainHttp: 'boolean',
  signal: 'object',
}

/** A write to a branch that the client ignores would go to `main`. */
const otherNames = { branch: 'revision', tag: 'revision', ref: 'revision', commit: 'revision' }

/** Before anything else is read of them. */
export function checkOptions(options: unknown): void {
  refuseOptions('a storage client', options, types, otherNames)
}

/** The part of a response that the client reads. */
export interface FetchAnswer extends Pick<Response, 'status' | 'body'> {
  readonly headers: AnswerHeaders
}

/** Redirects are not to be followed. */
export interface FetchInit extends Omit<RequestInit, 'headers'> {
  readonly headers: [name: string, value: string][]
}

export type Fetch<Answer> = (url: string, init: FetchInit) => Promise<Answer>

export interface ResolvedClientOptions<Answer = FetchAnswer>
  extends Required<Omit<ClientOptions, 'hubToken' | 'signal' | 'repo' | 'revision'>> {
  readonly fetch: Fetch<Answer>
  tokenPath(scope: Scope): string
}

export function resolveOptions<Answer>(
  {
    hubUrl: givenUrl,
    repo: givenRepo,
    revision = 'main',
    clock = systemClock,
    random = Math.random,
    refreshBufferSeconds = standardBuffer,
    retryTimeoutSeconds = 60,
    allowPlainHttp = false,
  }: ClientOptions,
  fetch: Fetch<Answer>,
): ResolvedClientOptions<Answer> {
  const hubUrl = checkedHubUrl(givenUrl, allowPlainHttp)
  const repo = parseRepoRef(givenRepo)
  if (repo === undefined) throw badOption('repo', 'give it as in models/acme/bert')
  if (!isName(revision)) throw badOption('revision', 'give a branch, a tag or a commit hash')
  checkSeconds({ refreshBufferSeconds, retryTimeoutSeconds })
  if (typeof fetch !== 'function') throw badOption('fetch', 'give a function')
  return {
    ...{ hubUrl, clock, random, refreshBufferSeconds, retryTimeoutSeconds, allowPlainHttp },
    // Browsers refuse their own fetch when it is called as a method of another object.
    fetch: (url, init) => fetch(url, init),
    tokenPath: (scope) => formatTokenPath(repo, scope, revision),
  }
}

export function checkedHubUrl(urlText: string, allowPlainHttp: boolean): string {
  const url = String(urlText).replace(/\/$/, '')
  if (!isServiceUrl(url)) {
    throw badOption('hubUrl', 'give an http or https URL without query or credentials')
  }
  if (!allowPlainHttp && isPlainHttp(url)) {
    throw badOption('hubUrl', 'use https, or say allowPlainHttp')
  }
  return url
}

/** URLs are repaired around dots, and a half of a character cannot be encoded. */
function isName(revision: string): boolean {
  return typeof revision === 'string' && !/^\.{0,2}$/.test(revision) && revision.isWellFormed()
}

export function checkSeconds(durations: Readonly<Record<string, number>>): void {
  for (const [name, seconds] of Object.entries(durations)) {
    if (Number.isFinite(seconds) && seconds >= 0) continue
    throw badOption(name, 'give a number of seconds')
  }
}
