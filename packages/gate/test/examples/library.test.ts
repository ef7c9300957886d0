import type { RequestListener } from 'node:http'
import { serving } from '@latchkey/testing/gate/gateway'
import { listeningHub } from '@latchkey/testing/gate/listening-hub'
import { describe, expect, test } from 'vitest'

type Ask = (path: string, init?: RequestInit) => Promise<Response>

const origin = 'http://127.0.0.1:8081'

/** Each example as a function from path to response. */
const examples: Readonly<Record<string, () => Promise<Ask>>> = {
  async 'fetch-handler.ts'() {
    const { handler } = await import('../../../../examples/library/fetch-handler.ts')
    return (path, init) => handler(new Request(origin + path, init))
  },
  async 'node-http.ts'() {
    const { server } = await import('../../../../examples/library/node-http.ts')
    return over((request, response) => server.emit('request', request, response))
  },
  async 'express-app.ts'() {
    const { app } = await import('../../../../examples/library/express-app.ts')
    return over(app)
  },
  async 'fastify-app.ts'() {
    const { app } = await import('../../../../examples/library/fastify-app.ts')
    await app.ready()
    return over(app.routing)
  },
}

async function over(listener: RequestListener): Promise<Ask> {
  const { url } = await serving(listener)
  return (path, init) => fetch(url + path, init)
}

describe.each(Object.keys(examples))('examples/library/%s', (name) => {
  test('serves the holder of a right token, and nobody else', async () => {
    const casUrl = `${origin}/r/{repo}/{ref}`
    const hub = await listeningHub(casUrl)
    process.env['HUB_URL'] = hub.url
    process.env['CAS_URL'] = casUrl
    const asked = (await examples[name]?.()) as Ask
    const prefix = hub.path('models/acme/bert', 'main')
    const headers = { authorization: `Bearer ${hub.token()}` }
    const admitted = await asked(`${prefix}/v1/chunks/default/abc`, { headers })
    expect([admitted.status, await admitted.json()]).toEqual([
      200,
      {
        method: 'GET',
        path: '/v1/chunks/default/abc',
        repository: 'models/acme/bert',
        ref: 'refs/heads/main',
      },
    ])
    const write = await asked(`${prefix}/v1/shards`, { method: 'POST', headers, body: 'x' })
    expect([write.status, await write.json()]).toMatchObject([403, { code: 'insufficient_scope' }])
    const nobody = await asked(`${prefix}/v1/chunks/default/abc`)
    expect([nobody.status, await nobody.json()]).toMatchObject([
      401,
      { code: 'storage_token_missing' },
    ])
  })
})
