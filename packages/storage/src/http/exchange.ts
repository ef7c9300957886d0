/** One request under way, as its deadlines see it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Deadlines, tooLate } from '@latchkey/service/http/deadlines'
import type { UploadBody } from './upload-body.ts'

/** Gives the function that ends the watch. */
export function watchExchange(
  { watch }: Deadlines,
  { request, response, body }: Exchange,
): () => void {
  const { socket } = request
  return watch({
    moved: () => socket.bytesRead + socket.bytesWritten - socket.writableLength,
    moving() {
      // A request that waits for room is not read yet: its client cannot send.
      const isWaiting = !body.isBegun && !response.headersSent
      if (!request.complete) return isWaiting ? undefined : 'upload'
      // With nothing left to take, the client waits for us.
      return response.headersSent && response.writableLength > 0 ? 'download' : undefined
    },
    // Bytes that have arrived and are not read yet wait for us, not for the client.
    isHeld: () => request.readableLength >= request.readableHighWaterMark,
    cut(lateness) {
      // Before the answer begins it becomes a refusal, if there is a body to stop.
      if (response.headersSent || request.complete) socket.destroy()
      else body.stop(tooLate(lateness))
    },
  })
}

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: UploadBody
}
