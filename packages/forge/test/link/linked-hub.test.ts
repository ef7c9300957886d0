/** Each question over the link is answered as within one process. */

import { noCommit, parseCommitHash, parseRevision } from '@latchkey/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  bert,
  codeOf,
  type LinkWorld,
  main,
  permitted,
  refNamed,
  startLinkWorld,
} from './link-world.ts'

const commit = hash('a')
const read = { repo: bert, revision: undefined, scope: 'read' } as const
const branch = { kind: 'ref', name: main } as const

function hash(digit: string) {
  const parsed = parseCommitHash(digit.repeat(40))
  if (parsed === undefined) throw new Error('no hash')
  return parsed
}

describe('over the link', () => {
  let world: LinkWorld
  beforeAll(async () => {
    world = await startLinkWorld()
  })
  afterAll(() => world?.stopped())

  test('a caller makes, fills, reads, and deletes a repository', async () => {
    const made = permitted(
      await world.as('owner').createRepository({ repo: bert, visibility: 'private' }),
    )
    expect(made).toMatchObject({ defaultBranch: main, account: 'owner' })
    const { uid } = made
    const again = await world.as('owner').createRepository({ repo: bert, visibility: 'private' })
    expect(codeOf(again)).toBe('conflict')

    const hub = world.as('writer')
    expect(hub.payer()).toBe('anonymous 192.0.2.7')
    const decision = permitted(await hub.decide({ ...read, scope: 'write' }))
    expect(decision).toMatchObject({
      repo: bert,
      repositoryUid: uid,
      commit: noCommit,
      account: 'writer',
    })
    expect(hub.payer()).toBe(decision.accountId)
    const token = permitted(await decision.storageToken())
    expect([token.refUid, String(token.accessToken)]).toEqual([decision.ref.uid, '[access-token]'])
    expect(token.accessToken.reveal()).toMatch(/^\S+\.\S+\.\S+$/)
    const move = { repo: bert, ref: main, from: noCommit, to: commit, refUid: token.refUid }
    expect(await world.as('writer').moveRef(move)).toBeUndefined()
    expect(codeOf(await world.as('writer').moveRef(move))).toBe('conflict')

    expect(await world.link.refsOf(uid)).toEqual(new Map([[main, commit]]))
    expect(await world.link.refsOf(uid, refNamed('refs/heads/dev'))).toEqual(new Map())
    const refs = permitted(await world.as('reader').refs(bert))
    expect(refs).toEqual({ repositoryUid: uid, refs: new Map([[main, commit]]), isAll: true })
    expect(await world.as('reader').describe(uid)).toMatchObject({ visibility: 'private' })
    expect(await world.as('stranger').describe(uid)).toBeUndefined()
    const listing = { type: 'model', limit: 10 } as const
    const page = permitted(await world.as('reader').repositories(listing))
    expect(page.repositories.map(({ repo }) => repo)).toEqual([bert])
    expect(page.next).toBeUndefined()
    const none = await world.as('reader').repositories({ ...listing, search: 'x'.repeat(10_000) })
    expect(permitted(none).repositories).toEqual([])

    const dev = refNamed('refs/heads/dev')
    const place = permitted(await world.as('writer').newRef({ repo: bert, ref: dev }))
    const makes = { repo: bert, ref: dev, from: noCommit, to: commit, refUid: place.refUid }
    expect(await world.as('writer').moveRef({ ...makes, isNew: true })).toBeUndefined()
    const dependents = permitted(await world.as('writer').dependents({ repo: bert, ref: dev }))
    expect(dependents).toMatchObject({ refUid: place.refUid, commit })
    expect(await world.as('writer').mayForce({ repo: bert, ref: dev })).toBe(false)
    expect(codeOf(await world.as('reader').mayForce({ repo: bert, ref: dev }))).toBe(
      'permission_denied',
    )
    const force = { repo: bert, ref: dev, from: commit, to: hash('b'), isForced: true }
    expect(codeOf(await world.as('writer').moveRef(force))).toBe('permission_denied')
    const deletion = { repo: bert, ref: dev, from: commit, refUid: place.refUid }
    const forcedDeletion = { ...deletion, saved: dependents, isForced: true }
    expect(codeOf(await world.as('writer').deleteRef(forcedDeletion))).toBe('permission_denied')
    const nothing = { commits: [], refs: [] }
    expect(codeOf(await world.as('reader').deleteRef({ ...deletion, saved: nothing }))).toBe(
      'permission_denied',
    )
    expect(await world.as('writer').deleteRef({ ...deletion, saved: dependents })).toBeUndefined()

    expect(codeOf(await world.as('reader').deleteRepository(bert))).toBe('permission_denied')
    expect(await world.as('owner').deleteRepository(bert)).toEqual({ uid })
    expect(await world.link.refsOf(uid)).toBeUndefined()
    expect(await world.link.deletedAmong([uid])).toEqual([uid])
  })

  test('refusals are those of the hub, with their members', async () => {
    const known = permitted(await world.as('reader').whoami())
    expect(known).toMatchObject({ name: 'reader', namespaces: [{ name: 'acme', role: 'read' }] })
    expect(codeOf(await world.as(undefined).whoami())).toBe('hub_token_missing')
    expect(await world.as(undefined).admit()).toBeUndefined()
    expect(codeOf(await world.as('reader').decide(read))).toBe('repository_not_found')
    const absent = { ...read, revision: parseRevision('../x') }
    expect(codeOf(await world.as('reader').decide(absent))).toBe('repository_not_found')
    expect(codeOf(await world.as('reader').decide({ ...read, repo: undefined }))).toBe(
      'repository_not_found',
    )
    const refused = await world.as('reader').createRepository({ repo: bert, visibility: 'public' })
    expect(refused).toMatchObject({ code: 'permission_denied', missing: expect.any(String) })
    expect(
      codeOf(
        await world.as('reader').storageToken({ repo: bert, revision: branch, scope: 'read' }),
      ),
    ).toBe('repository_not_found')
  })
})
