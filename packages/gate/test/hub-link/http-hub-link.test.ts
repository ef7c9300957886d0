/** The link over HTTP: it trusts no answer, waits for none without end, and tells its credential to the hub alone. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { HubLinkError, httpHubLink } from '@latchkey/gate/hub-link'
import { asRefUid, asRepositoryUid, journalNumber, Secret } from '@latchkey/protocol'
import { serving } from '@latchkey/testing/gate/gateway'
import { publishedRevocations } from '@latchkey/testing/gate/published-revocations'
import { issuer, movedClock } from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, test } from 'vitest'
import { hubAsker } from '../../src/hub-link/ask-hub.ts'

const canary = `lk_${'Canary'.repeat(8)}x`
const credential = new Secret('hub-token', canary)
const { now: clock } = movedClock()
const after = journalNumber(5)

async function linkTo(answer: RequestListener) {
  const { url } = await serving(answer)
  return httpHubLink({ hubUrl: url, credential, clock })
}

function answering(status: number, value: unknown): RequestListener {
  const body = typeof value === 'string' ? value : JSON.stringify(value)
  return (_request, response) => void response.writeHead(status).end(body)
}

/** Every question fails in the same way. */
async function failuresOf(answer: RequestListener): Promise<HubLinkError[]> {
  const link = await linkTo(answer)
  const questions = [
    link.changes({ after }),
    link.changes({}),
    link.raiseEpochs([asRepositoryUid('a')]),
    link.findUnknown([asRefUid('a')]),
  ]
  const settled = await Promise.allSettled(questions)
  return settled.map((one) => {
    if (one.status === 'fulfilled') throw new Error('a question was answered')
    expect(one.reason).toBeInstanceOf(HubLinkError)
    const told = [inspect(one.reason, { depth: 9 }), String(one.reason), one.reason.stack]
    expect(told.join()).not.toContain('Canary')
    return one.reason
  })
}

describe('where the credential goes', () => {
  test('into the header of every question, and into no URL', async () => {
    const asked: IncomingMessage[] = []
    const link = await linkTo((request, response) => {
      asked.push(request)
      const answer = { number: 5, removed: [], complete: true, raised: 1, unknown: [] }
      response.end(JSON.stringify(answer))
    })
    await link.changes({ after, waitSeconds: 7 })
    await link.changes({ after, known: journalNumber(9) })
    await link.changes({})
    await link.raiseEpochs([asRepositoryUid('a')])
    await link.findUnknown([asRefUid('a')])
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /link/v1/changes?after=5&wait=7',
      'GET /link/v1/changes?after=5&known=9',
      'GET /link/v1/changes',
      'POST /link/v1/epochs',
      'POST /link/v1/places',
    ])
    for (const { headers } of asked) expect(headers.authorization).toBe(`Bearer ${canary}`)
  })

  test('not with the question for keys', async () => {
    let asked: IncomingMessage | undefined
    const link = await linkTo((request, response) => {
      asked = request
      response.end('{"keys":[]}')
    })
    await link.keys.refresh()
    expect(asked?.url).toBe('/.well-known/jwks.json')
    expect(asked?.headers).not.toHaveProperty('authorization')
  })

  test('not with the questions for revocations, which come from the hub under the name it gives itself', async () => {
    const clock = movedClock()
    const revocations = publishedRevocations(clock.now)
    const asked: IncomingMessage[] = []
    const hub = await serving((request, response) => {
      asked.push(request)
      revocations.answer(request, response)
    })
    const failures: unknown[] = []
    const linked = (more: object) =>
      httpHubLink({
        ...{ hubUrl: hub.url, credential, clock: clock.now, ...more },
        onRevocationFailure: (error) => failures.push(error),
      }).revocations
    const named = linked({ issuer, pollSeconds: 3 })
    await named.refresh()
    expect(named.latest()?.state()).toBe('current')
    expect(named.bounds.normalSeconds).toBe(7)
    expect(failures).toEqual([])
    const unnamed = linked({})
    await unnamed.refresh()
    expect(unnamed.latest()).toBeUndefined()
    expect(failures).toHaveLength(1)
    for (const { headers } of asked) expect(headers).not.toHaveProperty('authorization')
  })

  test.each([301, 302, 303, 307, 308])('not to where a %i sends it', async (status) => {
    let arrived = 0
    const elsewhere = await serving((_request, response) => {
      arrived += 1
      response.end()
    })
    const failures = await failuresOf((_request, response) => {
      response.writeHead(status, { Location: `${elsewhere.url}/link/v1/changes` }).end()
    })
    for (const { message } of failures) expect(message).toContain(String(status))
    expect(arrived).toBe(0)
  })

  test.each(['http://hub.example', 'http://10.0.0.7:8080', 'http://127.0.0.1.hub.example'])(
    'not over plain http to another machine: %s',
    (hubUrl) => {
      const options = { hubUrl, credential, clock }
      expect(() => httpHubLink(options)).toThrow(/^hubUrl: .*allowPlainHttp$/)
      expect(httpHubLink({ ...options, allowPlainHttp: true })).toHaveProperty('keys')
    },
  )

  test.each([
    'https://hub.example/',
    'https://ada:x@hub.example',
    'hub.example',
    'ftp://hub.example',
  ])('not to what is no URL of a service: %s', (hubUrl) => {
    expect(() => httpHubLink({ hubUrl, credential, clock })).toThrow(/^hubUrl: /)
  })

  test.each(['', 'Canary\n', 'Canary x', 'Canaryé', '\u0000Canary'])(
    'nowhere where it could be no header: %j',
    (text) => {
      const open = () =>
        httpHubLink({
          hubUrl: 'https://hub.example',
          credential: new Secret('hub-token', text),
          clock,
        })
      expect(open).toThrow(/^credential: (?!.*Canary)/)
    },
  )
})

