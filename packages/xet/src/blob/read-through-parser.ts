/** Reads the bytes that a blob URL opens with Node's own HTTP client, for answers in any form that HTTP allows. */

import { get as getPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { get as getSecure } from 'node:https'
import type { ArrivedBytes, ByteRange } from '../download/download-calls.ts'
import { pinned, timeoutMs } from './blob-socket.ts'
import type { BlobTarget } from './blob-target.ts'
import { brokenOff, reasonFor } from './why-broken.ts'

export interface Filling {
  readonly into: Uint8Array
  /** Ends the request. */
  readonly signal: AbortSignal
}

export async function readThroughParser(
  target: BlobTarget,
  { start, end }: ByteRange,
  { into, signal }: Filling,
): Promise<ArrivedBytes> {
  const headers = { range: `bytes=${start}-${end}`, 'accept-encoding': 'identity' }
  const response = await get(target, { headers, signal })
  const { statusCode: status = 0 } = response
  if (status >= 300) {
    response.destroy()
    return { bytes: 0, broken: reasonFor(status, 0) }
  }
  return fill(response, into)
}

async function fill(response: AsyncIterable<Uint8Array>, into: Uint8Array): Promise<ArrivedBytes> {
  let bytes = 0
  try {
    for await (const part of response) {
      if (bytes + part.length > into.length) return { bytes: 0, broken: reasonFor(200, 0) }
      into.set(part, bytes)
      bytes += part.length
    }
  } catch {
    // As if it had ended here.
  }
  return bytes === into.length ? { bytes } : { bytes, broken: brokenOff() }
}

function get(
  { url, addresses }: BlobTarget,
  requestOptions: Required<Pick<RequestOptions, 'headers' | 'signal'>>,
) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const options: RequestOptions = { ...requestOptions, lookup: pinned(addresses), agent: false }
    const request = (url.protocol === 'https:' ? getSecure : getPlain)(url, options, resolve)
    request.setTimeout(timeoutMs, () => request.destroy(new Error('timeout')))
    request.on('error', reject)
  })
}
