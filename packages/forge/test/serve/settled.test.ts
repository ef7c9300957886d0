/** After a kill between the directory and git, the next start brings git to the directory. */

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommitHash, type RefName, type RepositoryUid, unixSeconds } from '@latchkey/protocol'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, test } from 'vitest'
import type { Repository } from '../../src/git/index.ts'
import { openForge } from '../../src/serve/index.ts'
import { ada, addFile, askGit, main, openWorld, someUid, uidOf } from '../git/world.ts'
import { isGitThere } from '../real-git.ts'

type Refs = ReadonlyMap<RefName, CommitHash>

const startOn = async (
  data: string,
  refs: ReadonlyMap<RepositoryUid, Refs>,
  {
    deleted = [],
    logFailure = () => {},
    held = new Set(),
  }: {
    deleted?: readonly RepositoryUid[]
    logFailure?: (error: unknown) => void
    held?: Set<RepositoryUid>
  } = {},
): Promise<readonly string[]> => {
  const dropped: string[] = []
  const hub = {
    asking: () => {
      throw new Error('nobody asks')
    },
    deletedAmong: async (uids: readonly RepositoryUid[]) =>
      uids.filter((uid) => deleted.includes(uid)),
    refsOf: async (uid: RepositoryUid) => refs.get(uid),
    dropReserved: async (_: RepositoryUid, refUid: string) => {
      dropped.push(refUid)
    },
    expireUploads: async () => 0,
    hold: async (uids: readonly RepositoryUid[]) => uids.forEach((uid) => void held.add(uid)),
    release: async (uid: RepositoryUid) => void held.delete(uid),
  }
  const forge = await openForge({
    ...{ hub, data, publicUrl: 'https://hub.example', logFailure },
    clientAddress: () => '127.0.0.1',
  })
  await forge.close()
  return dropped
}

const mark = (data: string, uid: RepositoryUid, underWay = '') => {
  mkdirSync(join(data, 'forge', 'pending'), { recursive: true })
  writeFileSync(join(data, 'forge', 'pending', uid), underWay)
}

const firstCommit = async (repository: Repository) => {
  const changed = await repository.changeTree(undefined, [await addFile(repository, 'a', 'a')])
  if (!changed.ok) throw new Error(changed.refusal)
  return repository.writeCommit({
    ...{ tree: changed.tree, parents: [], author: ada, committer: ada },
    ...{ message: 'first', at: unixSeconds(1) },
  })
}

describe.skipIf(!isGitThere)('a forge that starts after a kill', () => {
  // conformance: Forge / A kill leaves git and the hub's database consistent
  test('rolls a marked repository forward to the directory, past the lock of a killed git', async () => {
    const data = temporaryFolder()
    const { git, repository, place } = await openWorld(data)
    const commit = await firstCommit(repository)
    git.close()
    mark(data, someUid)
    mkdirSync(join(place, 'refs/heads'), { recursive: true })
    writeFileSync(join(place, 'refs/heads/main.lock'), '')
    await startOn(data, new Map([[someUid, new Map([[main, commit]])]]))
    expect(askGit(place, ['rev-parse', 'refs/heads/main']).toString().trim()).toBe(commit)
    expect(readdirSync(join(data, 'forge', 'pending'))).toEqual([])
  })

  test('removes a marked repository that was deleted, and none that the directory has never heard of; the hub knows which it holds', async () => {
    const data = temporaryFolder()
    const { git } = await openWorld(data)
    await git.create(uidOf('b'))
    git.close()
    for (const uid of [someUid, uidOf('b')]) mark(data, uid)
    const held = new Set<RepositoryUid>()
    await startOn(data, new Map(), { deleted: [someUid], held })
    expect(existsSync(join(data, 'repositories', `${someUid}.git`))).toBe(false)
    expect(existsSync(join(data, 'repositories', `${uidOf('b')}.git`))).toBe(true)
    expect(readdirSync(join(data, 'forge', 'pending'))).toEqual([uidOf('b')])
    expect([...held]).toEqual([uidOf('b')])
  })

  test('makes the tag with its message that was under way, and gives up the place of a ref that never was', async () => {
    const data = temporaryFolder()
    const { git, repository, place } = await openWorld(data)
    const commit = await firstCommit(repository)
    const ref = 'refs/tags/v1' as RefName
    const object = await repository.writeTag({
      ...{ commit, ref, tagger: ada, message: 'told', at: unixSeconds(2) },
    })
    git.close()
    const reserved = 'r'.repeat(26)
    mark(data, someUid, JSON.stringify({ reserved, tag: { ref, object } }))
    const dropped = await startOn(data, new Map([[someUid, new Map([[ref, commit]])]]))
    expect(dropped).toEqual([reserved])
    expect(askGit(place, ['rev-parse', ref]).toString().trim()).toBe(object)
  })

  test('keeps the commits of refs that the directory has no more, and serves others if one repository is broken', async () => {
    const data = temporaryFolder()
    const { git, repository, place } = await openWorld(data)
    const commit = await firstCommit(repository)
    const prepared = await repository.prepareRefs([{ ref: main, old: undefined, new: commit }])
    if (prepared.ok) await prepared.commit()
    const broken = uidOf('b')
    await git.create(broken)
    git.close()
    rmSync(join(data, 'repositories', `${broken}.git`, 'objects'), { recursive: true })
    for (const uid of [broken, someUid]) mark(data, uid)
    const failures: unknown[] = []
    const refs = new Map([
      [broken, new Map([[main, commit]])],
      [someUid, new Map()],
    ])
    await startOn(data, refs, { logFailure: (error) => failures.push(error) })
    expect(askGit(place, ['for-each-ref', '--format=%(refname)']).toString().trim()).toBe(
      `refs/latchkey/keep/${commit}`,
    )
    expect(failures).toHaveLength(1)
    expect(readdirSync(join(data, 'forge', 'pending'))).toEqual([broken])
  })
})
