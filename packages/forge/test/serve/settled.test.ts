/** After a kill between the directory and git, the next start brings git to the directory. */

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommitHash, type RefName, type RepositoryUid, unixSeconds } from '@latchkey/protocol'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, test } from 'vitest'
import { openForge } from '../../src/serve/index.ts'
import { ada, addFile, askGit, main, openWorld, someUid, uidOf } from '../git/world.ts'
import { isGitThere } from '../real-git.ts'

type Refs = ReadonlyMap<RefName, CommitHash>

const startOn = async (data: string, refs: ReadonlyMap<RepositoryUid, Refs>) => {
  const hub = {
    asking: () => {
      throw new Error('nobody asks')
    },
    refsOf: async (uid: RepositoryUid) => refs.get(uid),
    dropReserved: async () => {},
    expireUploads: async () => 0,
  }
  const logFailure = () => {}
  const forge = await openForge({ hub, data, publicUrl: 'https://hub.example', logFailure })
  await forge.close()
}

const mark = (data: string, uid: RepositoryUid) => {
  mkdirSync(join(data, 'forge', 'pending'), { recursive: true })
  writeFileSync(join(data, 'forge', 'pending', uid), '')
}

describe.skipIf(!isGitThere)('a forge that starts after a kill', () => {
  test('rolls a marked repository forward to the directory, past the lock of a killed git', async () => {
    const data = temporaryFolder()
    const { git, repository, place } = await openWorld(data)
    const changed = await repository.changeTree(undefined, [await addFile(repository, 'a', 'a')])
    if (!changed.ok) throw new Error(changed.refusal)
    const commit = await repository.writeCommit({
      ...{ tree: changed.tree, parents: [], author: ada, committer: ada },
      ...{ message: 'first', at: unixSeconds(1) },
    })
    git.close()
    mark(data, someUid)
    mkdirSync(join(place, 'refs/heads'), { recursive: true })
    writeFileSync(join(place, 'refs/heads/main.lock'), '')
    await startOn(data, new Map([[someUid, new Map([[main, commit]])]]))
    expect(askGit(place, ['rev-parse', 'refs/heads/main']).toString().trim()).toBe(commit)
    expect(readdirSync(join(data, 'forge', 'pending'))).toEqual([])
  })

  test('removes a marked repository that the directory does not have any more, and no other', async () => {
    const data = temporaryFolder()
    const { git } = await openWorld(data)
    await git.create(uidOf('b'))
    git.close()
    mark(data, someUid)
    await startOn(data, new Map())
    expect(existsSync(join(data, 'repositories', `${someUid}.git`))).toBe(false)
    expect(existsSync(join(data, 'repositories', `${uidOf('b')}.git`))).toBe(true)
  })
})
