/** Every operation on a hub of ours, in an order in which each succeeds. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operationId, verbs } from '@latchkey/admin-api'
import { startHub } from '@latchkey/hub'
import { commit, testSettings } from '@latchkey/testing/hub/hub-settings'
import { writeDirectory } from '@latchkey/testing/hub/write-directory'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type AdminClient, createAdminClient } from '../src/index.ts'
import { rows } from '../src/operations/rows.ts'

const directory = {
  accounts: [{ name: 'root', administrator: true }],
  hubTokens: [
    { account: 'root', name: 'admin', kind: 'admin' },
    { account: 'root', name: 'read', kind: 'read' },
  ],
}

const data = mkdtempSync(join(tmpdir(), 'latchkey-admin-'))
let settled: { readonly hubUrl: string; readonly hubToken: string }
let admin: AdminClient
let reader: AdminClient
let stop = async () => {}

beforeAll(async () => {
  const clientSecretFile = join(data, 'client-secret')
  writeFileSync(clientSecretFile, 'x')
  const corp = {
    ...{ name: 'corp', issuer: 'https://login.example', clientId: 'latchkey', clientSecretFile },
    ...{ scopes: ['openid'], nameClaim: 'name', groups: [], claims: { hd: 'example.com' } },
  }
  const identity = { providers: [corp] }
  const settings = testSettings(data, { publicUrl: 'http://127.0.0.1:1', identity })
  const tokens = await writeDirectory<'root/admin' | 'root/read'>(settings, directory)
  const hub = await startHub(settings, { lines: { write() {}, async close() {} } })
  stop = hub.stop
  settled = { hubUrl: hub.url, hubToken: tokens['root/admin'] }
  admin = createAdminClient(settled)
  reader = createAdminClient({ hubUrl: hub.url, hubToken: tokens['root/read'] })
})
afterAll(async () => {
  await stop()
  rmSync(data, { recursive: true, force: true })
})

const repository = 'models/acme/bert'
const [old, next] = [commit('a'), commit('b')]

test('each operation gives what the table says', async () => {
  const used = new Set<string>()
  const watched = new Proxy(admin, {
    get(target, name: string) {
      used.add(name)
      const call = Reflect.get(target, name)
      return async (...args: unknown[]) => {
        const result = await call(...args)
        const { output } = verbs.find((verb) => operationId(verb) === name) ?? {}
        expect(output?.safeParse(result)?.error, name).toBeUndefined()
        return result
      }
    },
  })
  await everyOperation(watched)
  expect([...used].toSorted()).toEqual(Object.keys(rows).toSorted())
})

async function everyOperation(admin: AdminClient): Promise<void> {
  await admin.accountCreate({ name: 'ada' })
  await admin.accountSet({ account: 'ada', kind: 'service' })
  const identity = { issuer: 'https://login.example', subject: 'ada-1' }
  await admin.accountLink({ account: 'ada', provider: 'corp', ...identity })
  expect((await admin.identityList({ account: 'ada' })).items).toMatchObject([identity])
  await admin.accountUnlink({ account: 'ada', ...identity })
  const ended = { provider: 'corp', sessions: 0, deviceLogins: 0, memberships: 0 }
  expect(await admin.identityEnd({ provider: 'corp' })).toEqual(ended)
  expect(await admin.accountShow({ account: 'ada' })).toMatchObject({ kind: 'service' })
  expect((await admin.accountList({ limit: 1 })).next).toBeDefined()
  await admin.namespaceCreate({ name: 'acme' })
  await admin.namespaceSet({ namespace: 'acme', storage: 'default' })
  await admin.namespaceList()
  await admin.namespaceShow({ namespace: 'acme' })
  await admin.memberSet({ namespace: 'acme', account: 'ada', role: 'write' })
  await admin.memberList({ namespace: 'acme' })
  await admin.memberDelete({ namespace: 'acme', account: 'ada' })
  const curators = { namespace: 'acme', team: 'curators' }
  await admin.teamCreate({ ...curators, role: 'read' })
  await admin.teamSet({ ...curators, role: 'none' })
  await admin.teamMemberSet({ ...curators, account: 'ada' })
  await admin.teamMemberList(curators)
  const staff = { ...curators, provider: 'corp', group: 'staff/all' }
  await admin.teamGroupSet(staff)
  await admin.teamGroupList(curators)
  await admin.teamGroupDelete(staff)
  await admin.teamShow(curators)
  await admin.teamList({ namespace: 'acme' })
  await admin.repoCreate({ repository })
  await admin.repoList({ namespace: 'acme' })
  await admin.repoSet({ repository, visibility: 'public' })
  expect(await admin.repoShow({ repository })).toMatchObject({ visibility: 'public' })
  await admin.repoMoveStorage({ repository, to: 'default', step: 'cancel' })
  await admin.collaboratorSet({ repository, account: 'ada', role: 'write' })
  await admin.collaboratorList({ repository })
  await admin.teamRoleSet({ repository, team: 'curators', role: 'write' })
  await admin.teamRoleList({ repository })
  await admin.teamRoleDelete({ repository, team: 'curators' })
  await admin.teamMemberDelete({ ...curators, account: 'ada' })
  await admin.teamDelete(curators)
  await admin.refRuleSet({ repository, pattern: 'release/*', write: 'admin' })
  await admin.refRuleList({ repository })
  await admin.refRuleDelete({ repository, pattern: 'release/*' })
  const place = { repository, publisher: 'ci' }
  const issuer = 'https://ci.example'
  const claims = ['sub=job']
  await admin.publisherCreate({
    ...place,
    preset: 'other',
    issuer,
    contents: 'write',
    claims,
    refs: ['main'],
  })
  await admin.publisherSet({ ...place, contents: 'read' })
  expect(await admin.publisherShow(place)).toMatchObject({ contents: 'read', claims })
  expect((await admin.publisherList({ repository })).items).toHaveLength(1)
  expect((await admin.publisherRefusals({ repository })).items).toEqual([])
  expect(await admin.publisherExplain({ repository, payload: '{}' })).toMatchObject({
    allowed: false,
  })
  await admin.publisherDelete(place)
  await admin.refSet({ repository, ref: 'refs/pr/1', commit: old })
  await admin.refList({ repository })
  expect(await admin.refShow({ repository, ref: 'refs/pr/1' })).toMatchObject({ commit: old })
  const update = { ref: 'refs/pr/1', old, new: next }
  await admin.refUpdate({ repository, updates: [update] })
  await admin.commitRecord({ repository, hash: next, on: ['main'] })
  await admin.commitList({ repository })
  const explained = await admin.explain({ scope: 'write', repository, account: 'ada' })
  expect(explained).toMatchObject({ allowed: true })
  const signIn = await admin.explainSignIn({ provider: 'corp', payload: '{}' })
  expect(signIn).toMatchObject({ allowed: false })
  const { id: hubToken } = await admin.hubTokenCreate({ account: 'ada', name: 'x', kind: 'read' })
  await admin.hubTokenList({ account: 'ada' })
  await admin.hubTokenSet({ hubToken, expiresAt: '2099-01-01T00:00:00Z' })
  await admin.hubTokenShow({ hubToken })
  await admin.revokeHubToken({ hubToken })
  await admin.hubTokenRevoke({ hubToken })
  await admin.revokeAccount({ account: 'ada' })
  await admin.revokeRepository({ repository })
  await admin.revokeRef({ repository, ref: 'main' })
  await expect(admin.revokeToken({ token: 'aaaa.bbbb.cccc' })).rejects.toThrow()
  expect(await admin.forgeAdopt({ forge: 'f'.repeat(26) })).toEqual({ forge: 'f'.repeat(26) })
  const { items: keys } = await admin.keysList()
  await admin.keysRotate({ use: 'revocations' })
  const kid = keys.find(({ purpose }) => purpose === 'tokens')?.kid ?? ''
  await admin.keysRetire({ kid }).catch(() => {})
  const { changes, hubTokens } = await admin.apply({
    file: { accounts: [{ name: 'bob' }], hubTokens: [{ account: 'bob', name: 'x', kind: 'read' }] },
  })
  expect(changes).toContainEqual({ what: 'account', name: 'bob', did: 'created' })
  expect(`${hubTokens[0]?.token}`).toBe('[hub-token]')
  const { items } = await admin.changes({ account: 'bob' })
  expect(items.length).toBeGreaterThan(0)
  await admin.collaboratorDelete({ repository, account: 'ada' })
  await admin.refDelete({ repository, ref: 'refs/pr/1' })
  await admin.repoDelete({ repository })
  await admin.namespaceDelete({ namespace: 'acme' })
  await admin.accountDelete({ account: 'ada' })
  expect(await admin.whoami()).toMatchObject({ account: { name: 'root' } })
}

test('a hub token that is not of kind admin gets the code of the hub and its request id', async () => {
  expect(await reader.whoami()).toMatchObject({ hubToken: { kind: 'read' } })
  await expect(reader.accountList()).rejects.toMatchObject({
    ...{ code: 'permission_denied', status: 403, requestId: expect.any(String) },
  })
})

test('the programs of the guide print what it says', async () => {
  const root = join(import.meta.dirname, '../../..')
  const guide = readFileSync(join(root, 'docs/guides/admin-client.md'), 'utf8')
  const blocks = Array.from(guide.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = '']) => code)
  await admin.apply({
    file: {
      namespaces: [{ name: 'acme' }],
      repositories: [
        { type: 'model', id: 'acme/one' },
        { type: 'dataset', id: 'acme/two' },
      ],
    },
  })
  const { hubUrl, hubToken } = settled
  // Below the node_modules of this workspace, where the packages are found.
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'latchkey-guide-'))
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => {
    log.mockRestore()
    rmSync(folder, { recursive: true })
  })
  for (const [index, block] of blocks.entries()) {
    const code = block.replace('https://hub.example', hubUrl).replace('lk_…', hubToken)
    const file = join(folder, `${index}.mjs`)
    writeFileSync(file, stripTypeScriptTypes(code))
    await import(file)
  }
  expect(log.mock.calls.flat()).toEqual([
    'created [hub-token]',
    'datasets/acme/two',
    'models/acme/one',
  ])
})
