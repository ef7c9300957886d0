/** Reads the bytes that a blob URL opens: without a token, without following redirects. */

import { get as getPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { get as getSecure } from 'node:https'
import type { LookupFunction } from 'node:net'
import { type BlobTarget, blobTarget } from './blob-target.ts'
import { type BlobRequest, BrokenRun } from './download-calls.ts'
import { Misdelivered } from './misdelivered.ts'

/** How long the connection may stand still. */
const timeoutMs = 300_000

export async function* readBlob({
  url,
  storageUrl,
  bytes: { start, end },
}: BlobRequest): AsyncGenerator<Uint8Array> {
  try {
    const target = await blobTarget(url, storageUrl)
    const headers = { range: `bytes=${start}-${end}`, 'accept-encoding': 'identity' }
    const response = await get(target, headers)
    refuseStatus(response)
    yield* response
  } catch (error) {
    if (error instanceof BrokenRun || error instanceof Misdelivered) throw error
    throw new BrokenRun('the storage stopped in the middle of its answer')
  }
}

function get({ url, addresses }: BlobTarget, headers: Record<string, string>) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const options: RequestOptions = { headers, lookup: pinned(addresses) }
    const request = (url.protocol === 'https:' ? getSecure : getPlain)(url, options, resolve)
    request.setTimeout(timeoutMs, () => request.destroy(new Error('timeout')))
    request.on('error', reject)
  })
}

/** A second look-up could give an address that was not judged. */
function pinned(addresses: BlobTarget['addresses']): LookupFunction {
  return (_hostname, { all }, found) => {
    const [first] = addresses
    if (all) found(null, [...addresses])
    else found(null, first?.address ?? '', first?.family)
  }
}

/** A redirect could lead anywhere, so none is followed. */
function refuseStatus(response: IncomingMessage): void {
  const { statusCode: status = 0 } = response
  if (status >= 200 && status < 300) return
  response.destroy()
  if (status >= 300 && status < 400) {
    throw new Misdelivered('the storage answers its own URL with a redirect, which is not followed')
  }
  throw new BrokenRun(`the storage answers ${status} to its own URL`)
}
