/** What hub and gate refuse, as a developer meets it, and a gate that goes away. */

import { keystream } from '@latchkey/testing/keystream'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { LatchkeyError } from '../../src/index.ts'
import { openStage, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ killed: 'gate' })
})
afterAll(() => stage.close())

describe('a refusal keeps its code on the way to the developer', () => {
  it('a revoked hub token is hub_token_invalid, though it was good a moment ago', async () => {
    const { id, token: hubToken } = await createHubToken('short-lived')
    const client = stage.client({ hubToken })
    expect(await client.token('read')).toMatchObject({ scope: 'read' })
    await administer('POST', `/hub-tokens/${id}/revoke`)
    await expectRefusal(client.token('write'), 'hub_token_invalid', 401)
  })

  it('a hub token that was replaced is asked for again, and nobody notices', async () => {
    const [old, next] = [await createHubToken('old'), await createHubToken('next')]
    const given: string[] = []
    const client = stage.client({
      async hubToken() {
        const { token } = given.length === 0 ? old : next
        given.push(token)
        return token
      },
    })
    await client.token('read')
    await administer('POST', `/hub-tokens/${old.id}/revoke`)
    expect(await client.token('write')).toMatchObject({ scope: 'write' })
    expect(given).toEqual([old.token, next.token])
  })

  it('a missing repository is repository_not_found', async () => {
    const client = stage.client({ repo: 'models/acme/absent' })
    await expectRefusal(client.fetch('/v1/chunks/any'), 'repository_not_found', 404)
  })

  it('a missing revision is revision_not_found', async () => {
    const client = stage.client({ revision: 'absent' })
    await expectRefusal(client.fetch('/v1/chunks/any'), 'revision_not_found', 404)
  })

  it('writing with a hub token that may only read is permission_denied, and reading goes on', async () => {
    const client = stage.client({ hubToken: stage.hubTokens['writer/read'] })
    const path = '/v1/xorbs/default/read-only'
    const write = client.fetch(path, { method: 'POST', body: 'x' })
    await expectRefusal(write, 'permission_denied', 403)
    expect((await client.fetch(path)).status).toBe(404)
  })

  it('what the gate refuses is an answer like any other of the storage', async () => {
    const path = '/v1/xorbs/default/wrong-scope'
    const answer = await stage.client().fetch(path, { method: 'POST', body: 'x', scope: 'read' })
    expect([answer.status, await answer.json()]).toMatchObject([
      403,
      { code: 'insufficient_scope' },
    ])
    expect(stage.storage.objects.has(path)).toBe(false)
  })
})

// conformance: Client / A restart of hub or gate causes no error
it('a gate restart during reads is not noticed', async () => {
  const client = stage.client()
  const bytes = keystream('kept', 100_000)
  stage.storage.objects.set('/v1/chunks/kept', bytes)
  const release = stage.storage.hold()
  const reads = Array.from({ length: 20 }, async () => {
    const answer = await client.fetch('/v1/chunks/kept')
    return Buffer.from(await answer.arrayBuffer()).equals(bytes)
  })
  const restart = async () => {
    await vi.waitFor(() => expect(stage.storage.waiting()).toBe(20), 180_000)
    await stage.gate.kill()
    release()
    await stage.gate.start()
  }
  const [, ...areWhole] = await Promise.all([restart(), ...reads])
  expect(new Set(areWhole)).toEqual(new Set([true]))
})

/** The request id leads from the error to the line in the hub's log. */
async function expectRefusal(call: Promise<unknown>, code: string, status: number): Promise<void> {
  const error = await call.then(() => undefined).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(LatchkeyError)
  expect(error).toMatchObject({ code, status, method: 'GET' })
  const { requestId } = error as LatchkeyError
  const line = () => stage.hub.log().find((logged) => logged['requestId'] === requestId)
  await vi.waitFor(() => expect(line()).toMatchObject({ event: 'token_refused', code }), 180_000)
}

async function createHubToken(name: string): Promise<{ id: string; token: string }> {
  return administer('POST', '/hub-tokens', { account: 'writer', name, kind: 'write' })
}

async function administer<Result>(method: string, path: string, body = {}): Promise<Result> {
  const authorization = `Bearer ${stage.hubTokens['maintainer/admin']}`
  const answer = await fetch(`${stage.hub.url}/admin/v1${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Result
}
