/** Reads the bytes that blob URLs open with the platform's fetch, where there are no sockets. */

import type { ArrivedBytes, BlobReader } from '../download/download-calls.ts'
import { IntegrityError } from '../format/format-error.ts'
import { parseBlobUrl } from './parse-blob-url.ts'
import { brokenOff, reasonFor } from './why-broken.ts'

/** How long an answer may bring no byte. */
const timeoutMs = 300_000

/**
 * @example
 * ```ts
 * const calls: DownloadCalls = { reconstruct, readRun: blobReader().read, pause }
 * ```
 */
export function blobReader(): BlobReader {
  const underWay = new Set<AbortController>()
  let isClosed = false
  return {
    async read({ url: text, storageUrl, bytes: { start, end } }, into) {
      const url = parseBlobUrl(text, storageUrl)
      refuseOtherOrigin(url, new URL(storageUrl))
      if (isClosed) return { bytes: 0, broken: brokenOff() }
      const controller = new AbortController()
      underWay.add(controller)
      try {
        const headers = { range: `bytes=${start}-${end}` }
        return await ask(url, { headers, controller }, into)
      } finally {
        underWay.delete(controller)
      }
    },
    close() {
      isClosed = true
      for (const controller of underWay) controller.abort()
    },
  }
}

interface Asked {
  readonly headers: Readonly<Record<string, string>>
  readonly controller: AbortController
}

/** The request says nothing of this page or program, and its answer is the server's own. */
const anonymous = {
  redirect: 'manual',
  credentials: 'omit',
  cache: 'no-store',
  referrerPolicy: 'no-referrer',
} as const

async function ask(
  url: URL,
  { headers, controller }: Asked,
  into: Uint8Array,
): Promise<ArrivedBytes> {
  const limit = idleLimit(controller)
  try {
    const response = await fetch(url, { ...anonymous, headers, signal: controller.signal })
    // A browser hides the status of a redirect.
    const status = response.type === 'opaqueredirect' ? 302 : response.status
    if (status < 300) return await fill(response, into, limit.extend)
    return { bytes: 0, broken: reasonFor(status, 0) }
  } catch (error) {
    if (error instanceof IntegrityError) throw error
    return { bytes: 0, broken: brokenOff() }
  } finally {
    limit.end()
    // Ends an answer of which not all was read.
    controller.abort()
  }
}

async function fill(
  { body }: Response,
  into: Uint8Array,
  onPart: () => void,
): Promise<ArrivedBytes> {
  const reader = body?.getReader()
  let bytes = 0
  try {
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      onPart()
      if (bytes + read.value.length > into.length) return { bytes: 0, broken: reasonFor(200, 0) }
      into.set(read.value, bytes)
      bytes += read.value.length
    }
  } catch {
    // The bytes that came before the failure count.
  }
  return bytes === into.length ? { bytes } : { bytes, broken: brokenOff() }
}

/** Aborts a request that stands still for too long. */
function idleLimit(controller: AbortController) {
  const start = () => setTimeout(() => controller.abort(), timeoutMs)
  let timer = start()
  return {
    extend() {
      clearTimeout(timer)
      timer = start()
    },
    end: () => clearTimeout(timer),
  }
}

/**
 * Without a look-up of the name, the distance of its address is unknown. A URL of another origin than the storage's must
 * use https, so that its server has to prove its name.
 */
function refuseOtherOrigin(url: URL, storage: URL): void {
  if (url.origin === storage.origin || url.protocol === 'https:') return
  throw new IntegrityError(
    `the storage names a URL on ${url.host} without https, which is not its own origin. It was not opened.`,
  )
}
