/** The example of docs/reference/storage-token.md is a token that the hub issues. */

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  type CommitHash,
  defaultStorage,
  isRefusal,
  journalNumber,
  parseRevision,
  type RefName,
  storageAddress,
  unixSeconds,
} from '@latchkey/protocol'
import { tokenType } from '@latchkey/token'
import { importSigningKey } from '@latchkey/token/signing'
import { expect, test } from 'vitest'
import { esKey } from '../../../../scripts/vectors/keys.ts'
import type { Caller } from '../../src/identity/caller.ts'
import { PreparedToken } from '../../src/minting/mint-token.ts'
import { decidePermission } from '../../src/permission/decide-permission.ts'

const root = resolve(import.meta.dirname, '../../../..')
const page = readFileSync(join(root, 'docs/reference/storage-token.md'), 'utf8')
const [header, payload] = Array.from(page.matchAll(/^```json\n(.*?)^```$/gms), ([, text = '']) =>
  JSON.parse(text),
)
const [now, asOf] = [unixSeconds(1_800_000_000), journalNumber(1_799_999_985_004)]

const caller: Caller = {
  accountId: asAccountId('c3m5lq7xw2dnzj4vkfy6tb5rhe'),
  accountName: 'ada',
  administrator: false,
  hubTokenId: asHubTokenId('p6r2uavx7kq3mzt4wdnc5yj2hs'),
  kind: 'read',
  grants: [],
}

const main = asRefUid('w4jd6xqz2pnv7kst3mcy5rhfbe')

const permit = decidePermission(
  {
    caller,
    repo: { type: 'model', namespace: 'acme', name: 'bert' },
    asOf,
    repository: {
      uid: asRepositoryUid('h2vq4ksx6dntj3pmzw7cyr5bfe'),
      epoch: 0,
      storage: defaultStorage,
      visibility: 'private',
      defaultBranch: 'refs/heads/main' as RefName,
      role: 'read',
      refRules: [],
      ref: {
        name: 'refs/heads/dev' as RefName,
        uid: asRefUid('m7tz3nfqk5xwd2ry6jvc4hpbse'),
        commit: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as CommitHash,
        ancestry: [{ uid: main, before: journalNumber(1_799_913_600_003) }],
        holders: [],
        pastHolders: [],
      },
    },
    scope: 'read',
    revision: parseRevision('dev'),
  },
  { hidePrivateRepositories: false },
)

test('the hub issues the storage token that its reference page shows, member by member', async () => {
  if (isRefusal(permit)) throw new Error(permit.detail)
  const pkcs8 = esKey.privateKey.export({ type: 'pkcs8', format: 'der' })
  const signingKey = await importSigningKey(pkcs8, 'ES256')
  const storage = storageAddress('https://cas.example/r/{repo}/{ref}')
  const mint = {
    issuer: 'https://hub.example',
    storages: new Map([[defaultStorage, storage]]),
    lifetimeSeconds: 900,
    signingKey: () => signingKey,
    newTokenId: () => asAccountId('t5kz7wqn3xvj2dmp6rcy4hsbfe'),
  }
  const { accessToken } = new PreparedToken(permit, mint, storage).sign(now)
  const [first = '', second = ''] = accessToken.reveal().split('.')
  const text = (segment: string) => Buffer.from(segment, 'base64url').toString()
  expect(text(first)).toBe(JSON.stringify(header))
  expect(text(second)).toBe(JSON.stringify(payload))
  expect(header.typ).toBe(tokenType)
})

test('the reference page of the storage token has a row for each member', () => {
  const named = Array.from(page.matchAll(/^\| `([\w.[\]]+)` \|/gm), ([, name]) => name)
  const rowsOf = ([name, value]: [string, unknown]): string[] => {
    if (Array.isArray(value))
      return [name, ...membersOf(value[0]).map((each) => `${name}[].${each}`)]
    return typeof value === 'object' ? membersOf(value).map((each) => `${name}.${each}`) : [name]
  }
  expect(named).toEqual([
    ...Object.keys(header),
    ...Object.entries<unknown>(payload).flatMap(rowsOf),
  ])
})

function membersOf(value: unknown): string[] {
  return Object.keys(value ?? {})
}
