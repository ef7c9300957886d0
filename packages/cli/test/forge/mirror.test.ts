/** A repository moves from elsewhere to `latchkey serve --forge`, as docs/guides/hugging-face-clients.md says. */

import { join } from 'node:path'
import { filesIn } from '@latchkey/testing/machine/folder'
import { findProgram, isGitLfsMissing } from '@latchkey/testing/tools/find-program'
import { describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { gitClient } from './git-client.ts'
import { makeHistory } from './history.ts'
import { hubWithForge } from './hub-with-forge.ts'

const hasGit = findProgram('git') !== undefined
if (!hasGit) console.warn('NOT TESTED: git is not installed, so no repository is mirrored')
const isMissing = isGitLfsMissing('no repository with large files is mirrored') || !hasGit
const patience = 120_000

describe.skipIf(isMissing)('a repository of 500 commits with large files', () => {
  const hub = hubWithForge()
  const client = gitClient(() => hub.cwd)
  const { git, tryGit } = client
  const refsOf = (folder: string) =>
    git(folder, 'for-each-ref', '--format=%(refname) %(objectname) %(*objectname)')
  const objectsOf = async (folder: string) =>
    (await git(folder, 'rev-list', '--objects', '--no-object-names', '--all')).split('\n').sort()

  // conformance: Forge / Unmodified clients work
  test(
    'is mirrored with its branches, tags and large files, and comes back the same',
    async () => {
      const { cwd } = hub
      const large = await makeHistory(join(cwd, 'old.git'), client.env, 500)
      const created = await latchkeyHere(['repo', 'create', 'models/acme/mirrored'], { cwd })
      expect(created).toMatchObject({ code: 0 })
      const address = `${hub.url.replace('//', `//ada:${hub.tokens['ada']}@`)}/acme/mirrored`

      // Without its large files nothing comes.
      const early = await tryGit('old.git', 'push', '--mirror', address)
      expect(early).toEqual({ code: 1, text: expect.stringContaining('git lfs push --all') })
      expect(await git('.', 'ls-remote', address)).toBe('')

      await git('old.git', 'lfs', 'push', '--all', address)
      await git('old.git', 'notes', 'add', '--message', 'a note', 'main')
      const withNotes = await tryGit('old.git', 'push', '--mirror', address)
      expect(withNotes.code).toBe(1)
      expect(withNotes.text).toMatch(/! \[remote rejected\] refs\/notes\/commits .*branches, tags/)
      expect(withNotes.text).toMatch(/\* \[new tag\] +v1/)
      await git('old.git', 'update-ref', '-d', 'refs/notes/commits')
      await git('old.git', 'push', '--mirror', address)

      await git('.', 'clone', '--quiet', '--mirror', address, 'new.git')
      await git('new.git', 'lfs', 'fetch', '--all')
      expect(await refsOf('new.git')).toBe(await refsOf('old.git'))
      expect(await objectsOf('new.git')).toEqual(await objectsOf('old.git'))
      await git('new.git', 'fsck', '--strict')
      expect(large).toBeGreaterThan(10)
      const [before, after] = ['old.git', 'new.git'].map((name) =>
        filesIn(join(cwd, name, 'lfs/objects')),
      )
      expect(after?.size).toBe(large)
      expect(after).toEqual(before)

      // The next mirror takes away what is gone.
      await git('old.git', 'update-ref', '-d', 'refs/heads/topic/two')
      await git('old.git', 'update-ref', 'refs/heads/later', 'light')
      await git('old.git', 'push', '--mirror', address)
      await git('new.git', 'fetch', '--quiet', '--prune')
      expect(await refsOf('new.git')).toBe(await refsOf('old.git'))
    },
    patience,
  )
})
