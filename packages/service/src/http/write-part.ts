/** Writes the body of a request or a response part by part. */

import type { OutgoingMessage } from 'node:http'

/** Settles when the part has left this process, so that its memory can be used again. */
export function writePart(message: OutgoingMessage, part: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))
    if (message.closed) return gone()
    // The write of an answer that waits behind another does not fail when the connection closes.
    message.once('close', gone)
    return message.write(part, (error) => {
      message.off('close', gone)
      if (error === null || error === undefined) resolve()
      else gone()
    })
  })
}
