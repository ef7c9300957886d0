/** Sends every request of docs/reference/token-api.md to a hub, and compares the response with the page. */

import { readFileSync } from 'node:fs'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, hubToken, sendRaw } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'

const page = readFileSync(
  new URL('../../../../docs/reference/token-api.md', import.meta.url),
  'utf8',
)

interface Exchange {
  readonly request: string
  readonly statusLine: string
  readonly headers: readonly string[]
  /** Absent where the response has none. */
  readonly body: string
}

function readExchange(block: string): Exchange {
  const [request = '', head = '', ...rest] = block.trim().split('\n\n')
  const [statusLine = '', ...headers] = head.split('\n')
  return { request, statusLine, headers, body: rest.join('\n\n') }
}

const exchanges = Array.from(page.matchAll(/^```http\n(.*?)^```$/gms), ([, block = '']) =>
  readExchange(block),
)

/** On the page, `…` stands for text that varies. */
function pattern(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return new RegExp(`^${parts.join('.+')}$`)
}

const onEveryResponse = /^(?:Date|Connection|Keep-Alive): /
const who = 'reader/write'
const requestsPerMinute = 30

const worlds: World[] = []
let plain: World
let withCors: World
let compatible: World
let limited: World
beforeAll(async () => {
  const start = async (...change: Parameters<typeof startWorld>) => {
    const world = await startWorld(...change)
    worlds.push(world)
    return world
  }
  plain = await start(acme)
  withCors = await start(acme, { cors: { origins: ['https://app.example'] } })
  compatible = await start(acme, { compat: { huggingface: true } })
  limited = await start(acme, { limits: { requestsPerMinute } })
  for (let count = 0; count < requestsPerMinute; count += 1) {
    await ask(limited, 'read models/acme/bert@main', { as: who })
  }
})
afterAll(async () => {
  for (const world of worlds) await world.close()
})

function worldFor({ request, statusLine }: Exchange): World {
  if (request.includes('\nOrigin: ')) return withCors
  if (request.includes('/xet-')) return compatible
  return statusLine.includes(' 429 ') ? limited : plain
}

async function send({ request }: Exchange, world: World): Promise<Exchange> {
  const filled = request.replace('lk_…', hubToken(world, who)).replaceAll('\n', '\r\n')
  const received = await sendRaw(world, `${filled}\r\n\r\n`)
  return readExchange(`${request}\n\n${received.replaceAll('\r\n', '\n')}`)
}

test('the page has an exchange for success and for each kind of error', () => {
  const statuses = exchanges.map(({ statusLine }) => Number(statusLine.split(' ')[1]))
  expect(statuses).toEqual([200, 200, 204, 401, 401, 403, 404, 429, 200])
})

test.each(exchanges)('$statusLine is the response to $request', async (shown) => {
  const sent = await send(shown, worldFor(shown))
  expect(sent.statusLine).toBe(shown.statusLine)
  const headers = sent.headers.filter((line) => !onEveryResponse.test(line))
  expect(headers).toEqual(shown.headers.map((line) => expect.stringMatching(pattern(line))))
  if (shown.body === '') expect(sent.body).toBe('')
  else expectBody(JSON.parse(sent.body), JSON.parse(shown.body))
})

/** Compares the members that the page shows of a shortened body. */
function expectBody(sent: Record<string, unknown>, shown: Record<string, unknown>): void {
  const { '…': more, ...members } = shown
  if (more === undefined) expect(Object.keys(sent)).toEqual(Object.keys(members))
  for (const [name, value] of Object.entries(members)) {
    if (typeof value === 'string') expect(sent[name], name).toMatch(pattern(value))
    else expect(sent[name], name).toBe(value)
  }
}

test('every response has the headers that the page says all have', async () => {
  const keep = { connection: 'keep-alive' }
  const { headers } = await ask(plain, 'read models/acme/bert@main', { as: who, headers: keep })
  for (const name of ['date', 'connection', 'keep-alive', 'x-request-id', 'cache-control']) {
    expect(headers.get(name), name).not.toBeNull()
  }
})
