/** A listener answers under the names it was configured for, so that no page of another name reaches it. */

import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { refuse } from '@latchkey/protocol'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { allowedHosts, hostNameOf } from '../src/http/addresses.ts'
import { type Listener, listen } from '../src/http/listener.ts'
import { pooledRandom } from '../src/machine/random.ts'

const unknownMethod = refuse('method_not_allowed', 'Unknown.', { allow: 'GET' })

function start(hosts: readonly string[]): Promise<Listener> {
  return listen({
    ...{ name: 'shop', host: '127.0.0.1', port: 0, connections: 20, hosts, unknownMethod },
    servesHealth: true,
    randomBytes: pooledRandom(),
    serve: (_request, response) => response.end('served'),
    serveContinue: (_request, response) => response.writeContinue(() => response.end('served')),
  })
}

/** The first line of the answer to these lines. */
function answerTo({ url }: Listener, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write([...lines, 'Connection: close', '', ''].join('\r\n'))
    })
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
    })
    socket.on('close', () => resolve(heard.split('\r\n')[0] ?? ''))
    socket.on('error', reject)
  })
}

const misdirected = 'HTTP/1.1 421 Misdirected Request'
const served = 'HTTP/1.1 200 OK'

describe('a listener that is configured for names', () => {
  let shop: Listener
  beforeAll(async () => {
    shop = await start(['shop.example', 'b\u00fccher.example', '192.0.2.7', '2001:db8::7'])
  })
  afterAll(() => shop.stop(0))
  const under = (host: string, path = '/') =>
    answerTo(shop, [`GET ${path} HTTP/1.1`, `Host: ${host}`])

  // conformance: Guarantees / No web page reaches a listener by DNS rebinding
  // conformance: Attacks / 47. An attacker reaches a listener by DNS rebinding
  test.each([
    ...['evil.example', 'evil.example:80', 'shop.example.evil.example', 'evilshop.example'],
    ...[
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'xn--bcher-kva.evil.example',
      'sub.shop.example',
    ],
    ...['192.0.2.8', '10.0.0.1', '[2001:db8::8]', '0.0.0.0', '', '.', 'a b', '*', 'shop'],
    ...['shop.example@evil.example', 'evil.example/shop.example', 'evil.example#shop.example'],
    ...[
      'shop.example:99999',
      'shop.example, evil.example',
      'http://shop.example',
      '[shop.example]',
    ],
  ])('does not answer under %j', async (host) => {
    expect(await under(host)).toBe(misdirected)
  })

  test.each([
    ...['shop.example', 'shop.example:8443', 'SHOP.Example', 'shop.example.', 'shop.example.:80'],
    ...['xn--bcher-kva.example', '192.0.2.7', '[2001:db8::7]', '[2001:DB8:0:0::7]:443'],
  ])('answers under %j', async (host) => {
    expect(await under(host)).toBe(served)
  })

  test.each(['localhost', 'LOCALHOST:1', 'localhost.', '127.0.0.1', '127.1.2.3:80', '[::1]'])(
    'answers under the loopback name %j',
    async (host) => {
      expect(await under(host)).toBe(served)
    },
  )

  test.each(['/healthz', '/readyz'])('answers %s under any name', async (path) => {
    expect(await under('evil.example', path)).toBe(served)
    expect(await answerTo(shop, [`POST ${path} HTTP/1.1`, 'Host: evil.example'])).toBe(misdirected)
  })

  test.each(['/metrics', '/healthz/x', '/healthz?x', '/x/healthz', '//healthz'])(
    'does not answer %s under any name',
    async (path) => {
      expect(await under('evil.example', path)).toBe(misdirected)
    },
  )

  // conformance: Attacks / 47. An attacker reaches a listener by DNS rebinding
  test('an absolute target must name it too, and does not make up for another Host', async () => {
    const ask = (target: string, host: string) =>
      answerTo(shop, [`GET ${target} HTTP/1.1`, `Host: ${host}`])
    expect(await ask('http://shop.example/', 'shop.example')).toBe(served)
    expect(await ask('http://evil.example/', 'shop.example')).toBe(misdirected)
    expect(await ask('http://shop.example/', 'evil.example')).toBe(misdirected)
    expect(await ask('http://shop.example@evil.example/', 'shop.example')).toBe(misdirected)
    expect(await ask('http:///', 'shop.example')).toBe(misdirected)
    expect(await ask('HTTP://evil.example/', 'shop.example')).toBe(misdirected)
    expect(await ask('/http://evil.example/', 'shop.example')).toBe(served)
  })

  test('HTTP/1.0 may leave its name out, which no browser does', async () => {
    expect(await answerTo(shop, ['GET / HTTP/1.0'])).toBe(served)
    expect(await answerTo(shop, ['GET / HTTP/1.0', 'Host: evil.example'])).toBe(misdirected)
    expect(await answerTo(shop, ['GET / HTTP/1.1'])).toBe('HTTP/1.1 400 Bad Request')
  })

  test('who asks before sending a body is not told to go on under another name', async () => {
    const lines = ['POST / HTTP/1.1', 'Content-Length: 5', 'Expect: 100-continue']
    expect(await answerTo(shop, [...lines, 'Host: evil.example'])).toBe(misdirected)
  })
})

