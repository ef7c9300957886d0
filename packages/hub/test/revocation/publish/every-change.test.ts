/** Every way to change the directory, and exactly which storage tokens it ends; a verb without a line fails. */

import { verbs } from '@latchkey/admin-api'
import { unixSeconds } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { vouch } from '../../sign-in/by-groups.ts'
import { hash, start } from '../../verbs/open-directory.ts'
import { pretendedToken } from '../pretended-token.ts'
import {
  allHeld,
  askAll,
  eveIdentity,
  grants,
  type Held,
  type Holding,
  held,
  linkedIdentity,
  openHolding,
  prepared,
  repository,
} from './held-tokens.ts'

type Line = readonly [words: string, input: object, ends: readonly Held[]]

const ofAda = allHeld.filter((name) => name.startsWith('ada'))
const ofAdaInAcme = ofAda.filter((name) => name !== 'ada elsewhere')
const inBert = allHeld.filter((name) => held[name][2] === repository)
const none: readonly Held[] = []
const inThird = { namespace: 'third', team: 'staff', provider: 'corp' }
const publisher = { repository, publisher: 'ci' }
const identity = { issuer: 'https://login.example', subject: 'ada-1' }
const job = { preset: 'other', issuer: 'https://ci.example', contents: 'read', claims: ['sub=job'] }
const inAnHour = new Date((start + 3600) * 1000).toISOString()
const nextMonth = new Date((start + 30 * 86_400) * 1000).toISOString()

