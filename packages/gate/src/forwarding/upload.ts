/** The body of a request on its way to the storage, apart from the connection it comes by. */

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { headerPairs } from '@latchkey/service/http/header-list'
import { namesIdentity } from '../request/header-rules.ts'

export interface Upload {
  readonly body: Readable | null
  /** Whether the storage is slower than the client. */
  isHeld(): boolean
}

/** The body may be destroyed by its reader. The client's connection stays, because the answer goes back on it. */
export function uploadOf(request: IncomingMessage, onBadTrailer: () => void): Upload {
  if (!hasBody(request)) return { body: null, isHeld: () => false }
  // Until the storage is connected the body is not read; the client is not to blame for that.
  let isHeld = true
  const body = new Readable({
    read() {
      isHeld = false
      request.resume()
    },
    destroy(error, done) {
      request.off('data', take).off('end', end).off('close', close)
      // The rest of the body is read and dropped.
      request.resume()
      done(error)
    },
  })
  const take = (chunk: Buffer) => {
    if (body.push(chunk)) return
    isHeld = true
    request.pause()
  }
  const end = () => {
    request.off('close', close)
    if (hasIdentityTrailer(request)) onBadTrailer()
    else body.push(null)
  }
  const close = () => body.destroy(new Error('the client went away'))
  request.on('data', take).on('end', end).on('close', close)
  request.pause()
  return { body, isHeld: () => isHeld }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Trailers are never handed on; one that claims to be the gate's is an attempt. */
function hasIdentityTrailer({ rawTrailers }: IncomingMessage): boolean {
  return headerPairs(rawTrailers).some(([name]) => namesIdentity(name))
}
