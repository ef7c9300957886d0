/** A door before the storage: everything passes through it unchanged, and is written down. */

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { filesBySha256 } from './shard-files.ts'

/** One request and its answer. */
export interface Passed {
  /** The repository and ref it names, as uids. */
  readonly place: string
  /** Method and path behind the place, without a query. */
  readonly call: string
  readonly status: number
  /** The bearer token. */
  readonly token: string | undefined
  readonly sentBytes: number
  readonly receivedBytes: number
}

export interface StorageDoor {
  readonly url: string
  readonly passed: readonly Passed[]
  /** Hashes of the files that were registered, by their SHA-256. */
  readonly files: ReadonlyMap<string, string>
  /** Where the storage is. */
  leadTo(storageUrl: string): void
  /** Requests are handed on when this has come back; it is told method and path, and how long the body is said to be. */
  stopEach(act: (call: string, bytes: number) => Promise<void>): void
  close(): Promise<void>
}

/** What the door remembers. */
interface Notes {
  readonly passed: Passed[]
  readonly files: Map<string, string>
}

export async function openStorageDoor(): Promise<StorageDoor> {
  const notes: Notes = { passed: [], files: new Map() }
  let storageUrl = ''
  let stop = async (_call: string, _bytes: number) => {}
  // As patient as the storage itself: a client that computes for long comes back to the same connection.
  const options = { maxHeaderSize: 65_536, keepAliveTimeout: 75_000 }
  const server = createServer(options, (asked, answer) => {
    // Who leaves in the middle has passed nothing.
    stop(`${asked.method} ${asked.url}`, Number(asked.headers['content-length'] ?? 0))
      .then(() => handOn(storageUrl, { asked, answer }, notes))
      .catch(() => answer.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    ...notes,
    leadTo(url) {
      storageUrl = url
    },
    stopEach(act) {
      stop = act
    },
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

interface Exchange {
  readonly asked: IncomingMessage
  readonly answer: ServerResponse
}

/** Everything is on record before the client can know that it is over. */
async function handOn(
  storageUrl: string,
  { asked, answer }: Exchange,
  { passed, files }: Notes,
): Promise<void> {
  const { method = '', url = '', headers } = asked
  const isShard = /\/v\d\/shards$/.test(url)
  const sent = counted({ isKept: isShard })
  const onward = request(new URL(url, storageUrl), { method, headers })
  // A storage may answer without reading everything.
  pipeline(asked, sent.stream, onward).catch(() => {})
  const response = await answerTo(onward)
  const { statusCode: status = 0 } = response
  if (isShard && status === 200) {
    for (const [sha256, hash] of filesBySha256(sent.kept())) files.set(sha256, hash)
  }
  const [, place = '', path = ''] = /^\/r\/([^/]+\/[^/]+)(\/[^?]*)/.exec(url) ?? []
  const known = { place, call: `${method} ${path}`, status, token: bearerOf(headers.authorization) }
  const received = counted({
    onEnd: (receivedBytes) => passed.push({ ...known, sentBytes: sent.bytes(), receivedBytes }),
  })
  answer.writeHead(status, response.headers)
  await pipeline(response, received.stream, answer)
}

function answerTo(onward: ReturnType<typeof request>): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    onward.once('response', done).once('error', fail)
  })
}

function bearerOf(header: string | undefined): string | undefined {
  return header?.replace(/^Bearer /, '')
}

/** Counts what flows through, and keeps it where it is asked to. */
function counted({
  isKept = false,
  onEnd = () => {},
}: {
  readonly isKept?: boolean
  readonly onEnd?: (bytes: number) => void
}) {
  const parts: Buffer[] = []
  let bytes = 0
  const stream = new Transform({
    transform(part: Buffer, _, pass) {
      bytes += part.length
      if (isKept) parts.push(part)
      pass(null, part)
    },
    flush(done) {
      onEnd(bytes)
      done()
    },
  })
  return { stream, bytes: () => bytes, kept: () => Buffer.concat(parts) }
}
