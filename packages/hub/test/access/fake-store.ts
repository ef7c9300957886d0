/** A store of the access room in memory, which writes down what it is asked. */

import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  type CommitHash,
  defaultStorage,
  journalNumber,
  type Moment,
  parseRefName,
  parseRepoRef,
  unixSeconds,
} from '@latchkey/protocol'
import type {
  AccessStore,
  DirectoryVersion,
  FoundRepository,
  HolderRecord,
  MovingRefRecord,
  RepositoryRecord,
} from '../../src/access/access-store.ts'
import type { CallerRecord } from '../../src/identity/caller.ts'

export const now = unixSeconds(1_800_000_000)

export function repo(path: string) {
  const parsed = parseRepoRef(path)
  if (parsed === undefined) throw new Error(`no repository can be called ${path}`)
  return parsed
}

export function ref(text: string) {
  const name = parseRefName(text)
  if (name === undefined) throw new Error(`no ref can be called ${text}`)
  return name
}

export const learned: Moment = { steadyMs: 0, wallMs: now * 1000 }

export const first = versionOf(1)
export const second = versionOf(2)

export function versionOf(number: number): DirectoryVersion {
  return { number: journalNumber(number), mark: number, learned }
}

export const commit = 'a'.repeat(40) as CommitHash

export const record: CallerRecord = {
  accountId: asAccountId('account'),
  accountName: 'someone',
  accountDisabled: false,
  administrator: false,
  hubTokenId: asHubTokenId('hub-token'),
  kind: 'write',
  origin: 'admin',
  grants: [],
}

export const branch: MovingRefRecord = {
  uid: asRefUid('ref'),
  name: ref('refs/heads/main'),
  commit,
  forks: [],
}

export const repository: RepositoryRecord = {
  uid: asRepositoryUid('repository'),
  epoch: 0,
  storage: defaultStorage,
  visibility: 'private',
  defaultBranch: ref('refs/heads/main'),
  refRules: [],
  memberRole: 'read',
  collaboratorRole: null,
  teamEnds: { read: 0, write: 0, admin: 0 },
  fixed: undefined,
  moving: branch,
}

/** A repository whose tag is held by branches, and was held by others that are deleted. */
export function heldBy(branches: number, deleted = 0): RepositoryRecord {
  const holder = (index: number): HolderRecord => ({
    uid: asRefUid(`holder-${index}`),
    name: ref(`refs/heads/${index}`),
    recordedNumber: journalNumber(now * 1000),
    refPosition: index,
  })
  const holders = Array.from({ length: branches }, (_, index) => holder(index))
  const fixed = {
    uid: asRefUid('tag'),
    name: ref('refs/tags/v1'),
    commit,
    holders,
    pastHolders: Array.from({ length: deleted }, () => 'refs/heads/deleted'),
    forks: [],
  }
  return { ...repository, fixed, moving: undefined }
}

export interface FakeStore extends AccessStore {
  /** The questions so far, without those for the version, and forgets them. */
  asked(): readonly string[]
  /** How often the version was asked for. */
  versions: number
  /** What the store answers from now on. */
  answers: {
    version: DirectoryVersion
    caller?: CallerRecord
    repository: FoundRepository
  }
  /** While it is, nobody learns the version. */
  isAway: boolean
  /** While it is set, answers are settled but wait for it. */
  held?: Promise<void>
}

export function fakeStore(): FakeStore {
  const asked: string[] = []
  const answer = async <Answer>(question: string, found: Answer): Promise<Answer> => {
    asked.push(question)
    await store.held
    return found
  }
  const store: FakeStore = {
    isExact: true,
    isFresh: () => true,
    untilBack: (work) => work(),
    versions: 0,
    isAway: false,
    answers: { version: first, caller: record, repository },
    asked: () => asked.splice(0),
    version() {
      store.versions += 1
      if (store.isAway) throw new Error('no database')
      return store.answers.version
    },
    async find({ hubTokenHash: hash, about, viewerOf }) {
      const caller = hash && (await answer(`caller ${hash}`, store.answers.caller))
      const viewer = viewerOf(caller || undefined)
      if (viewer === undefined || about === undefined)
        return { caller: caller || undefined, repository: undefined }
      const question = `${about.repo.name} for ${viewer.accountId}: ${JSON.stringify(about.names)}`
      const found = await answer(question, store.answers.repository)
      return { caller: caller || undefined, repository: found }
    },
    findPrefixes: () => answer('prefixes', new Set(['lk_'])),
  }
  return store
}

/** The next turn of the event loop, in which the version is asked for again. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
