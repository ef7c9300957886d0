/** Ends a request under way as soon as its token, or the token behind its URL, was taken back. */

import type { ServerResponse } from 'node:http'
import type { Gate } from '@latchkey/gate'
import type { Refusal } from '@latchkey/protocol'
import { whenOver } from '@latchkey/service/http/response-end'
import { ClientGone } from '../request/asked.ts'
import type { Job } from './judge.ts'
import { refusalOfBlob } from './open-blob.ts'
import { StoppedUpload, type UploadBody } from './upload-body.ts'

export interface CutWatch {
  /** Aborted when the client has gone, or the request was cut: work that waits ends. */
  readonly signal: AbortSignal
  /** The refusal of a request that is cut before its answer has begun. Otherwise it never settles. */
  readonly refused: Promise<Refusal>
  /** Why the request was cut, if it was. */
  reason(): Refusal | undefined
  end(): void
}

interface Watched {
  readonly job: Pick<Job, 'grant' | 'permit'>
  readonly response: ServerResponse
  readonly body: Pick<UploadBody, 'stop'>
}

export function watchRevocation(
  { watch }: Pick<Gate, 'watch'>,
  { job, response, body }: Watched,
): CutWatch {
  const ending = new AbortController()
  const refused = Promise.withResolvers<Refusal>()
  let reason: Refusal | undefined
  const cut = (judged: Refusal) => {
    const refusal = job.permit === undefined ? judged : refusalOfBlob(judged)
    reason = refusal
    // A client must not take the part that it has for the whole.
    if (response.headersSent) response.destroy()
    body.stop(refusal)
    ending.abort(new StoppedUpload(refusal))
    refused.resolve(refusal)
  }
  whenOver(response, () => ending.abort(new ClientGone()))
  const revocable = job.grant ?? job.permit
  return {
    signal: ending.signal,
    refused: refused.promise,
    reason: () => reason,
    end: revocable === undefined ? () => {} : watch(revocable, cut),
  }
}
