/** Pages of listed origins may use the storage, and read what they need of its answers. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller, Recipe } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

const origin = 'https://page.example'
const content = contentOf('for a page')
const call = `/v1/xorbs/default/${content.xorb.hash}`
const preflight = { origin, 'access-control-request-method': 'POST' }

let stage: Stage
let caller: Caller
beforeAll(async () => {
  stage = await openStage({ settings: { cors: { origins: [origin] } } })
  caller = await stage.caller(`write ${await stage.newRepository()}@main`)
  await put(caller, content)
})
afterAll(() => stage.close())

test('a page of another origin is allowed nothing', async () => {
  const headers = { ...preflight, origin: 'https://other.example' }
  const asked = await caller.ask(`OPTIONS ${call}`, { token: null, headers })
  const told = await caller.ask(`GET ${call}`, { headers: { origin: headers.origin } })
  for (const answer of [asked, told]) {
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('a preflight is answered without a token', async () => {
  const told = await caller.ask(`OPTIONS ${call}`, { token: null, headers: preflight })
  expect([told.status, told.text]).toEqual([204, ''])
  expect(told.headers.get('access-control-allow-origin')).toBe(origin)
  const methods = told.headers.get('access-control-allow-methods')?.split(', ')
  expect(methods).toEqual(expect.arrayContaining(['GET', 'HEAD', 'POST', 'PUT']))
  const allowed = told.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
  expect(allowed).toEqual(
    expect.arrayContaining(['authorization', 'content-type', 'range', 'x-xet-session-id']),
  )
})

test('answers, refusals and blobs can be read by the page', async () => {
  const { json } = await caller.ask(`GET /v2/reconstructions/${content.file.hash}`)
  const [given] = (json as unknown as Recipe).xorbs[content.xorb.hash] ?? []
  const headers = { origin }
  const answers = [
    await caller.ask(`GET ${call}`, { headers }),
    await caller
      .upload(content.xorb)
      .then(() => caller.ask('POST /v2/shards', { headers, body: '' })),
    await caller.ask(`GET ${call}`, { headers, token: null }),
    await caller.ask(`GET ${call.slice(0, -1)}`, { headers }),
    await caller.fetch(given?.url ?? '', { headers: { ...headers, range: 'bytes=0-9' } }),
    await caller.fetch(given?.url ?? '', { headers }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 404, 206, 403])
  for (const told of answers) {
    expect(told.headers.get('access-control-allow-origin')).toBe(origin)
    expect(told.headers.get('vary')).toMatch(/origin/i)
    const exposed = told.headers.get('access-control-expose-headers')?.toLowerCase().split(', ')
    const needed = ['content-range', 'x-request-id', 'x-error-message', 'date']
    expect(exposed).toEqual(expect.arrayContaining(needed))
  }
})
