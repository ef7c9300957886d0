import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, pathOf, sendRaw, type Told } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAnswer, requestText } from './raw-answers.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(acme, { limits: { requestsPerMinute: 10 } })
})
afterAll(() => world.close())

/** One request for every status that a token request can be answered with. */
async function oneOfEach(): Promise<readonly Told[]> {
  const raw = async (line: string, ...headers: readonly string[]): Promise<Told> => {
    const answer = readAnswer(await sendRaw(world, requestText(line, ...headers)))
    return { ...answer, text: answer.body }
  }
  for (let count = 0; count < 10; count += 1) {
    await ask(world, 'read models/acme/bert@main', { as: 'writer/read' })
  }
  return [
    await ask(world, 'read models/acme/bert@main', { as: 'reader/write' }),
    await ask(world, 'read models/acme/bert@main', { as: 'reader/write', method: 'HEAD' }),
    await ask(world, 'read models/acme/bert@main'),
    await ask(world, 'read models/acme/bert@main', { headers: { authorization: 'Bearer x' } }),
    await ask(world, 'write models/acme/bert@main', { as: 'reader/write' }),
    await ask(world, 'read models/acme/none@main', { as: 'reader/write' }),
    await ask(world, 'read models/acme/bert@none', { as: 'reader/write' }),
    await ask(world, '/nowhere'),
    await ask(world, 'read models/acme/bert@main', { method: 'DELETE' }),
    await ask(world, '/healthz', { method: 'DELETE' }),
    await ask(world, 'read models/acme/bert@main', { as: 'writer/read' }),
    await raw('GET / HTTP/7.7'),
    await raw('FROB / HTTP/1.1'),
    await raw('GET / HTTP/1.1', `X-Long: ${'x'.repeat(100 * 1024)}`),
  ]
}

let answers: readonly Told[]
beforeAll(async () => {
  answers = await oneOfEach()
})
const refusals = () => answers.filter(({ status }) => status >= 400)

// conformance: Responses / Every response has X-Request-Id, Cache-Control: no-store and Date
test('the answers judged here have every status of the token request', () => {
  const statuses = [200, 200, 401, 401, 403, 404, 404, 404, 405, 405, 429, 400, 405, 431]
  expect(answers.map(({ status }) => status)).toEqual(statuses)
})

// conformance: Responses / Every response has X-Request-Id, Cache-Control: no-store and Date
test('every answer carries a request id of its own', () => {
  const ids = answers.map(({ headers }) => headers.get('x-request-id'))
  for (const id of ids) expect(id).toMatch(/^[a-z2-7]{26}$/)
  expect(new Set(ids).size).toBe(ids.length)
})

// conformance: Responses / Every response has X-Request-Id, Cache-Control: no-store and Date
test('a request id sent by the client is not taken over', async () => {
  const headers = { 'x-request-id': 'mine', 'request-id': 'mine' }
  for (const path of ['read models/acme/bert@main', '/nowhere', '/healthz']) {
    expect((await ask(world, path, { headers })).headers.get('x-request-id')).not.toBe('mine')
  }
})

// conformance: Responses / Every response has X-Request-Id, Cache-Control: no-store and Date
test('every answer forbids caches to keep it', () => {
  for (const { status, headers } of answers) {
    expect(headers.get('cache-control'), String(status)).toBe('no-store')
  }
})

// conformance: Responses / Every response has X-Request-Id, Cache-Control: no-store and Date
test('every answer carries the date', () => {
  for (const { status, headers } of answers) {
    expect(Date.parse(headers.get('date') ?? ''), String(status)).not.toBeNaN()
  }
})

// conformance: Responses / Every error is a problem document (RFC 9457)
test('every refusal is a problem document with a stable code', () => {
  for (const { status, headers, json } of refusals()) {
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(json).toMatchObject({
      type: `urn:latchkey:refusal:${json['code']}`,
      title: expect.stringMatching(/./),
      status,
      detail: expect.stringMatching(/^[A-Z].+\.$/s),
      requestId: headers.get('x-request-id'),
      error: json['detail'],
    })
  }
})

// conformance: Responses / Every error is a problem document (RFC 9457)
test('the length of a refusal is told in bytes', () => {
  for (const { headers, text } of refusals()) {
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  }
})

