/** What others need of a deleted ref is saved once, as long as its client waits, and goes on where it stopped. */

import { createHash } from 'node:crypto'
import type {
  CallerQuestions,
  IssuedStorageToken,
  RefDependents,
} from '@latchkey/admin-api/forge-port'
import type { CommitHash, RefName, RefUid, RepoRef } from '@latchkey/protocol'
import { Secret, unixSeconds } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { largeFilesOf } from '../../src/commits/large-files-in.ts'
import { saveDependents } from '../../src/commits/save-dependents.ts'
import { savedContent } from '../../src/commits/saved-content.ts'
import type { ListedEntry, ObjectHash, Repository } from '../../src/git/index.ts'
import type { AskStorage, FileHash } from '../../src/large-files/ask-storage.ts'
import { formatPointer, type LfsOid, type Pointer } from '../../src/words/pointer.ts'

const hash = (text: string) => createHash('sha1').update(text).digest('hex') as ObjectHash
const oidOf = (name: string) => Buffer.from(name.padEnd(32, '.')).toString('hex') as LfsOid

interface Tree {
  readonly [name: string]: 'small' | 'large' | Tree
}

/** A repository in memory that counts what is read of it. A commit is a tree of its name. */
function repositoryOf(commits: Readonly<Record<string, Tree>>) {
  const trees = new Map<ObjectHash, ListedEntry[]>()
  const blobs = new Map<ObjectHash, Buffer>()
  const reads: string[] = []
  const put = (tree: Tree): ObjectHash => {
    const entries = Object.entries(tree).map(([name, what]): ListedEntry => {
      if (typeof what === 'object')
        return { path: name, kind: 'folder', mode: '040000', hash: put(what) }
      const blob = hash(`${what} ${name}`)
      const pointer = Buffer.from(formatPointer({ oid: oidOf(name), sizeBytes: 7 }))
      blobs.set(blob, what === 'large' ? pointer : Buffer.from(name))
      return { path: name, kind: 'file', mode: '100644', hash: blob }
    })
    const own = hash(JSON.stringify(entries))
    trees.set(own, entries)
    return own
  }
  const tops = new Map(Object.entries(commits).map(([name, tree]) => [hash(name), put(tree)]))
  const repository = {
    treeOf: async (commit: ObjectHash) => tops.get(commit),
    async listTree(tree: ObjectHash) {
      reads.push(`folder ${trees.get(tree)?.map(({ path }) => path)}`)
      return { entries: trees.get(tree) ?? [], next: undefined }
    },
    infoOf: async (hashes: readonly ObjectHash[]) =>
      hashes.map((one) => ({ hash: one, kind: 'blob', size: blobs.get(one)?.length ?? 0 })),
    async readObject(blob: ObjectHash) {
      reads.push('blob')
      return { bytes: blobs.get(blob) }
    },
  }
  return { repository: repository as unknown as Repository, tops, reads }
}

describe('large files of a tree', () => {
  test('every folder and every blob is read once, however many trees have it', async () => {
    const data = { 'x.bin': 'large', deep: { 'y.txt': 'small' } } as const
    const { repository, tops, reads } = repositoryOf({
      one: { data, 'a.txt': 'small' },
      two: { data, again: data, 'b.bin': 'large' },
    })
    const largeFilesIn = largeFilesOf(repository)
    const names = async (commit: string) =>
      (await largeFilesIn(tops.get(hash(commit)) ?? hash(''))).map(({ oid }) => oid)
    expect(await names('one')).toEqual([oidOf('x.bin')])
    expect((await names('two')).toSorted()).toEqual([oidOf('x.bin'), oidOf('b.bin')].toSorted())
    expect(await names('one')).toEqual([oidOf('x.bin')])
    expect(reads).toEqual([
      ...['folder data,a.txt', 'folder x.bin,deep', 'blob', 'folder y.txt'],
      ...['folder data,again,b.bin', 'blob'],
    ])
  })
})

describe('saving what others need', () => {
  const commits = ['c1', 'c2', 'c3']
  const dependents = {
    refUid: 'dev' as RefUid,
    commits: commits.map((name) => ({
      hash: hash(name) as string as CommitHash,
      isHeldElsewhere: false,
    })),
    refs: [],
  } as unknown as RefDependents
  const token = (refUid: string): IssuedStorageToken => ({
    ...{ refUid: refUid as RefUid, casUrl: 'x', expiresAt: unixSeconds(1) },
    accessToken: new Secret('access-token', 'x'),
  })
  const hub = {
    decide: async () => {
      throw new Error('no ref needs it')
    },
    storageToken: async ({ scope, revision }) =>
      token(`${scope} ${revision.kind === 'commit' ? revision.hash : 'dev'}`),
  } satisfies Pick<CallerQuestions, 'decide' | 'storageToken'>

  const world = (onFind = () => {}) => {
    const { repository } = repositoryOf({
      c1: { 'f1.bin': 'large' },
      c2: { 'f1.bin': 'large', 'f2.bin': 'large' },
      c3: { 'f3.bin': 'large' },
    })
    const asked: string[] = []
    const storage = {
      async find(_: unknown, { oid }: Pointer) {
        asked.push(`find ${Buffer.from(oid, 'hex').toString().slice(0, 2)}`)
        onFind()
        return oid as string as FileHash
      },
      async adopt(_: unknown, files: readonly FileHash[]) {
        asked.push(`adopt ${files.length}`)
        return undefined
      },
      read: async () => [],
    } as unknown as AskStorage
    const saved = savedContent()
    const save = (signal = new AbortController().signal) =>
      saveDependents(
        { ...{ hub, storage, repository, saved, signal }, repo: {} as RepoRef },
        'refs/heads/dev' as RefName,
        dependents,
      )
    return { asked, save }
  }

  test('each content is looked for once, whichever commits have it', async () => {
    const { asked, save } = world()
    expect(await save()).toBeUndefined()
    expect(asked).toEqual(['find f1', 'adopt 1', 'find f2', 'adopt 2', 'find f3', 'adopt 1'])
  })

  test('ends when its client has gone, and goes on there when the ref is deleted again', async () => {
    const client = new AbortController()
    let finds = 0
    const { asked, save } = world(() => {
      finds += 1
      if (finds === 2) client.abort()
    })
    await expect(save(client.signal)).rejects.toThrow('aborted')
    expect(asked).toEqual(['find f1', 'adopt 1', 'find f2', 'adopt 2'])
    expect(await save()).toBeUndefined()
    expect(asked.slice(4)).toEqual(['find f3', 'adopt 1'])
  })
})