// biome-ignore format: a table is read by its columns
const lines: readonly Line[] = [
  ['account create',      { name: 'new' },                                                     none],
  ['account set',         { account: 'ada', disabled: true },                                  ofAda],
  ['account set',         { account: 'off', disabled: false },                                 none],
  ['account set',         { account: 'ada', kind: 'service' },                                 none],
  ['account set',         { account: 'ada', administrator: true },                             none],
  // The right to administer gives no storage token.
  ['account set',         { account: 'root', administrator: false },                           none],
  ['account delete',      { account: 'ada' },                                                  ofAda],
  // A storage token comes from a hub token, never from a sign-in alone.
  ['account link',        { account: 'ada', provider: 'corp', ...identity },                   none],
  ['account unlink',      { account: 'root', ...linkedIdentity },                                      none],
  ['identity end',        { provider: 'corp' },                                                ['eve third']],
  ['namespace create',    { name: 'new' },                                                     none],
  ['namespace set',       { namespace: 'acme', storage: 'default' },                            none],
  ['namespace set',       { namespace: 'acme', quota: '1' },                                    none],
  ['namespace delete',    { namespace: 'empty' },                                              none],
  ['member set',          { namespace: 'acme', account: 'ada', role: 'read' },                 ofAdaInAcme],
  ['member set',          { namespace: 'acme', account: 'ada', role: 'admin' },                none],
  ['member set',          { namespace: 'acme', account: 'guest', role: 'read' },               none],
  ['member delete',       { namespace: 'acme', account: 'ada' },                               ofAdaInAcme],
  ['member delete',       { namespace: 'other', account: 'ada' },                              ['ada elsewhere']],
  ['team create',         { namespace: 'acme', team: 'new', role: 'write' },                   none],
  ['team set',            { namespace: 'acme', team: 'curators', role: 'read' },               ['cyd main']],
  ['team set',            { namespace: 'acme', team: 'curators', role: 'admin' },              none],
  ['team set',            { namespace: 'acme', team: 'reviewers', role: 'read' },              none],
  ['team delete',         { namespace: 'acme', team: 'curators' },                             ['cyd main']],
  ['team delete',         { namespace: 'acme', team: 'reviewers' },                            ['dan main', 'dan open']],
  // A team without roles gives nothing, so its end takes nothing.
  ['team delete',         { namespace: 'acme', team: 'idle' },                                 none],
  ['team-member delete',  { namespace: 'acme', team: 'idle', account: 'ada' },                 none],
  ['team-member set',     { namespace: 'acme', team: 'curators', account: 'ada' },             none],
  ['team-member set',     { namespace: 'acme', team: 'curators', account: 'cyd', until: inAnHour }, ['cyd main']],
  ['team-member set',     { namespace: 'acme', team: 'reviewers', account: 'dan', until: 'never' }, none],
  ['team-member delete',  { namespace: 'acme', team: 'curators', account: 'cyd' },             ['cyd main']],
  ['team-member delete',  { namespace: 'acme', team: 'reviewers', account: 'dan' },            ['dan main', 'dan open']],
  ['account unlink',      { account: 'eve', ...eveIdentity },                                  ['eve third']],
  ['team-group set',      { ...inThird, group: 'new' },                                        none],
  ['team-group delete',   { ...inThird, group: 'staff' },                                      ['eve third']],
  ['team-group delete',   { ...inThird, group: 'all' },                                        none],
  ['team delete',         { namespace: 'third', team: 'staff' },                               ['eve third']],
  ['team set',            { namespace: 'third', team: 'staff', role: 'read' },                 ['eve third']],
  ['account set',         { account: 'eve', disabled: true },                                  ['eve third']],
  ['apply',               fileWith({ namespaces: [{ name: 'third', teams: { staff: { groups: { corp: ['all'] } } } }] }), ['eve third']],
  ['apply',               fileWith({ namespaces: [{ name: 'third', teams: { staff: { groups: { corp: ['all', 'staff', 'x'] } } } }] }), none],
  ['team-role set',       { repository, team: 'reviewers', role: 'read' },                     ['dan main']],
  ['team-role set',       { repository, team: 'reviewers', role: 'admin' },                    none],
  ['team-role set',       { repository, team: 'idle', role: 'read' },                          none],
  ['team-role delete',    { repository, team: 'reviewers' },                                   ['dan main']],
  ['repo create',         { repository: 'models/acme/new' },                                   none],
  ['repo set',            { repository: 'models/acme/open', visibility: 'private' },           ['bob open', 'dan open', 'guest open']],
  ['repo set',            { repository, visibility: 'public' },                                none],
  ['repo set',            { repository, defaultBranch: 'dev' },                                none],
  ['repo set',            { repository, quota: '1' },                                          none],
  // A switch ends the storage tokens of the repository; the tests of several storages show it.
  ['repo move-storage',   { repository, to: 'default', step: 'cancel' },                        none],
  ['repo delete',         { repository },                                                      inBert],
  ['collaborator set',    { repository, account: 'guest', role: 'read' },                      ['guest main']],
  ['collaborator set',    { repository, account: 'guest', role: 'admin' },                     none],
  ['collaborator delete', { repository, account: 'guest' },                                    ['guest main']],
  ['ref-rule set',        { repository, pattern: 'main', write: 'admin' },                     inBert],
  ['ref-rule set',        { repository, pattern: 'main', write: 'write' },                     none],
  ['ref-rule delete',     { repository, pattern: 'release/*' },                                inBert],
  ['ref-rule delete',     { repository, pattern: 'release/**' },                               none],
  ['publisher create',    { ...publisher, publisher: 'new', ...job },                          none],
  ['publisher set',       { ...publisher, contents: 'read' },                                  none],
  ['publisher delete',    publisher,                                                           none],
  ['ref set',             { repository, ref: 'new', commit: hash(3) },                         none],
  ['ref set',             { repository, ref: 'same', from: 'main' },                           none],
  ['ref set',             { repository, ref: 'release/1/x', commit: hash(1) },                 ['ada v1', 'ada commit']],
  ['ref set',             { repository, ref: 'main', commit: hash(3) },                        none],
  ['ref set',             { repository, ref: 'refs/tags/v1', commit: hash(2) },                ['ada v1']],
  ['ref update',          { repository, updates: [{ ref: 'refs/heads/main', old: hash(1), new: hash(3) }] }, none],
  ['ref update',          { repository, updates: [{ ref: 'refs/tags/v1', old: hash(1), new: hash(2) }] }, ['ada v1']],
  // A token for a tag or commit sees the branch that holds it.
  ['ref delete',          { repository, ref: 'dev' },                                          ['ada dev']],
  ['ref update',          { repository, updates: [{ ref: 'refs/heads/dev', old: hash(2), new: '0'.repeat(40) }] }, ['ada dev']],
  ['ref delete',          { repository, ref: 'refs/tags/v2' },                                 ['ada v2']],
  ['commit record',       { repository, hash: hash(4), on: ['dev'] },                          none],
  ['commit record',       { repository, hash: hash(1), on: ['dev'] },                          none],
  ['hub-token create',    { account: 'ada', name: 'new', kind: 'read' },                       none],
  ['hub-token set',       { hubToken: 'ada/fine', grants: [...grants, { on: '*', contents: 'read' }] }, none],
  ['hub-token set',       { hubToken: 'ada/fine', grants: [{ on: 'acme/*', contents: 'read' }] }, ['ada fine']],
  ['hub-token set',       { hubToken: 'ada/later', expiresAt: inAnHour },                      ['ada later']],
  // No storage token lives for so long.
  ['hub-token set',       { hubToken: 'ada/later', expiresAt: nextMonth },                     none],
  ['hub-token set',       { hubToken: 'ada/soon', expiresAt: 'never' },                        none],
  ['hub-token set',       { hubToken: 'root/admin', adminScopes: ['account'] },                 none],
  ['hub-token revoke',    { hubToken: 'ada/fine' },                                            ['ada fine']],
  ['revoke token',        { token: pretendedToken({ jti: 'jti of ada dev' }) },                ['ada dev']],
  ['revoke hub-token',    { hubToken: 'ada/fine' },                                            ['ada fine']],
  ['revoke account',      { account: 'ada' },                                                  ofAda],
  ['revoke repository',   { repository },                                                      inBert],
  ['revoke ref',          { repository, ref: 'dev' },                                          ['ada dev']],
  ['forge adopt',         { forge: 'f'.repeat(26) },                                           none],
  ['keys rotate',         {},                                                                  none],
  ['keys rotate',         { use: 'revocations' },                                              none],
  ['keys rotate',         { compromised: true },                                               allHeld],
  ['keys retire',         { kid: 'signing', compromised: true },                               allHeld],
  ['apply',               fileWith({ accounts: [{ name: 'ada', disabled: true }] }),           ofAda],
  ['apply',               fileWith({ namespaces: [{ name: 'acme', members: { ada: 'read', bob: 'write' } }] }), ofAdaInAcme],
  ['apply',               fileWith({ namespaces: [{ name: 'acme', members: { ada: 'admin', bob: 'admin' } }] }), none],
  ['apply',               fileWith({ namespaces: [{ name: 'other', members: {} }] }),          ['ada elsewhere']],
  ['apply',               fileWith({ namespaces: [{ name: 'acme', teams: { idle: {}, reviewers: { members: { dan: {} } } } }] }), ['cyd main']],
  ['apply',               fileWith({ namespaces: [{ name: 'acme', teams: teamsWith({ curators: { role: 'read' } }) }] }), ['cyd main']],
  ['apply',               ofBert({ teams: {} }),                                               ['dan main']],
  ['apply',               ofBert({ collaborators: {} }),                                       ['guest main']],
  ['apply',               ofBert({ refRules: [...rules(), { pattern: 'dev', write: 'admin' }] }), inBert],
  ['apply',               ofBert({ refRules: [] }),                                            none],
  ['apply',               ofBert({ visibility: 'public' }),                                    none],
  ['apply',               fileWith({ repositories: [{ type: 'model', id: 'acme/open', visibility: 'private' }] }), ['bob open', 'dan open', 'guest open']],
  ['apply',               ofBert({ tags: { v1: hash(2), v2: hash(5) } }),                      ['ada v1']],
  ['apply',               ofBert({ branches: { main: hash(1) } }),                             ['ada dev']],
  ['apply',               fileWith({ hubTokens: [{ account: 'ada', name: 'fine', kind: 'fine-grained', grants: [{ on: 'acme/*', contents: 'read' }] }] }), ['ada fine']],
  ['apply',               { ...without('repositories', 1), prune: true },                      ['bob open', 'dan open', 'guest open']],
  ['apply',               { ...without('hubTokens', 1), prune: true },                         ['ada fine']],
  ['apply',               { ...without('accounts', 2), prune: true },                          ['bob main', 'bob open']],
  ['apply',               { file: prepared },                                                  none],
]

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
test('every verb that changes the directory has a line', () => {
  const changing = verbs.filter(({ method }) => method !== 'GET').map(({ words }) => words)
  expect(changing.filter((words) => !lines.some(([line]) => line === words))).toEqual([])
})

