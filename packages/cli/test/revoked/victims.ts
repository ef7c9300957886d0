/** Ways to take a storage token back, each with an account, a namespace and a repository of its own. */

import { latchkeyHere } from '../run-here.ts'
import type { Held, Site } from './site.ts'

export interface Way {
  readonly name: string
  /** What the token is for, below the victim's repository. */
  readonly revision?: string
  /** Access by a role in the repository in place of the namespace. */
  readonly isCollaborator?: boolean
  readonly isPublic?: boolean
  take(site: Site, victim: Victim, held: Held): Promise<unknown>
}

export interface Victim {
  readonly account: string
  readonly namespace: string
  readonly repository: string
  readonly hubTokenId: string
  readonly hubToken: string
}

const main = '2'.repeat(40)

// biome-ignore format: a table is read by its columns
export const ways: readonly Way[] = [
  { name: 'disable the account',       take: ({ run }, { account }) => run('account', 'set', account, '--disabled') },
  { name: 'delete the account',        take: ({ run }, { account }) => run('account', 'delete', account) },
  { name: 'remove the member',         take: ({ run }, { namespace, account }) => run('member', 'delete', namespace, account) },
  { name: 'lower the role',            take: ({ run }, { namespace, account }) => run('member', 'set', namespace, account, 'read') },
  { name: 'remove the collaborator',   take: ({ run }, { repository, account }) => run('collaborator', 'delete', repository, account), isCollaborator: true },
  { name: 'delete the repository',     take: ({ run }, { repository }) => run('repo', 'delete', repository) },
  { name: 'make it private',           take: ({ run }, { repository }) => run('repo', 'set', repository, '--visibility', 'private'), isPublic: true },
  { name: 'tighten a rule',            take: ({ run }, { repository }) => run('ref-rule', 'set', repository, 'main', 'admin') },
  { name: 'delete the ref',            take: ({ run }, { repository }) => run('ref', 'delete', repository, 'dev'), revision: 'dev' },
  { name: 'move the tag',              take: ({ run }, { repository }) => run('ref', 'set', repository, 'refs/tags/v1', main), revision: 'v1' },
  { name: 'revoke the hub token',      take: ({ run }, { hubTokenId }) => run('hub-token', 'revoke', hubTokenId) },
  { name: 'revoke the account',        take: ({ run }, { account }) => run('revoke', 'account', account) },
  { name: 'revoke the repository',     take: ({ run }, { repository }) => run('revoke', 'repository', repository) },
  { name: 'revoke the ref',            take: ({ run }, { repository }) => run('revoke', 'ref', repository, 'main') },
  { name: 'report the token',          take: ({ report }, _, { token }) => report(token) },
  { name: 'report the hub token',      take: ({ report }, { hubToken }) => report(hubToken) },
  { name: 'narrow the grants',         take: ({ run }, { hubTokenId }) => run('hub-token', 'set', hubTokenId, '--grant', 'read:other/*') },
]

const commit = '1'.repeat(40)

/** A directory with so many victims, and their hub tokens, in order. */
export async function makeVictims(cwd: string, chosen: readonly Way[]): Promise<readonly Victim[]> {
  const numbered = chosen.map((way, index) => ({ way, index }))
  const file = {
    accounts: [{ name: 'root' }, ...numbered.map(({ index }) => ({ name: `a${index}` }))],
    namespaces: numbered.map(({ way, index }) => ({
      name: `n${index}`,
      members: way.isCollaborator || way.isPublic ? { root: 'admin' } : { [`a${index}`]: 'write' },
    })),
    repositories: numbered.map(({ way, index }) => ({
      type: 'model',
      id: `n${index}/r`,
      visibility: way.isPublic ? 'public' : 'private',
      branches: { main: commit, dev: commit },
      tags: { v1: commit },
      collaborators: way.isCollaborator ? { [`a${index}`]: 'write' } : {},
    })),
    hubTokens: numbered.map(({ index }) => ({
      account: `a${index}`,
      name: 'laptop',
      kind: 'fine-grained',
      grants: [{ on: '*', contents: 'write' }],
    })),
  }
  const input = JSON.stringify(file)
  const applied = await latchkeyHere(['apply', '-', '--json'], { cwd, input })
  const made: readonly { account: string; token: string }[] = JSON.parse(applied.stdout).hubTokens
  const list = await latchkeyHere(['hub-token', 'list', '--limit', '1000', '--json'], { cwd })
  const stored: readonly { account: string; id: string }[] = JSON.parse(list.stdout).items
  return numbered.map(({ index }) => {
    const account = `a${index}`
    return {
      account,
      namespace: `n${index}`,
      repository: `models/n${index}/r`,
      hubToken: made.find((one) => one.account === account)?.token ?? '',
      hubTokenId: stored.find((one) => one.account === account)?.id ?? '',
    }
  })
}