// conformance: Responses / Every error is a problem document (RFC 9457)
test('a client that accepts plain JSON alone gets refusals as plain JSON', async () => {
  const typeFor = async (accept: string, path: string) =>
    (await ask(world, path, { headers: { accept } })).headers.get('content-type')
  for (const path of ['read models/acme/bert@main', '/nowhere']) {
    expect(await typeFor('application/json', path)).toBe('application/json')
    expect(await typeFor('application/json, text/plain', path)).toBe('application/json')
    expect(await typeFor('application/problem+json, application/json', path)).toBe(
      'application/problem+json',
    )
    expect(await typeFor('*/*', path)).toBe('application/problem+json')
  }
})

// conformance: Order of checks / 3. A missing Authorization header or another scheme gets 401 hub_token_missing
test('a 401 for a missing hub token carries a bare Bearer challenge', async () => {
  const { headers } = await ask(world, 'read models/acme/bert@main')
  expect(headers.get('www-authenticate')).toBe('Bearer realm="latchkey"')
})

// conformance: Order of checks / 4. An invalid hub token gets 401 hub_token_invalid
test('a 401 for an invalid hub token carries the error invalid_token', async () => {
  const { headers } = await ask(world, 'read models/acme/bert@main', {
    headers: { authorization: 'Bearer nonsense' },
  })
  expect(headers.get('www-authenticate')).toMatch(
    /^Bearer realm="latchkey", error="invalid_token", error_description="[\x20\x21\x23-\x5b\x5d-\x7e]+"$/,
  )
})

// conformance: Order of checks / 7. A hub token without permission gets 403 permission_denied
test('a 403 carries the error insufficient_scope', async () => {
  const { headers } = await ask(world, 'write models/acme/bert@main', { as: 'reader/write' })
  expect(headers.get('www-authenticate')).toMatch(
    /^Bearer realm="latchkey", error="insufficient_scope", error_description="[\x20\x21\x23-\x5b\x5d-\x7e]+"$/,
  )
})

// conformance: Responses / Challenges follow RFC 6750
test('only a 401 or a 403 carries a challenge', () => {
  for (const { status, headers } of answers) {
    const challenged = headers.get('www-authenticate') !== null
    expect(challenged, String(status)).toBe(status === 401 || status === 403)
  }
})

// conformance: Responses / X-Error-Message has the text that Hugging Face clients expect, in ASCII
test('the X-Error-Message of every 401 is the sentence that clients look for', () => {
  const texts = answers.filter(({ status }) => status === 401)
  for (const { headers } of texts) {
    expect(headers.get('x-error-message')).toBe('Invalid credentials in Authorization header')
  }
})

// conformance: Responses / X-Error-Message has the text that Hugging Face clients expect, in ASCII
test('the X-Error-Message of any other refusal is its sentence', () => {
  for (const { status, headers, json } of refusals()) {
    if (status === 401) continue
    expect(headers.get('x-error-message')).toBe(json['detail'])
  }
})

// conformance: Order of checks / 8. A revision that does not exist gets 404 revision_not_found
test('only a missing repository and a missing revision have an X-Error-Code', () => {
  const codes = answers.map(({ json, headers }) => [json['code'], headers.get('x-error-code')])
  for (const [code, header] of codes) {
    const expected =
      code === 'repository_not_found'
        ? 'RepoNotFound'
        : code === 'revision_not_found'
          ? 'RevisionNotFound'
          : null
    expect(header, String(code)).toBe(expected)
  }
})

// conformance: Responses / X-Error-Message has the text that Hugging Face clients expect, in ASCII
test('text that is not ASCII is percent-encoded in headers and plain in the body', async () => {
  const path = pathOf('write models/acme/bert@feature/x#1%2F+é')
  const { headers, json } = await ask(world, path, { as: 'reader/write' })
  for (const name of ['x-error-message', 'www-authenticate']) {
    expect(headers.get(name)).toMatch(/^[\x20-\x7e]+$/)
    expect(headers.get(name)).toContain('feature/x#1%2F+%C3%A9')
  }
  expect(json['missing']).toContain('feature/x#1%2F+é')
})

// conformance: Responses / Challenges follow RFC 6750
test('nothing that a client sends can break out of a header', async () => {
  const revision = encodeURIComponent('x"\r\nSet-Cookie: a=b\r\n\\"')
  const target = `/api/models/acme/bert/storage-write-token/${revision}`
  const headers = ['Authorization', `Bearer ${world.tokens['guest/write']?.reveal()}`]
  await world.apply({
    repositories: [{ type: 'model', id: 'acme/bert', collaborators: { guest: 'read' } }],
  })
  const told = await askExactly(world, target, { headers })
  expect(told.status).toBe(403)
  expect(told.headers.get('set-cookie')).toBeNull()
  expect(told.headers.get('www-authenticate')).toMatch(/error_description="[^"\\]*"$/)
})