// conformance: Guarantees / A change revokes exactly the tokens of accounts that lost access
// conformance: Attacks / 48. An attacker continues to use a token after access was removed
describe('a change ends exactly the tokens of those who may do less', () => {
  test.each(lines)('%s %j', async (words, input, ends) => {
    const holding = await openHolding()
    const before = await askAll(holding)
    expect([...before.keys()]).toEqual(allHeld)
    expect(await holding.dead(before)).toEqual([])
    await holding.done(words, await withId(holding, input))
    expect((await holding.dead(before)).toSorted()).toEqual(ends.toSorted())
    const after = await askAll(holding)
    expect(await holding.dead(after), 'new tokens are alive at once').toEqual([])
    for (const name of allHeld) {
      if (!after.has(name)) expect(ends, 'who is refused now holds nothing').toContain(name)
    }
  })
})

const local = { namespace: 'third', team: 'staff', account: 'eve' }

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
describe('a sign-in by a provider ends exactly the tokens of a membership that is over', () => {
  const soon = new Date((start + 600) * 1000).toISOString()
  test.each([
    ['no group any more', [], undefined, ['eve third']],
    ['no groups claim', undefined, undefined, ['eve third']],
    ['the same group', ['staff'], undefined, none],
    ['another group of the same team', ['all'], undefined, none],
    ['no group, but a local membership that stays', [], { ...local, until: 'never' }, none],
    [
      'no group, and a local membership that ends soon',
      [],
      { ...local, until: soon },
      ['eve third'],
    ],
  ] as const)('%s', async (_, groups, member, ends) => {
    const holding = await openHolding()
    if (member !== undefined) await holding.done('team-member set', member)
    const before = await askAll(holding)
    holding.now = unixSeconds(start + 60)
    await vouch(holding.store.directory, { subject: 'eve-1', groups, now: holding.now })
    expect(await holding.dead(before)).toEqual(ends)
    const after = await askAll(holding)
    expect(await holding.dead(after)).toEqual([])
    for (const name of allHeld) if (!after.has(name)) expect(ends).toContain(name)
  })

  test('a local membership that is removed ends them too, while that of the provider stays', async () => {
    const holding = await openHolding()
    await holding.done('team-member set', local)
    const before = await askAll(holding)
    await holding.done('team-member delete', local)
    expect(await holding.dead(before)).toEqual(['eve third'])
    expect([...(await askAll(holding)).keys()]).toContain('eve third')
  })
})

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
describe('taken away and given back within one second: old tokens are dead, new ones alive', () => {
  const set = (words: string, input: object) => ({ words, input })
  test.each([
    [
      'disable and enable',
      set('account set', { account: 'ada', disabled: true }),
      set('account set', { account: 'ada', disabled: false }),
      ofAda,
    ],
    [
      'remove and add',
      set('member delete', { namespace: 'acme', account: 'ada' }),
      set('member set', { namespace: 'acme', account: 'ada', role: 'write' }),
      ofAdaInAcme,
    ],
    [
      'lower and raise',
      set('member set', { namespace: 'acme', account: 'ada', role: 'read' }),
      set('member set', { namespace: 'acme', account: 'ada', role: 'admin' }),
      ofAdaInAcme,
    ],
  ] as const)('%s', async (_, away, back, ends) => {
    // The clock stands still, or is 30 s behind or ahead when the second hub acts.
    for (const skewMs of [0, -30_000, 30_000]) {
      let nowMs = start * 1000
      const holding = await openHolding(() => nowMs)
      const before = await askAll(holding)
      await holding.done(away.words, away.input)
      nowMs += skewMs
      await holding.done(back.words, back.input)
      expect((await holding.dead(before)).toSorted()).toEqual(ends.toSorted())
      const after = await askAll(holding)
      expect([...after.keys()]).toEqual(allHeld)
      expect(await holding.dead(after)).toEqual([])
    }
  })
})

