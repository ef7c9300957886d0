/** Trusted publishers, as an administrator makes, changes and deletes them. */

import type { HubTokenGrant } from '@latchkey/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeHubTokenRow } from '../../src/verbs/hub-token-rows.ts'
import { type Opened, openDirectory } from './open-directory.ts'

const repository = 'models/acme/bert'
const claims = ['repository_id=74', 'repository_owner_id=65', 'ref=refs/heads/main']
const rule = {
  repository,
  publisher: 'release',
  preset: 'github',
  contents: 'write',
  claims,
  refs: ['main'],
}

let opened: Opened
let close: () => unknown
beforeEach(async () => {
  opened = await openDirectory({}, (work) => {
    close = work
  })
  await opened.apply({
    accounts: [{ name: 'root', administrator: true }],
    namespaces: [{ name: 'acme', teams: { chiefs: { role: 'admin' } } }],
    repositories: [
      { type: 'model', id: 'acme/bert' },
      { type: 'model', id: 'acme/other' },
    ],
  })
})
afterEach(() => close())

const accountOf = async () => {
  const { account } = await opened.done('publisher show', { repository, publisher: 'release' })
  return String(account)
}

describe('a new trusted publisher', () => {
  test('that writes names its refs, and never gets all of them silently', async () => {
    const { refs: _, ...withoutRefs } = rule
    const refused = {
      ...{ code: 'bad_request', path: 'refs' },
      detail: expect.stringContaining('refs/**'),
    }
    expect(await opened.run('publisher create', withoutRefs)).toMatchObject(refused)
    const publishers = [{ ...withoutRefs, name: 'release', repository: undefined }].map(
      ({ publisher: __, repository: ___, ...entry }) => entry,
    )
    expect(
      await opened.apply({ repositories: [{ type: 'model', id: 'acme/bert', publishers }] }),
    ).toMatchObject({ code: 'bad_request' })
    await opened.done('publisher create', { ...withoutRefs, contents: 'read' })
    const named = { repository, publisher: 'release' }
    expect(await opened.run('publisher set', { ...named, contents: 'write' })).toMatchObject(
      refused,
    )
    const refs = ['refs/**']
    const wider = await opened.done('publisher set', { ...named, contents: 'write', refs })
    expect(wider).toMatchObject({ contents: 'write', refs })
  })

  test('has a service account with one role in one repository', async () => {
    await opened.done('publisher create', rule)
    const account = await accountOf()
    expect(await opened.run('account show', { account })).toMatchObject({ kind: 'service' })
    const { items } = await opened.done('collaborator list', { repository })
    expect(items).toEqual([{ repository, account, role: 'write' }])
  })

  test('shows every condition, also those that its preset adds', async () => {
    const shown = await opened.done('publisher create', rule)
    expect(shown).toMatchObject({
      issuer: 'https://token.actions.githubusercontent.com',
      maxSeconds: 3600,
      claims: [
        ...claims,
        'event_name=push',
        'event_name=workflow_dispatch',
        'event_name=schedule',
        'event_name=release',
      ],
    })
    const { items } = await opened.done('publisher list', { repository })
    expect(items).toEqual([shown])
  })

  test.each([
    [
      'without the id of the project',
      ['repository_owner_id=65', 'ref=refs/heads/main'],
      /repository_id=VALUE/,
    ],
    [
      'with a name in place of an id',
      ['repository_id=acme/bert', ...claims.slice(1)],
      /repository_id=VALUE/,
    ],
    ['with two projects', ['repository_id=75', ...claims], /repository_id=VALUE/],
    [
      'with a short ref',
      [...claims.slice(0, 2), 'ref=main'],
      /full name such as refs\/heads\/main/,
    ],
    ['with a pattern for a ref', [...claims.slice(0, 2), 'ref=refs/heads/*'], /full name/],
    ['for pull requests', [...claims, 'event_name=pull_request_target'], /outsiders can start/],
    ['with a claim that the hub checks', [...claims, 'aud=else'], /checks aud itself/],
  ])('is refused %s', async (_, wrong, words) => {
    const refused = await opened.run('publisher create', { ...rule, claims: wrong })
    expect(refused).toMatchObject({ code: 'bad_request', path: 'claims' })
    expect(refused['detail']).toMatch(words)
  })

  test('is refused where the subject of a platform is a name', async () => {
    const named = { ...rule, preset: 'other', claims: ['sub=repo:acme/bert'] }
    const github = 'https://token.actions.githubusercontent.com'
    expect(await opened.run('publisher create', { ...named, issuer: github })).toMatchObject({
      code: 'bad_request',
      path: 'preset',
    })
    expect(await opened.run('publisher create', named)).toMatchObject({ path: 'issuer' })
    const other = { ...named, issuer: 'https://ci.example', claims: ['project=1'] }
    expect(await opened.run('publisher create', other)).toMatchObject({ path: 'claims' })
  })

  test('has a GitLab job of a protected ref, and of no merge request', async () => {
    const gitlab = {
      ...{ ...rule, preset: 'gitlab' },
      claims: ['project_id=22', 'namespace_id=72', 'ref=main', 'ref_type=branch'],
    }
    const shown = await opened.done('publisher create', gitlab)
    expect(shown['claims']).toContain('ref_protected=true')
    expect(shown['claims']).not.toContain('pipeline_source=merge_request_event')
    const open = { ...gitlab, publisher: 'open', claims: [...gitlab.claims, 'ref_protected=false'] }
    expect(await opened.run('publisher create', open)).toMatchObject({ path: 'claims' })
  })

  test('is refused under a name that differs by case alone', async () => {
    await opened.done('publisher create', rule)
    const again = await opened.run('publisher create', { ...rule, publisher: 'Release' })
    expect(again).toMatchObject({ code: 'conflict' })
  })
})

