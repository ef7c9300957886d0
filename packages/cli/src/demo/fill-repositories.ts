/** Puts the commits of the demo into git. */

import {
  type Git,
  openGit,
  parseObjectHash,
  parseTreePath,
  type Repository,
  repositoriesFolder,
} from '@latchkey/forge/git'
import {
  asRepositoryUid,
  type CommitHash,
  type RepositoryUid,
  type UnixSeconds,
} from '@latchkey/protocol'
import { author, commits, committedAt, type DemoCommit } from './content.ts'

/** Done again, it finds everything there. */
export async function fillRepositories(
  data: string,
  uidOf: (repository: string) => Promise<string | undefined>,
): Promise<void> {
  // The forge runs already, and may be making a repository just now.
  const git = await openGit({ folder: repositoriesFolder(data), isBesideAnother: true })
  try {
    const byRepository = Map.groupBy(commits, ({ repository }) => repository)
    const filled = [...byRepository].map(async ([repository, own]) => {
      const uid = await uidOf(repository)
      if (uid === undefined) return
      for (const commit of own) await fill(git, asRepositoryUid(uid), commit)
    })
    await Promise.all(filled)
  } finally {
    git.close()
  }
}

async function fill(git: Git, uid: RepositoryUid, commit: DemoCommit): Promise<void> {
  const repository = await git.create(uid)
  const hash = parseObjectHash(commit.hash)
  const [found] = hash === undefined ? [] : await repository.infoOf([hash])
  if (found !== undefined) return
  const made = await write(repository, commit)
  if (made !== commit.hash) throw new Error(`the demo has the commit ${made} for ${commit.hash}`)
}

async function write(repository: Repository, commit: DemoCommit): Promise<CommitHash> {
  const { parent, message, files } = commit
  const parents = parent === undefined ? [] : [parent as CommitHash]
  const base = parents[0] && (await repository.treeOf(parents[0]))
  const edits = await Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const path = parseTreePath(name)
      if (path === undefined) throw new Error(`${name} is no path`)
      const hash = await repository.writeBlob(Buffer.from(text))
      return { kind: 'add', path, hash, mode: '100644' } as const
    }),
  )
  const changed = await repository.changeTree(base, edits)
  if (!changed.ok) throw new Error('the files of the demo do not fit together')
  const { tree } = changed
  const at = committedAt as UnixSeconds
  const signed = { author, committer: author, message, at }
  return repository.writeCommit({ tree, parents, ...signed })
}
