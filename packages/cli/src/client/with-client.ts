/** A client for one command: closed afterwards, and what goes wrong is told in one line. */

import {
  type ClientOptions,
  createStorageClient,
  LatchkeyError,
  type StorageClient,
} from '@latchkey/client'
import { createTokenClient, type TokenClient } from '@latchkey/client/token-client'
import type { Login } from '../credentials/find-login.ts'
import { type NodeAnswer, nodeFetch } from '../network/node-fetch.ts'
import { tell } from '../output/tell.ts'
import { type FailedRequest, stopForFailure } from './failure-line.ts'
import type { Target } from './target.ts'

const noticeAfterMs = 2000

/** Prints one line when requests have failed for two seconds, and again after the next success. */
function withNotice(
  fetch: typeof nodeFetch,
  retryTimeoutSeconds: number,
  isTerminal: boolean = process.stderr.isTTY === true,
): typeof nodeFetch {
  if (!isTerminal) return fetch
  let firstFailureMs: number | undefined
  let isTold = false
  const note = (url: string, status: number | undefined) => {
    firstFailureMs ??= performance.now()
    if (isTold || performance.now() - firstFailureMs < noticeAfterMs) return
    isTold = true
    const reason = status === undefined ? 'cannot be reached' : `responded with status ${status}`
    tell(
      `latchkey: ${new URL(url).origin} ${reason}; trying again for up to ${retryTimeoutSeconds} s (--retry-timeout)`,
    )
  }
  return async (url, init) => {
    try {
      const answer = await fetch(url, init)
      if (answer.status === 429 || answer.status >= 500) note(url, answer.status)
      else [firstFailureMs, isTold] = [undefined, false]
      return answer
    } catch (error) {
      note(url, undefined)
      throw error
    }
  }
}

export type TransferClient = TokenClient<NodeAnswer>

/** For requests in all the ways of the platform's fetch. */
export function withClient<Result>(
  login: Login,
  target: Target,
  work: (client: StorageClient) => Promise<Result>,
): Promise<Result> {
  return closedAfter(createStorageClient, { login, target }, work)
}

/** For tokens and transfers: begins sooner. */
export function withTransferClient<Result>(
  login: Login,
  target: Target,
  work: (client: TransferClient) => Promise<Result>,
  seconds: number = retryTimeoutSeconds,
): Promise<Result> {
  const create = (options: ClientOptions) =>
    createTokenClient({
      ...options,
      fetch: withNotice(nodeFetch, seconds),
      retryTimeoutSeconds: seconds,
    })
  return closedAfter(create, { login, target }, work)
}

/** Somebody waits at the terminal. */
const retryTimeoutSeconds = 3

async function closedAfter<Client extends { close(): void }, Result>(
  create: (options: ClientOptions) => Client,
  { login, target }: FailedRequest & { readonly target: Target },
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { url: hubUrl, token: hubToken, allowPlainHttp } = login
  let client: Client | undefined
  try {
    client = create({ ...target, hubUrl, hubToken, allowPlainHttp, retryTimeoutSeconds })
    return await work(client)
  } catch (error) {
    throw error instanceof LatchkeyError ? stopForFailure(error, { login, target }) : error
  } finally {
    client?.close()
  }
}
