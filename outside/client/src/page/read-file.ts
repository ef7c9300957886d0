/** Asks a storage for a file of a repository: on a server or in a page. */

import { createStorageClient, LatchkeyError, type StorageClientOptions } from '@latchkey/client'

export interface Read {
  readonly scope: string
  readonly status: number
  readonly bytes: number
}

export async function readFile(options: StorageClientOptions, hash: string): Promise<Read> {
  const client = createStorageClient(options)
  try {
    const { scope } = await client.token('read')
    const answer = await client.fetch(`/v1/files/${hash}`, { method: 'HEAD' })
    return { scope, status: answer.status, bytes: Number(answer.headers.get('content-length')) }
  } finally {
    client.close()
  }
}

/** The hub's code where it says no. */
export async function refusalOf(options: StorageClientOptions): Promise<string | undefined> {
  const client = createStorageClient(options)
  try {
    await client.token('write')
    return undefined
  } catch (error) {
    if (error instanceof LatchkeyError) return error.code
    throw error
  } finally {
    client.close()
  }
}
