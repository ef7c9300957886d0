/** What a download asks of the storage: the token opens the answer that names URLs, and goes no further. */

import { setTimeout } from 'node:timers/promises'
import {
  type BlobReader,
  backoffMs,
  blobReader,
  type DownloadCalls,
  triesWithin,
} from '@latchkey/xet/download'
import type { TransferClient } from '../client/with-client.ts'
import { jsonIn } from '../reading/members-of.ts'
import { refusalOf, wholeOf } from './read-answer.ts'
import { defaultRetryTimeoutSeconds } from './retry-timeout.ts'

export function downloadCalls(
  client: Pick<TransferClient, 'send' | 'token'>,
  blobs: BlobReader = blobReader(),
  retryTimeoutSeconds: number = defaultRetryTimeoutSeconds,
): DownloadCalls {
  return {
    async reconstruct(file, bytes) {
      const path = `/v1/reconstructions/${file}`
      const headers = bytes === undefined ? {} : { range: `bytes=${bytes.start}-${bytes.end}` }
      const response = await client.send(path, { headers })
      if (!response.ok) throw await refusalOf(response, { path })
      const { casUrl: storageUrl } = await client.token('read')
      return { storageUrl, answer: jsonIn((await wholeOf(response)).toString()) }
    },
    // A blob URL carries its own proof, so the request sends no token.
    readRun: blobs.read,
    pause: (tries) => setTimeout(backoffMs(tries)),
    maxTries: triesWithin(retryTimeoutSeconds),
  }
}
