/** A door before the storage: counts the bytes of xorbs, and can keep requests waiting for ever. */

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Door {
  readonly url: string
  /** Bytes of xorbs that clients have sent so far, whatever became of them. */
  xorbBytes(): number
  shards(): number
  /** Lets everything pass from now on. */
  open(): void
  /** Lets so many xorbs pass, and answers no other; comes back when they are kept and another one waits. */
  stopAfter(xorbs: number): Promise<void>
  /** Answers no shard; comes back when one waits. */
  stopShards(): Promise<void>
  /** Lets no xorb pass until it is opened; comes back when one waits, with what it was sent with. */
  delayXorbs(): Promise<Sent>
  /** The length of all xorbs so far that have begun and were not kept. */
  lostBytes(): number
  /** Breaks all connections, and takes no new ones until it is opened. */
  shut(): void
  close(): Promise<void>
}

export interface Sent {
  /** The storage as the hub named it to the client. */
  readonly casUrl: string
  readonly authorization: string
}

interface Rule {
  mayPass(call: string): boolean
  /** Asked after everything that happens. */
  isReached(): boolean
  reached(): void
}

const isXorb = (call: string) => /^POST .*\/v1\/xorbs\//.test(call)
const isShard = (call: string) => /^POST .*\/v1\/shards$/.test(call)
const everything: Rule = { mayPass: () => true, isReached: () => false, reached() {} }

/** `storagePort` is where the storage listens, once it does. */
export async function openDoor(storagePort: number): Promise<Door> {
  const counted = { xorbBytes: 0, shards: 0, kept: 0 }
  const unkept = new Map<ServerResponse, number>()
  const waiting = new Set<string>()
  let rule = everything
  let isShut = false
  let delayed: ReturnType<typeof delay> | undefined
  const look = () => {
    if (rule.isReached()) rule.reached()
  }
  const server = createServer(async (asked, answer) => {
    const call = `${asked.method} ${asked.url}`
    const length = isXorb(call) ? Number(asked.headers['content-length']) : 0
    unkept.set(answer, length)
    if (isXorb(call)) await delayed?.wait(asked)
    asked.on('data', (part: Buffer) => {
      if (isXorb(call)) counted.xorbBytes += part.length
    })
    const isPassing = rule.mayPass(call)
    if (!isPassing) waiting.add(call)
    look()
    // What waits is read all the same, so that the client has really sent it.
    if (!isPassing) {
      asked.resume()
      return
    }
    const status = await handOn(storagePort, asked, answer)
    if (status === 200) unkept.delete(answer)
    if (status === 200 && isShard(call)) counted.shards += 1
    if (status === 200 && isXorb(call)) counted.kept += 1
    look()
  })
  server.on('connection', (socket) => void (isShut && socket.destroy()))
  const until = (mayPass: Rule['mayPass'], isReached: Rule['isReached']) =>
    new Promise<void>((reached) => {
      rule = { mayPass, isReached, reached }
      look()
    })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    xorbBytes: () => counted.xorbBytes,
    shards: () => counted.shards,
    open() {
      isShut = false
      rule = everything
      delayed?.end()
      delayed = undefined
      waiting.clear()
    },
    stopAfter(xorbs) {
      let left = xorbs
      const last = counted.kept + xorbs
      return until(
        (call) => !isXorb(call) || left-- > 0,
        () => counted.kept >= last && waiting.size > 0,
      )
    },
    stopShards: () =>
      until(
        (call) => !isShard(call),
        () => waiting.size > 0,
      ),
    delayXorbs() {
      delayed = delay()
      return delayed.first
    },
    lostBytes: () => unkept.values().reduce((sum, length) => sum + length, 0),
    shut() {
      isShut = true
      server.closeAllConnections()
    },
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

function delay() {
  const [first, over] = [Promise.withResolvers<Sent>(), Promise.withResolvers<void>()]
  return {
    first: first.promise,
    wait({ url = '', headers: { host, authorization = '' } }: IncomingMessage): Promise<void> {
      first.resolve({ casUrl: `http://${host}${url.replace(/\/v1\/.*/, '')}`, authorization })
      return over.promise
    },
    end: over.resolve,
  }
}

/** Gives the status; undefined where either side has gone. */
function handOn(
  port: number,
  asked: IncomingMessage,
  answer: ServerResponse,
): Promise<number | undefined> {
  const { method = 'GET', url = '/', headers } = asked
  return new Promise((resolve) => {
    const failed = () => {
      answer.destroy()
      resolve(undefined)
    }
    const handed = request({ host: '127.0.0.1', port, method, path: url, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      given.on('error', failed)
      given.pipe(answer)
      answer.on('finish', () => resolve(given.statusCode))
    })
    handed.on('error', failed)
    answer.on('close', () => {
      if (!answer.writableFinished) handed.destroy()
    })
    asked.pipe(handed)
  })
}
