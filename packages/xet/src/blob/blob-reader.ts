/** Reads the bytes that blob URLs open: without a token, without following redirects, over connections that stay open. */

import type { ArrivedBytes, BlobReader, BlobRequest } from '../download/download-calls.ts'
import { IntegrityError } from '../format/format-error.ts'
import type { BlobAnswer } from './blob-answer.ts'
import { type BlobConnection, blobConnection } from './blob-connection.ts'
import { type BlobTarget, blobTarget, type LookUp } from './blob-target.ts'
import type { Filling } from './read-through-parser.ts'
import { brokenOff, notReached, reasonFor } from './why-broken.ts'

/**
 * @example
 * ```ts
 * const calls: DownloadCalls = { reconstruct, readRun: blobReader().read, pause }
 * ```
 */
export function blobReader(lookUp?: LookUp): BlobReader {
  const closing = new AbortController()
  const { signal } = closing
  const connections = new Set<BlobConnection>()
  /** Origins whose answers only Node's own parser reads. */
  const others = new Set<string>()
  const connect = (target: BlobTarget) => {
    // It may have been closed while a name was looked up, or while a kept connection was asked.
    signal.throwIfAborted()
    for (const one of connections) if (one.isClosed()) connections.delete(one)
    const connection = blobConnection(target)
    connections.add(connection)
    return connection
  }
  const askKept = async (target: BlobTarget, { bytes }: BlobRequest, into: Uint8Array) => {
    const freeConnection = [...connections].find((one) => one.isFreeFor(target))
    const answer = await freeConnection?.ask(target.url, bytes, into)
    // A server may close a connection at the moment in which it is asked.
    return answer?.status === undefined ? undefined : answer
  }
  return {
    async read(request, into) {
      try {
        const target = await blobTarget(request.url, request.storageUrl, lookUp)
        const { origin } = target.url
        if (others.has(origin)) return await readOther(target, request, { into, signal })
        const answer =
          (await askKept(target, request, into)) ??
          (await connect(target).ask(target.url, request.bytes, into))
        if (answer.status !== 'other') return arrivedBy(answer, into.length)
        others.add(origin)
        return await readOther(target, request, { into, signal })
      } catch (error) {
        if (error instanceof IntegrityError) throw error
        return { bytes: 0, broken: signal.aborted ? brokenOff() : notReached(error) }
      }
    },
    close() {
      closing.abort()
      for (const connection of connections) connection.close()
      connections.clear()
    },
  }
}

/** Node's HTTP client takes a while to load, and few need it. */
async function readOther(target: BlobTarget, { bytes }: BlobRequest, filling: Filling) {
  const { readThroughParser } = await import('./read-through-parser.ts')
  return readThroughParser(target, bytes, filling)
}

function arrivedBy({ status, bytes, failure }: BlobAnswer, expectedBytes: number): ArrivedBytes {
  if (bytes === expectedBytes) return { bytes }
  if (failure !== undefined && status === undefined) return { bytes, broken: notReached(failure) }
  return { bytes, broken: reasonFor(Number(status ?? 0), bytes) }
}
