/** What a developer gives, checked once; whatever is wrong is said before anything is sent. */

import {
  formatTokenPath,
  isPlainHttp,
  isServiceUrl,
  parseRepoRef,
  type Scope,
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
  repo: givenRepo,
  revision = 'main',
  fetch = globalThis.fetch,
  clock = systemClock,
  random = Math.random,
  refreshBufferSeconds = standardBuffer,
  giveUpAfterSeconds = 60,
  allowPlainHttp = false,
}: StorageClientOptions): Settled {
  const hubUrl = checkedHubUrl(givenUrl, allowPlainHttp)
  const repo = parseRepoRef(givenRepo)
  if (repo === undefined) throw badOption('repo', 'give it as in models/acme/bert')
  if (!isName(revision)) throw badOption('revision', 'give a branch, a tag or a commit hash')
  checkSeconds({ refreshBufferSeconds, giveUpAfterSeconds })
  return {
    ...{ hubUrl, clock, random, refreshBufferSeconds, giveUpAfterSeconds, allowPlainHttp },
    tokenPath: (scope) => formatTokenPath(repo, scope, revision),
    // Browsers refuse their own fetch when it is called as a method of another object.
    fetch: (input, init) => fetch(input, init),
  }
}

function checkedHubUrl(given: string, allowPlainHttp: boolean): string {
  const url = String(given).replace(/\/$/, '')
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

function checkSeconds(given: Readonly<Record<string, number>>): void {
  for (const [name, seconds] of Object.entries(given)) {
    if (Number.isFinite(seconds) && seconds >= 0) continue
    throw badOption(name, 'give a number of seconds')
  }
}