describe('a directory file', () => {
  const entry = { name: 'release', preset: 'github', contents: 'write', claims, refs: ['main'] }
  const fileWith = (publishers: readonly object[], more: object = {}) => ({
    repositories: [
      { type: 'model', id: 'acme/bert', publishers, ...more },
      { type: 'model', id: 'acme/other' },
    ],
  })
  const names = async () => {
    const { items } = await opened.done('publisher list', { repository })
    return (items as { publisher: string }[]).map(({ publisher }) => publisher)
  }

  test('makes publishers, and the same file again changes nothing', async () => {
    expect(await opened.apply(fileWith([entry]))).toMatchObject({
      changes: [{ what: 'publisher', name: `${repository}/release`, did: 'created' }],
    })
    expect(await opened.apply(fileWith([entry]))).toMatchObject({ changes: [] })
    const narrower = { ...entry, contents: 'read' }
    expect(await opened.apply(fileWith([narrower]))).toMatchObject({
      changes: [{ what: 'publisher', did: 'changed' }],
    })
    expect(await opened.done('publisher show', { repository, publisher: 'release' })).toMatchObject(
      {
        contents: 'read',
      },
    )
  })

  test('deletes a publisher only with pruning, and only where it lists publishers', async () => {
    await opened.apply(fileWith([entry]))
    await opened.apply(fileWith([]))
    expect(await names()).toEqual(['release'])
    await opened.apply(
      { repositories: ['acme/bert', 'acme/other'].map((id) => ({ type: 'model', id })) },
      { prune: true },
    )
    expect(await names()).toEqual(['release'])
    await opened.apply(fileWith([]), { prune: true })
    expect(await names()).toEqual([])
  })

  test('leaves the account of a publisher and its role alone', async () => {
    await opened.apply(fileWith([entry]))
    const account = await accountOf()
    await opened.apply(fileWith([entry], { collaborators: {} }))
    await opened.apply({ accounts: [{ name: 'root' }], hubTokens: [] }, { prune: true })
    const { items } = await opened.done('collaborator list', { repository })
    expect(items).toEqual([{ repository, account, role: 'write' }])
    for (const [file, path] of [
      [fileWith([], { collaborators: { [account]: 'admin' } }), /collaborators/],
      [{ namespaces: [{ name: 'acme', members: { [account]: 'admin' } }] }, /members/],
      [
        { namespaces: [{ name: 'acme', teams: { chiefs: { members: { [account]: {} } } } }] },
        /teams\.chiefs\.members/,
      ],
      [{ accounts: [{ name: account, administrator: true }] }, /accounts/],
      [{ hubTokens: [{ account, name: 'lasting', kind: 'write' }] }, /hubTokens/],
    ] as const) {
      expect(await opened.apply(file)).toMatchObject({
        code: 'conflict',
        path: expect.stringMatching(path),
      })
    }
  })

  test('names the place of a mistake', async () => {
    const wrong = { ...entry, claims: ['repository_id=74'] }
    expect(await opened.apply(fileWith([wrong]))).toMatchObject({
      path: 'repositories[0].publishers[0].claims',
    })
    expect(await opened.apply(fileWith([entry, { ...entry, name: 'Release' }]))).toMatchObject({
      path: 'repositories[0].publishers[1]',
    })
    await opened.apply(fileWith([entry]))
    const other = { ...entry, issuer: 'https://github.example/_services/token' }
    expect(await opened.apply(fileWith([other]))).toMatchObject({ code: 'conflict' })
  })
})

