/** A client for one command: closed afterwards, and what goes wrong is told in one line. */

import {
  type ClientOptions,
  createStorageClient,
  LatchkeyError,
  type StorageClient,
} from '@latchkey/client'
import { createTokenClient, type TokenClient } from '@latchkey/client/token-client'
import type { Login } from '../credentials/find-login.ts'
import { type Asked, stopForFailure } from './failure-line.ts'
import { type NodeAnswer, nodeFetch } from './node-fetch.ts'
import type { Target } from './target.ts'
import { withNotice } from './with-notice.ts'

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
  retryTimeoutSeconds: number = giveUpAfterSeconds,
): Promise<Result> {
  const create = (options: ClientOptions) =>
    createTokenClient({
      ...options,
      fetch: withNotice(nodeFetch, retryTimeoutSeconds),
      giveUpAfterSeconds: retryTimeoutSeconds,
    })
  return closedAfter(create, { login, target }, work)
}

/** Somebody waits at the terminal. */
const giveUpAfterSeconds = 3

async function closedAfter<Client extends { close(): void }, Result>(
  create: (options: ClientOptions) => Client,
  { login, target }: Asked & { readonly target: Target },
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { url: hubUrl, token: hubToken, allowPlainHttp } = login
  let client: Client | undefined
  try {
    client = create({ ...target, hubUrl, hubToken, allowPlainHttp, giveUpAfterSeconds })
    return await work(client)
  } catch (error) {
    throw error instanceof LatchkeyError ? stopForFailure(error, { login, target }) : error
  } finally {
    client?.close()
  }
}
