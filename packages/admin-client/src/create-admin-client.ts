import {
  type ClientClock,
  checkedHubUrl,
  checkSeconds,
  credentialOf,
  type Fetch,
  type FetchAnswer,
  type HubTokenSource,
  refuseOptions,
  systemClock,
} from '@latchkey/client/parts'
import { type OperationRow, rows } from './operations/rows.ts'
import type { OperationOptions, Operations } from './operations/types.ts'
import { type Calling, callHub, type OperationInput } from './wire/call-hub.ts'

export interface AdminClientOptions {
  /**
   * The hub. Use https, unless the hub is on this machine.
   * @example 'https://hub.example'
   */
  readonly hubUrl: string
  /** An admin hub token, or a function that returns one; the client calls it again after a 401. */
  readonly hubToken: HubTokenSource
  /** @default globalThis.fetch */
  readonly fetch?: Fetch<FetchAnswer> | undefined
  /** @default the system's clock */
  readonly clock?: ClientClock | undefined
  /**
   * From 0 to 1: spreads the retries of many clients.
   *
   * @default Math.random
   */
  readonly random?: (() => number) | undefined
  /**
   * How long a call may be retried after a first failure. 0: no retries.
   * @default 60
   */
  readonly retryTimeoutSeconds?: number | undefined
  /**
   * Speaks to other machines without https. Anyone on the path can read the hub token.
   * @default false
   */
  readonly allowPlainHttp?: boolean | undefined
}

export interface AdminClient extends Operations {
  /** Runs an operation by the words of its command, such as `account create`. */
  run(words: string, input?: OperationInput, options?: OperationOptions): Promise<unknown>
}

/**
 * An error of a call is a `LatchkeyError` with the code of the hub or of the client.
 *
 * @example
 * ```ts
 * const admin = createAdminClient({ hubUrl: 'https://hub.example', hubToken: 'lk_…' })
 * await admin.accountCreate({ name: 'ada' })
 * ```
 */
export function createAdminClient(options: AdminClientOptions): AdminClient {
  refuseOptions('an admin client', options, {
    ...{ hubUrl: 'any', hubToken: 'any', fetch: 'function', clock: 'object', random: 'function' },
    ...{ retryTimeoutSeconds: 'any', allowPlainHttp: 'boolean' },
  })
  const { hubUrl, hubToken, fetch = globalThis.fetch, allowPlainHttp = false } = options
  const { clock = systemClock, random = Math.random, retryTimeoutSeconds = 60 } = options
  checkSeconds({ retryTimeoutSeconds })
  const calling: Calling = {
    hubUrl: checkedHubUrl(hubUrl, allowPlainHttp),
    credential: credentialOf(hubToken),
    // Browsers refuse their own fetch when it is called as a method of another object.
    fetch: (url, init) => fetch(url, init),
    ...{ clock, random, retryTimeoutSeconds },
  }
  const byWords = new Map<string, OperationRow>(Object.values(rows).map((row) => [row.words, row]))
  const functions = Object.entries(rows).map(([name, row]) => [
    name,
    (input: OperationInput = {}, options?: OperationOptions) =>
      callHub(calling, row, input, options),
  ])
  return {
    ...(Object.fromEntries(functions) as Operations),
    async run(words, input = {}, options) {
      const row = byWords.get(words)
      if (row === undefined) throw new TypeError('there is no operation with these words')
      return callHub(calling, row, input, options)
    },
  }
}
