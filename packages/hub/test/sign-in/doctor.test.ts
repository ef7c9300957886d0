/** `latchkey doctor` at the identity providers. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@latchkey/hub'
import { identityProviders } from '@latchkey/hub/checks'
import { asAccountId } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { startOfTime, testSettings } from '@latchkey/testing/hub/hub-settings'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSession } from '../../src/sign-in/open-session.ts'

/** Serves discovery documents: the path of an issuer says what is wrong with its one. */
let server: Server
let base = ''
let data = ''
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'latchkey-doctor-'))
  writeFileSync(join(data, 'secret'), 'the-client-secret')
  server = createServer(({ url = '' }, response) => {
    const [, name = ''] = url.split('/')
    const issuer = name === 'moved' ? `${base}/elsewhere` : `${base}/${name}`
    const claims_supported = name === 'stale' ? ['sub', 'iss'] : ['sub', 'auth_time']
    const endpoints = { authorization_endpoint: `${base}/a`, token_endpoint: `${base}/t` }
    response.setHeader('content-type', 'application/json')
    if (name === 'broken') response.statusCode = 500
    response.end(JSON.stringify({ issuer, ...endpoints, jwks_uri: `${base}/k`, claims_supported }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(data, { recursive: true, force: true })
})

async function findingsOf(names: readonly string[]) {
  const providers = names.map((name) => ({
    ...{ name, issuer: `${base}/${name}`, clientId: 'latchkey', scopes: ['openid'] },
    ...{ clientSecretFile: join(data, 'secret'), nameClaim: 'preferred_username' },
    ...{ groups: [], claims: { hd: 'example.com' } },
  }))
  const file = join(data, 'latchkey.db')
  return identityProviders.run({
    ...{ settings: testSettings(data, { identity: { providers } }), databaseKind: 'sqlite', file },
    ...{ otherKeyFiles: [], leewaySeconds: 10, nowMs: Date.now },
    ...{ isRunning: async () => false, database: () => Promise.reject(new Error('a file')) },
  })
}

test('a provider that is down, or says to be another, is wrong; one without auth_time gets a warning', async () => {
  const findings = await findingsOf(['fine', 'stale', 'moved', 'broken'])
  expect(findings.map(({ result }) => result)).toEqual(['good', 'warning', 'wrong', 'wrong'])
  expect(findings[1]?.found).toContain('gives no fresh session')
  expect(JSON.stringify(findings)).not.toContain('the-client-secret')
  expect(await findingsOf([])).toEqual([])
})

/** A sign-in, as the hub keeps it. */
async function noteSignIn(provider: string, authTime: number | null): Promise<void> {
  const store = await openStore(testSettings(data), { create: true })
  const id = asAccountId(`account-of-${provider}`)
  await store.directory.note('session seen', async ({ tables }) => {
    const row = { id, name: provider, kind: 'user' as const, administrator: 0, disabled: 0 }
    await tables
      .insertInto('accounts')
      .values({ ...row, created_at: 0, origin: 'sign-in' })
      .execute()
  })
  const deps = { directory: store.directory, randomBytes: pooledRandom() }
  await openSession(deps, { now: startOfTime, requestId: 'a request' }, async () => ({
    ...{ account: { id, name: provider }, kind: 'write', grants: '[]', by: { provider } },
    ...{ authTime, freshUntil: null, before: undefined },
  }))
  await store.close()
}

test('the sign-ins themselves count more than what a provider lists', async () => {
  await noteSignIn('fine', null)
  await noteSignIn('stale', 1_800_000_000)
  const findings = await findingsOf(['fine', 'stale'])
  expect(findings.map(({ result }) => result)).toEqual(['warning', 'good'])
  expect(findings[0]?.found).toContain('none of its sign-ins had auth_time')
})