describe('a narrower rule', () => {
  const grants: HubTokenGrant[] = [{ on: repository, contents: 'write' }]

  /** As an exchange makes it. */
  const giveToken = async () => {
    const rows = await opened.store.directory.change(async (transaction) => {
      const work = opened.work(transaction)
      const { tables } = transaction
      const account = await tables
        .selectFrom('accounts')
        .selectAll()
        .where('name', 'like', 'ci-%')
        .executeTakeFirstOrThrow()
      const wish = { name: 'job', kind: 'fine-grained', origin: 'ci', grants } as const
      const expiresAt = { at: opened.now + 600 }
      const { row } = makeHubTokenRow(work, account, { ...wish, expiresAt })
      await work.put([{ thing: 'hub-token', after: row, account }])
      return row
    })
    return String(Object(rows).id)
  }
  const isLive = async (hubToken: string) =>
    !('revokedAt' in (await opened.done('hub-token show', { hubToken })))

  test.each([
    ['another ref', { refs: ['dev'] }, false],
    ['only reading', { contents: 'read' }, false],
    ['a shorter life', { maxSeconds: 600 }, false],
    ['another branch', { claims: [...claims.slice(0, 2), 'ref=refs/heads/dev'] }, false],
    ['an environment', { claims: [...claims, 'environment=production'] }, false],
    ['fewer events', { claims: [...claims, 'event_name=push'] }, false],
    ['one more branch', { claims: [...claims, 'ref=refs/heads/dev'] }, true],
    ['another label', { label: 'acme/bert' }, true],
  ])('ends the hub tokens that it gave: %s', async (_, change, stays) => {
    await opened.done('publisher create', rule)
    const hubToken = await giveToken()
    await opened.done('publisher set', { repository, publisher: 'release', ...change })
    expect(await isLive(hubToken)).toBe(stays)
    const cuts = await opened.store.directory.read((tables) =>
      tables.selectFrom('cut_offs').selectAll().where('kind', '=', 'hub-token').execute(),
    )
    expect(cuts.map(({ id }) => id)).toEqual(stays ? [] : [hubToken])
  })

  test('that is deleted ends them too, and the storage tokens of its account', async () => {
    await opened.done('publisher create', rule)
    const hubToken = await giveToken()
    await opened.done('publisher delete', { repository, publisher: 'release' })
    expect(await opened.run('hub-token show', { hubToken })).toMatchObject({
      code: 'resource_not_found',
    })
    const cuts = await opened.store.directory.read((tables) =>
      tables.selectFrom('cut_offs').select('kind').execute(),
    )
    expect(cuts).toEqual([{ kind: 'account' }])
  })

  test('keeps its account and its tokens from changes past the rule', async () => {
    await opened.done('publisher create', rule)
    const hubToken = await giveToken()
    for (const change of [{ expiresAt: 'never' }, { grants: [{ on: '*', contents: 'write' }] }]) {
      expect(await opened.run('hub-token set', { hubToken, ...change })).toMatchObject({
        code: 'conflict',
      })
    }
    expect(await opened.done('hub-token revoke', { hubToken })).toHaveProperty('revokedAt')
  })
})

describe('the account of a trusted publisher', () => {
  test.each([
    ['member set', (account: string) => ({ namespace: 'acme', account, role: 'admin' })],
    ['collaborator set', (account: string) => ({ repository, account, role: 'admin' })],
    [
      'collaborator set',
      (account: string) => ({ repository: 'models/acme/other', account, role: 'read' }),
    ],
    ['collaborator delete', (account: string) => ({ repository, account })],
    ['team-member set', (account: string) => ({ namespace: 'acme', team: 'chiefs', account })],
    [
      'account link',
      (account: string) => ({
        account,
        provider: 'corp',
        issuer: 'https://a.example',
        subject: '1',
      }),
    ],
    ['account set', (account: string) => ({ account, administrator: true })],
    ['account set', (account: string) => ({ account, kind: 'user' })],
    ['account delete', (account: string) => ({ account })],
    ['hub-token create', (account: string) => ({ account, name: 'lasting', kind: 'write' })],
  ])('is managed with its rule alone: %s', async (words, inputFor) => {
    await opened.done('publisher create', rule)
    const before = await opened.everything()
    const refused = await opened.run(words, inputFor(await accountOf()))
    expect(refused).toMatchObject({
      code: 'conflict',
      next: ['publisher', 'show', repository, 'release'],
    })
    expect(await opened.everything()).toEqual(before)
  })

  test('can be disabled and enabled', async () => {
    await opened.done('publisher create', rule)
    const account = await accountOf()
    await opened.done('account set', { account, disabled: true })
    expect(await opened.done('account set', { account, disabled: false })).toMatchObject({
      disabled: false,
    })
  })

  test('ends with its rule, and with its repository', async () => {
    await opened.done('publisher create', rule)
    const account = await accountOf()
    await opened.done('publisher delete', { repository, publisher: 'release' })
    expect(await opened.run('account show', { account })).toMatchObject({
      code: 'resource_not_found',
    })
    await opened.done('publisher create', rule)
    const second = await accountOf()
    await opened.done('repo delete', { repository })
    expect(await opened.run('account show', { account: second })).toMatchObject({
      code: 'resource_not_found',
    })
  })
})
