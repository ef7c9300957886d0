/** Repositories for a test, and short ways to fill and to look at them. */

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  asRepositoryUid,
  branchName,
  type CommitHash,
  noCommit,
  type RefName,
  type RepositoryUid,
  unixSeconds,
} from '@latchkey/protocol'
import {
  type Edit,
  type Git,
  type GitSettings,
  type ObjectHash,
  openGit,
  parseTreePath,
  type Repository,
  type TreePath,
} from '../../src/git/index.ts'

export const uidOf = (letter: string): RepositoryUid => asRepositoryUid(letter.repeat(26))
export const someUid: RepositoryUid = uidOf('a')
export const main: RefName = ref('main')
export const ada = { name: 'Ada', email: 'ada@example.org' }

export function ref(branch: string): RefName {
  const name = branchName(branch)
  if (name === undefined) throw new Error(`no branch can be called ${branch}`)
  return name
}

export function path(text: string): TreePath {
  const parsed = parseTreePath(text)
  if (parsed === undefined) throw new Error(`no path: ${text}`)
  return parsed
}

export interface World {
  readonly git: Git
  readonly repository: Repository
  /** Where the repository lies. */
  readonly place: string
}

export async function openWorld(
  folder: string,
  settings: Omit<GitSettings, 'folder'> = {},
): Promise<World> {
  const root = join(folder, 'repositories')
  mkdirSync(root, { recursive: true })
  const git = await openGit({ folder: root, ...settings })
  const repository = await git.create(someUid)
  return { git, repository, place: join(root, `${someUid}.git`) }
}

/** What the real git says about a repository, without any of our settings. */
export function askGit(
  place: string,
  args: readonly string[],
  input: string | Buffer = '',
): Buffer {
  return execFileSync('git', args, {
    cwd: place,
    input,
    env: { PATH: process.env['PATH'], GIT_DIR: place, GIT_CONFIG_GLOBAL: '/dev/null' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

export async function addFile(
  repository: Repository,
  name: string,
  content: string,
): Promise<Edit> {
  const hash = await repository.writeBlob(Buffer.from(content))
  return { kind: 'add', path: path(name), hash, mode: '100644' }
}

export interface CommitRequest {
  readonly parents?: readonly CommitHash[]
  readonly message?: string
  readonly at?: number
}

/** A commit with the edits, on top of its first parent. */
export async function commitEdits(
  repository: Repository,
  edits: readonly Edit[],
  { parents = [], message = 'a change', at = 1_700_000_000 }: CommitRequest = {},
): Promise<CommitHash> {
  const [first] = parents
  const base = first && (await repository.treeOf(first))
  const changed = await repository.changeTree(base, edits)
  if (!changed.ok) throw new Error(changed.refusal)
  return repository.writeCommit({
    ...{ tree: changed.tree, parents, author: ada, committer: ada },
    ...{ message, at: unixSeconds(at) },
  })
}

export async function pointTo(
  repository: Repository,
  name: RefName,
  commit: ObjectHash,
): Promise<void> {
  const prepared = await repository.prepareRefs([{ ref: name, old: undefined, new: commit }])
  if (!prepared.ok) throw new Error(prepared.conflict)
  await prepared.commit()
}

export async function readAll(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(part)
  return Buffer.concat(all)
}

export { noCommit }
