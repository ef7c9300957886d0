/** A door before the storage: counts the bytes of xorbs, and can keep requests waiting for ever. */

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Door {
  readonly url: string
  /** Bytes of xorbs that clients have sent so far, whatever became of them. */
  xorbBytes(): number
  /** The length of all xorbs that the storage has taken, each as often as it was. */
  keptBytes(): number
  shards(): number
  /** How many different tokens were sent so far. */
  tokens(): number
  /** Lets everything pass from now on. */
  open(): void
  /** Lets so many xorbs pass, and answers no other; comes back when they are kept and another one waits. */
  stopAfter(xorbs: number): Promise<void>
  /** Answers no shard; comes back when one waits. */
  stopShards(): Promise<void>
  /** Lets so many xorbs pass, and no other until it is opened; comes back when they are kept and so many wait. */
  delayXorbs(counts?: { readonly passing?: number; readonly waiting?: number }): Promise<Sent>
  /** Lets no shard pass until it is opened; comes back when one waits. */
  delayShards(): Promise<Sent>
  /** The length of all xorbs so far that have begun and were not kept. */
  lostBytes(): number
  /** While nothing is under way. */
  countAnew(): void
  /** Breaks all connections, and takes no new ones until it is opened. */
  shut(): void
  close(): Promise<void>
}

/** What the first of those that wait was sent with. */
export interface Sent {
  /** The storage as the hub named it to the client. */
  readonly casUrl: string
  readonly authorization: string
}

interface Rule {
  mayPass(call: string): boolean
  /** When the others pass; undefined is never. */
  readonly later?: Promise<void>
  /** Asked after everything that happens. */
  isReached(): boolean
  reached(): void
}

const isXorb = (call: string) => /^POST .*\/v1\/xorbs\//.test(call)
const isShard = (call: string) => /^POST .*\/v1\/shards$/.test(call)
const everything: Rule = { mayPass: () => true, isReached: () => false, reached() {} }

/** `storagePort` is where the storage listens, once it does. */
export async function openDoor(storagePort: number): Promise<Door> {
  const counted = { xorbBytes: 0, keptBytes: 0, shards: 0, kept: 0 }
  const tokens = new Set<string | undefined>()
  const unkept = new Map<ServerResponse, number>()
  const waiting = new Map<string, Sent>()
  let rule = everything
  let isShut = false
  let opened = Promise.withResolvers<void>()
  const look = () => {
    if (rule.isReached()) rule.reached()
  }
  const server = createServer(async (asked, answer) => {
    const call = `${asked.method} ${asked.url}`
    const length = isXorb(call) ? Number(asked.headers['content-length']) : 0
    unkept.set(answer, length)
    tokens.add(asked.headers.authorization)
    const { mayPass, later } = rule
    const isPassing = mayPass(call)
    if (!isPassing) waiting.set(call, sentWith(asked))
    look()
    if (!isPassing) await later
    asked.on('data', (part: Buffer) => {
      if (isXorb(call)) counted.xorbBytes += part.length
    })
    // What waits for ever is read all the same, so that the client has really sent it.
    if (!isPassing && later === undefined) return
    const status = await handOn(storagePort, asked, answer)
    if (status === 200) unkept.delete(answer)
    if (status === 200 && isShard(call)) counted.shards += 1
    if (status === 200 && isXorb(call)) counted.kept += 1
    if (status === 200) counted.keptBytes += length
    look()
  })
  server.on('connection', (socket) => void (isShut && socket.destroy()))
  const until = (rest: Omit<Rule, 'reached'>) =>
    new Promise<void>((reached) => {
      rule = { ...rest, reached }
      look()
    })
  const delay = async (
    isDelayed: (call: string) => boolean,
    { passing = 0, waiting: most = 1 } = {},
  ) => {
    let left = passing
    const last = counted.kept + passing
    opened = Promise.withResolvers()
    await until({
      mayPass: (call) => !isDelayed(call) || left-- > 0,
      later: opened.promise,
      isReached: () => counted.kept >= last && waiting.size >= most,
    })
    const [first] = waiting.values()
    if (first === undefined) throw new Error('nothing waits')
    return first
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    xorbBytes: () => counted.xorbBytes,
    keptBytes: () => counted.keptBytes,
    shards: () => counted.shards,
    tokens: () => tokens.size,
    open() {
      isShut = false
      rule = everything
      opened.resolve()
      waiting.clear()
    },
    stopAfter(xorbs) {
      let left = xorbs
      const last = counted.kept + xorbs
      return until({
        mayPass: (call) => !isXorb(call) || left-- > 0,
        isReached: () => counted.kept >= last && waiting.size > 0,
      })
    },
    stopShards: () =>
      until({ mayPass: (call) => !isShard(call), isReached: () => waiting.size > 0 }),
    delayXorbs: (counts) => delay(isXorb, counts),
    delayShards: () => delay(isShard),
    lostBytes: () => unkept.values().reduce((sum, length) => sum + length, 0),
    countAnew() {
      Object.assign(counted, { xorbBytes: 0, keptBytes: 0, shards: 0, kept: 0 })
      tokens.clear()
      unkept.clear()
    },
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

function sentWith({ url = '', headers: { host, authorization = '' } }: IncomingMessage): Sent {
  return { casUrl: `http://${host}${url.replace(/\/v1\/.*/, '')}`, authorization }
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