describe('a hub that does not answer as a hub', () => {
  test.each([204, 206, 400, 404, 410, 429, 500, 502, 503])('with status %i', async (status) => {
    const good = { number: 5, removed: [], complete: true, raised: 0, unknown: [] }
    const body = status === 204 ? '' : good
    for (const { message } of await failuresOf(answering(status, body))) {
      expect(message).toContain(String(status))
    }
  })

  test.each([
    [401, 'hub_token_invalid'],
    [403, 'permission_denied'],
  ])('with %i tells that the credential is refused, and how to make one', async (status, code) => {
    for (const { message } of await failuresOf(answering(status, { code }))) {
      expect(message).toContain(`(${status} ${code})`)
      expect(message).toContain('--kind storage')
    }
  })

  test('repeats nothing that it was sent but a code', async () => {
    const shown = { code: 'x\ny', detail: `your token is ${canary}` }
    for (const { message } of await failuresOf(answering(500, shown))) {
      expect(message).toMatch(/status 500$/)
    }
  })

  test.each([
    ['with a page of HTML', '<!doctype html><title>Sign in</title>'],
    ['with half of it', '{"number":5,"remo'],
    ['with nothing', ''],
    ['with 300 KB', JSON.stringify({ number: 5, removed: [], padding: 'x'.repeat(300_000) })],
  ])('%s', async (_, body) => {
    await failuresOf(answering(200, body))
  })

  test('by ending every connection, which is asked twice and no more', async () => {
    let arrived = 0
    const failures = await failuresOf(({ socket }) => {
      arrived += 1
      socket.destroy()
    })
    for (const { message } of failures) expect(message).toMatch(/cannot be reached \(/)
    expect(arrived).toBe(2 * failures.length)
  })

  test('by not being there', async () => {
    const gone = await serving(() => {})
    await gone.close()
    const link = httpHubLink({ hubUrl: gone.url, credential, clock })
    await expect(link.changes({})).rejects.toThrow(/cannot be reached \(ECONNREFUSED\)/)
  })

  test.each([
    ['by saying nothing', () => {}],
    ['by stopping in the middle', (response: ServerResponse) => void response.write('{"number":')],
    [
      'by saying a little at a time',
      (response: ServerResponse) => {
        const drip = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(drip))
      },
    ],
  ])('%s is given up in time', async (_, answer) => {
    const hub = await serving((_request, response) => answer(response))
    const asking = hubAsker(hub.url, credential)({ path: '/link/v1/changes', patienceMs: 200 })
    await expect(asking).rejects.toThrow(/did not answer within 0.2 s/)
    await expect(asking).rejects.toThrow(HubLinkError)
  })
})

test('a question on a connection that the hub has just closed is asked once more', async () => {
  let arrived = 0
  const link = await linkTo(({ socket }, response) => {
    arrived += 1
    if (arrived === 2) socket.destroy()
    else response.end('{"number":5,"removed":[],"complete":true}')
  })
  for (let count = 0; count < 3; count += 1) expect((await link.changes({})).number).toBe(5)
  expect(arrived).toBe(4)
})

test('a question waits no longer than a hub lets it', async () => {
  const urls: (string | undefined)[] = []
  const link = await linkTo((request, response) => {
    urls.push(request.url)
    response.end('{"number":5,"removed":[],"complete":true}')
  })
  await link.changes({ after, waitSeconds: 90.5 })
  await link.changes({ after, waitSeconds: 0.5 })
  expect(urls).toEqual(['/link/v1/changes?after=5&wait=60', '/link/v1/changes?after=5'])
})