/** Hub tokens and keys are named by their id, which differs from run to run. */
async function withId(
  holding: Holding,
  input: { hubToken?: string; kid?: string },
): Promise<object> {
  const { hubToken, kid } = input
  if (kid !== undefined) return { ...input, kid: await holding.signingKid() }
  return hubToken === undefined ? input : { ...input, hubToken: await holding.hubTokenId(hubToken) }
}

function fileWith(file: object): object {
  return { file }
}

function ofBert(changed: object): object {
  return fileWith({ repositories: [{ ...prepared.repositories[0], ...changed }] })
}

/** The teams of the preparation, with these in place of theirs; members stay. */
function teamsWith(changed: object): object {
  return { ...prepared.namespaces[0]?.teams, ...changed }
}

function rules(): readonly object[] {
  return prepared.repositories[0]?.refRules ?? []
}

function without(section: 'accounts' | 'repositories' | 'hubTokens', index: number): object {
  const left = prepared[section].filter((_, at) => at !== index)
  const file = { ...prepared, [section]: left }
  if (section !== 'accounts') return { file }
  const hubTokens = prepared.hubTokens.filter(({ account }) => account !== 'bob')
  const namespaces = prepared.namespaces.map(({ name, members = {} }) => {
    const { bob: _, ...others } = members as Record<string, string>
    return { name, members: others }
  })
  return { file: { ...file, hubTokens, namespaces } }
}
