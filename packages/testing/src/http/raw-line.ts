/** One end of a TCP connection on which bytes are said exactly as given, with all that was heard. */

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { bearer } from '../gate/storage-tokens.ts'

export interface RawLine {
  readonly socket: Socket
  say(...bytes: readonly (string | Buffer)[]): void
  heard(): string
  /** All that was heard, once it matches; fails when the line ends before. */
  hears(what: Wanted): Promise<string>
  /** All that was heard, once the line has ended, however it ended. */
  toTheEnd(): Promise<string>
  isOver(): boolean
  /** Why the line broke; undefined when it ended in peace or still stands. */
  broke(): string | undefined
}

/** Whoever says nothing for so long has nothing more to say. */
const patienceMs = 60_000

export type Wanted = string | RegExp | ((heard: string) => boolean)

function lineOn(socket: Socket): RawLine {
  let heard = ''
  let broke: string | undefined
  let isOver = false
  socket.setNoDelay(true)
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1')
    socket.emit('heard')
  })
  socket.on('error', (error) => {
    broke = 'code' in error ? String(error.code) : error.message
  })
  socket.on('close', () => {
    isOver = true
    socket.emit('heard')
  })
  const more = async () => {
    const signal = AbortSignal.timeout(patienceMs)
    // A line that breaks is heard of by its end.
    await once(socket, 'heard', { signal }).catch(() => {})
    if (!signal.aborted) return
    throw new Error(`nothing more was heard in ${patienceMs} ms after: ${heard.slice(-300)}`)
  }
  const fits = (what: Wanted) => {
    if (typeof what === 'function') return what(heard)
    return typeof what === 'string' ? heard.includes(what) : what.test(heard)
  }
  return {
    socket,
    say(...bytes) {
      for (const part of bytes) socket.write(part, 'latin1')
    },
    heard: () => heard,
    async hears(what) {
      while (!fits(what)) {
        if (isOver) throw new Error(`the line ended before ${what} was heard: ${heard}`)
        await more()
      }
      return heard
    },
    async toTheEnd() {
      while (!isOver) await more()
      return heard
    },
    isOver: () => isOver,
    broke: () => broke,
  }
}

export async function dial(url: string): Promise<RawLine> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return lineOn(socket)
}

/** Says it on a line of its own, and gives all that comes back until the other side ends. */
export async function saidAlone(url: string, ...bytes: readonly (string | Buffer)[]) {
  const line = await dial(url)
  line.say(...bytes)
  return line.toTheEnd()
}

/** The lines of a request up to the empty one, with Host and a token unless told otherwise. */
export function head(
  firstLine: string,
  more: readonly string[] = [],
  { host = 'cas.example', authorization = bearer({ scope: 'write' }) }: HeadOptions = {},
): string {
  const token = authorization === null ? [] : [`Authorization: ${authorization}`]
  return `${[`${firstLine} HTTP/1.1`, `Host: ${host}`, ...token, ...more].join('\r\n')}\r\n\r\n`
}

interface HeadOptions {
  readonly host?: string
  readonly authorization?: string | null
}

export interface RawUpstream {
  readonly url: string
  readonly lines: readonly RawLine[]
  /** The connection of this number, as soon as it is there. */
  line(index: number): Promise<RawLine>
}

/** An upstream that says what the test says; `talk` is called for every connection. */
export async function rawUpstream(
  talk: (line: RawLine, index: number) => void | Promise<void> = () => {},
): Promise<RawUpstream> {
  const lines: RawLine[] = []
  const server = createServer({ allowHalfOpen: false }, (socket) => {
    const line = lineOn(socket)
    lines.push(line)
    server.emit('line')
    // A test that is over leaves its conversations unfinished.
    void Promise.resolve(talk(line, lines.length - 1)).catch(() => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const { socket } of lines) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    lines,
    async line(index) {
      for (;;) {
        const line = lines[index]
        if (line !== undefined) return line
        await once(server, 'line')
      }
    },
  }
}
