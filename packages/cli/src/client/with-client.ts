/** A client for one command: closed afterwards, and what goes wrong is told in one line. */

import { createStorageClient, LatchkeyError, type StorageClient } from '@latchkey/client'
import type { Login } from '../credentials/find-login.ts'
import { stopForFailure } from './failure-line.ts'
import type { Target } from './target.ts'

/** Somebody waits at the terminal. */
const giveUpAfterSeconds = 3

export async function withClient<Result>(
  login: Login,
  target: Target,
  work: (client: StorageClient) => Promise<Result>,
): Promise<Result> {
  const { url: hubUrl, token: hubToken, allowPlainHttp } = login
  let client: StorageClient | undefined
  try {
    client = createStorageClient({
      ...target,
      hubUrl,
      hubToken,
      allowPlainHttp,
      giveUpAfterSeconds,
    })
    return await work(client)
  } catch (error) {
    throw error instanceof LatchkeyError ? stopForFailure(error, { login, target }) : error
  } finally {
    client?.close()
  }
}
