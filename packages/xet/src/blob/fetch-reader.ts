/** Reads the bytes that blob URLs open with the platform's fetch, where there are no sockets. */

import type { Arrived, BlobRequest } from '../download/download-calls.ts'
import { Misdelivered } from '../format/misdelivered.ts'
import { parseBlobUrl } from './parse-blob-url.ts'
import { brokenOff, reasonFor } from './why-broken.ts'

export interface BlobReader {
  /** Every URL is judged before anything is sent. */
  read(request: BlobRequest, into: Uint8Array): Promise<Arrived>
  /** Ends what is under way. */
  close(): void
}

/** How long an answer may stand still. */
const timeoutMs = 300_000

export function blobReader(): BlobReader {
  const underWay = new Set<AbortController>()
  return {
    async read({ url: text, storageUrl, bytes: { start, end } }, into) {
      const url = parseBlobUrl(text, storageUrl)
      refuseOtherOrigin(url, new URL(storageUrl))
      const controller = new AbortController()
      underWay.add(controller)
      try {
        const headers = { range: `bytes=${start}-${end}` }
        return await readBody(url, { headers, controller }, into)
      } finally {
        underWay.delete(controller)
      }
    },
    close() {
      for (const controller of underWay) controller.abort()
    },
  }
}

interface Way {
  readonly headers: Readonly<Record<string, string>>
  readonly controller: AbortController
}

const alone = {
  redirect: 'manual',
  credentials: 'omit',
  cache: 'no-store',
  referrerPolicy: 'no-referrer',
} as const

async function readBody(
  url: URL,
  { headers, controller }: Way,
  into: Uint8Array,
): Promise<Arrived> {
  let timer = setTimeout(() => controller.abort(), timeoutMs)
  let bytes = 0
  try {
    const response = await fetch(url, { ...alone, headers, signal: controller.signal })
    const { status, type, body } = response
    // A browser shows of a redirect not even its status.
    const refused = type === 'opaqueredirect' ? 302 : status
    if (refused >= 300) {
      controller.abort()
      return { bytes, broken: reasonFor(refused, 0) }
    }
    const parts = body?.getReader()
    for (let read = await parts?.read(); read?.value !== undefined; read = await parts?.read()) {
      clearTimeout(timer)
      timer = setTimeout(() => controller.abort(), timeoutMs)
      if (bytes + read.value.length > into.length) {
        controller.abort()
        return { bytes: 0, broken: reasonFor(200, 0) }
      }
      into.set(read.value, bytes)
      bytes += read.value.length
    }
  } catch (error) {
    if (error instanceof Misdelivered) throw error
    // As if it had ended here.
  } finally {
    clearTimeout(timer)
  }
  return bytes === into.length ? { bytes } : { bytes, broken: brokenOff() }
}

/**
 * A name is not looked up here, so nobody knows how near its address is: what is not the storage's own origin must at
 * least prove its name.
 */
function refuseOtherOrigin(url: URL, storage: URL): void {
  if (url.origin === storage.origin || url.protocol === 'https:') return
  throw new Misdelivered(
    `the storage names a URL on ${url.host} without https, which is not its own origin. It was not opened.`,
  )
}
