import { acme } from '@latchkey/testing/hub/acme'
import { askExactly, bearer, pathOf, sendRaw } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf } from './compare.ts'
import { readAnswer, requestText } from './raw-answers.ts'

const path = pathOf('read models/acme/bert@main')

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

// conformance: Endpoints / The method is GET
test('a token request with another method than GET or HEAD is refused and told what is allowed', async () => {
  const headers = ['Authorization', bearer(world, 'writer/write')]
  for (const method of [
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'QUERY',
    'PROPFIND',
  ]) {
    const told = await askExactly(world, path, { method, headers })
    expect(codeOf(told), method).toEqual([405, 'method_not_allowed'])
    expect(told.headers.get('allow'), method).toBe('GET, HEAD')
  }
})

// conformance: Malformed requests / The hub rejects unknown methods and targets
test('a method that HTTP does not know is refused and told what is allowed', async () => {
  for (const method of ['FROB', 'get', 'Get', 'GETS']) {
    const answer = readAnswer(await sendRaw(world, requestText(`${method} ${path} HTTP/1.1`)))
    expect([answer.status, answer.json['code']], method).toEqual([405, 'method_not_allowed'])
    expect(answer.headers.get('allow'), method).toBe('GET, HEAD')
  }
})

// conformance: Order of checks / 2. A method other than GET and HEAD gets 405 method_not_allowed
test('a method cannot be overridden by a header', async () => {
  for (const name of ['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method']) {
    const headers = ['Authorization', bearer(world, 'writer/write'), name, 'GET']
    expect(codeOf(await askExactly(world, path, { method: 'POST', headers }))[0], name).toBe(405)
  }
})

// conformance: Order of checks / 2. A method other than GET and HEAD gets 405 method_not_allowed
test('a document is read with GET or HEAD and with nothing else', async () => {
  for (const document of ['/.well-known/jwks.json', '/openapi.json', '/healthz', '/metrics']) {
    for (const method of ['DELETE', 'QUERY']) {
      const told = await askExactly(world, document, { method })
      expect(codeOf(told), document).toEqual([405, 'method_not_allowed'])
      expect(told.headers.get('allow'), document).toBe('GET, HEAD')
    }
    expect((await askExactly(world, document, { method: 'HEAD' })).status, document).toBe(200)
  }
})

// conformance: Malformed requests / The hub rejects unknown methods and targets
test('CONNECT is answered and not just cut off', async () => {
  const answer = readAnswer(await sendRaw(world, requestText('CONNECT cas.example:443 HTTP/1.1')))
  expect([404, 405]).toContain(answer.status)
})
