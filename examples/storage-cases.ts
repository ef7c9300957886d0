/** The test of a storage with the kit: Hono and Express pass the same cases. */

import type { Gate } from '@latchkey/gate'
import { createGate } from '@latchkey/gate'
import { type FakeHub, fakeHub, type TokenRequest, tokenFlaws } from '@latchkey/gate/testing'
import { expect, onTestFinished, test } from 'vitest'

export type Send = (path: string, init: RequestInit) => Promise<Response>

const bert = 'models/acme/bert'
const [ok, created, invalid, absent] = ['200', '201', '401 storage_token_invalid', '404']

interface Setting {
  readonly hub: FakeHub
  /** Status, and the code or text of the response. */
  get(name: string, token: string, path?: string): Promise<string>
  put(name: string, token: string, content: string, path?: string): Promise<string>
}

/** `open` starts the storage behind the gate. */
export function testStorage(open: (gate: Gate) => Send | Promise<Send>): void {
  const setUp = async (): Promise<Setting> => {
    const hub = await fakeHub({ casUrl: 'https://cas.example/r/{repo}/{ref}' })
    const gate = createGate(hub.gateOptions)
    onTestFinished(() => gate.close())
    const send = await open(gate)
    const ask = async (path: string, token: string, init: RequestInit = {}) => {
      const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
      const response = await send(path, { ...init, headers })
      return summaryOf(response)
    }
    const main = () => hub.path(bert, 'main')
    return {
      hub,
      get: (name, token, path = main()) => ask(`${path}/files${name}`, token),
      put: (name, token, content, path = main()) =>
        ask(`${path}/files${name}`, token, { method: 'PUT', body: content }),
    }
  }

  test('a write token stores a file, and a read token reads and lists it', async () => {
    const { hub, get, put } = await setUp()
    const [write, read] = [hub.token({ scope: 'write' }), hub.token()]
    expect(await put('/a', write, 'one')).toBe(created)
    expect(await get('/a', read)).toBe(`${ok} one`)
    expect(await get('', read)).toBe(`${ok} ["a"]`)
    expect(await put('/a', write, 'two')).toBe(created)
    expect(await get('/a', read)).toBe(`${ok} two`)
  })

  test('a request without a token is refused', async () => {
    const { get } = await setUp()
    expect(await get('/a', '')).toBe('401 storage_token_missing')
  })

  test('a read token cannot write', async () => {
    const { hub, get, put } = await setUp()
    expect(await put('/a', hub.token(), 'one')).toBe('403 insufficient_scope')
    const write = hub.token({ scope: 'write' })
    await put('/a', write, 'one')
    expect(await get('/a', write)).toBe(`${ok} one`)
  })

  test.each<[string, TokenRequest, string]>([
    ['repository', { repository: 'models/acme/gpt' }, '403 repository_mismatch'],
    ['ref', { ref: 'dev' }, '403 ref_mismatch'],
  ])('a token of another %s is refused, and sees nothing under its own', async (_, place, code) => {
    const { hub, get, put } = await setUp()
    await put('/a', hub.token({ scope: 'write' }), 'one')
    const token = hub.token(place)
    expect(await get('/a', token)).toBe(code)
    const own = hub.path(place.repository ?? bert, place.ref ?? 'main')
    expect(await get('/a', token, own)).toMatch(absent)
    expect(await get('', token, own)).toBe(`${ok} []`)
  })

  test('a fork sees what was written before it, and nothing written after it', async () => {
    const { hub, get, put } = await setUp()
    const write = hub.token({ scope: 'write' })
    await put('/old', write, 'one')
    const fork = hub.token({ scope: 'write', ref: 'fork', inherited: ['main'] })
    await put('/new', write, 'two')
    await put('/old', write, 'three')
    const path = hub.path(bert, 'fork')
    expect(await get('/old', fork, path)).toBe(`${ok} one`)
    expect(await get('/new', fork, path)).toMatch(absent)
    expect(await get('', fork, path)).toBe(`${ok} ["old"]`)
    await put('/of-fork', fork, 'four', path)
    expect(await get('/of-fork', hub.token())).toMatch(absent)
  })

  test('a revoked token is refused', async () => {
    const { hub, get } = await setUp()
    const token = hub.token()
    expect(await get('', token)).toBe(`${ok} []`)
    hub.revoke({ token })
    expect(await get('', token)).toBe(invalid)
    expect(await get('', hub.token())).toBe(`${ok} []`)
  })

  test('an expired token is refused', async () => {
    const { hub, get } = await setUp()
    const token = hub.token({ expiresIn: 60 })
    expect(await get('', token)).toBe(`${ok} []`)
    hub.clock.advance(60 + 31)
    expect(await get('', token)).toBe(invalid)
  })

  test('a repository that was deleted and made again shows nothing of the old one', async () => {
    const { hub, get, put } = await setUp()
    const [token, path] = [hub.token({ scope: 'write' }), hub.path(bert, 'main')]
    await put('/a', token, 'one')
    hub.deleteRepository(bert)
    expect(await get('/a', token, path)).toBe(invalid)
    const later = hub.token()
    expect(await get('/a', later)).toMatch(absent)
    expect(await get('', later)).toBe(`${ok} []`)
  })

  test.each(tokenFlaws)('a token with the flaw %s is refused', async (flaw) => {
    const { hub, get } = await setUp()
    expect(await get('', hub.token({ flaw }))).toBe(invalid)
  })
}

async function summaryOf(response: Response): Promise<string> {
  const text = await response.text()
  if (response.ok) return `${response.status} ${text}`.trim()
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json')
  return `${response.status} ${isProblem === true ? JSON.parse(text).code : text}`
}