// biome-ignore format: a table is read by its columns
// conformance: Attacks / 47. An attacker reaches a listener by DNS rebinding
test.each([
  ['192.0.2.1',        '192.0.2.1:8080',  true],
  ['::ffff:192.0.2.1', '192.0.2.1',       true],
  ['2001:db8::1',      '[2001:DB8::1]:80', true],
  ['192.0.2.1',        '192.0.2.2',       false],
  ['2001:db8::1',      '[2001:db8::2]',   false],
  ['192.0.2.1',        'evil.example',    false],
  [undefined,          '.',               false],
  [undefined,          '192.0.2.1',       false],
  [undefined,          '@',               false],
])('a listener answers under the address on which a connection came in: %s, %s', (localAddress, host, isAnswered) => {
  const answersTo = allowedHosts(['shop.example'])
  const socket = localAddress === undefined ? {} : { localAddress }
  expect(answersTo({ headers: { host }, url: '/', socket })).toBe(isAnswered)
})

test('a star is every name', async () => {
  const shop = await start(['shop.example', '*'])
  onTestFinished(() => shop.stop(0))
  expect(await answerTo(shop, ['GET / HTTP/1.1', 'Host: evil.example'])).toBe(served)
})

test('a host name is compared without port, case and the dot at its end', () => {
  expect(hostNameOf('A.Example.:80')).toBe('a.example')
  expect(hostNameOf('[0:0::1]:80')).toBe('[::1]')
  expect(hostNameOf('a@b')).toBeUndefined()
})

test('a link-local address is known without its zone', () => {
  const socket = { localAddress: 'fe80::1%eth0' }
  const answers = (host: string) => allowedHosts([])({ headers: { host }, url: '/', socket })
  expect([answers('[fe80::1]:8080'), answers('[fe80::2]')]).toEqual([true, false])
})

// conformance: Attacks / 46. An attacker sends another method or host in the query or proxy headers
test('a client that sends its whole body before it reads can read that the name is wrong', async () => {
  const shop = await start(['shop.example'])
  onTestFinished(() => shop.stop(0))
  const { hostname, port } = new URL(shop.url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  onTestFinished(() => void socket.destroy())
  socket.pause()
  const length = 16 * 1024 * 1024
  socket.write(`POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: ${length}\r\n\r\n`)
  await new Promise((done) => socket.write(Buffer.alloc(length), done))
  expect((await text(socket)).split('\r\n')[0]).toBe(misdirected)
})

describe('a host that was allowed in the request before', () => {
  const request = (host: string, url = '/', localAddress = '192.0.2.1') => ({
    headers: { host },
    url,
    socket: { localAddress },
  })

  test('allows no other host in the target', () => {
    const answersTo = allowedHosts(['shop.example'])
    expect(answersTo(request('shop.example'))).toBe(true)
    expect(answersTo(request('shop.example'))).toBe(true)
    expect(answersTo(request('shop.example', 'http://evil.example/'))).toBe(false)
    expect(answersTo(request('evil.example'))).toBe(false)
  })

  test('by the address of its connection is not allowed on a connection to another', () => {
    const answersTo = allowedHosts(['shop.example'])
    expect(answersTo(request('192.0.2.1'))).toBe(true)
    expect(answersTo(request('192.0.2.1', '/', '192.0.2.2'))).toBe(false)
  })
})
