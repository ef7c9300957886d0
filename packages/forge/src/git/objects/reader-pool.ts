/** The git processes that wait for questions about objects: one for each repository in use, a bounded number of them, gone when nobody asks. */

import { isRefusal } from '@latchkey/protocol'
import { shares } from '@latchkey/service/limits/shares'
import { nextSlice } from '@latchkey/service/limits/slices'
import { GitBusy, GitFailed } from '../process/git-errors.ts'
import type { GitProcess } from '../process/start-git.ts'

export interface ReaderPool<Reader> {
  use<Result>(place: ReadPlace, work: (reader: Reader) => Promise<Result>): Promise<Result>
  /** Ends the reader of this key, whoever uses it. */
  end(key: string): void
  close(): void
}

export interface ReadPlace {
  readonly key: string
  /** The account that a new reader is charged to. */
  readonly account: () => string
  open(): GitProcess
}

export interface PoolBounds<Reader> {
  readonly most: number
  /** The last of them. Only an account that has none gets them. */
  readonly reserved: number
  readonly idleMs: number
  /** A process does no more than that, so that none lives for ever. */
  readonly maxUses?: number
  readerOf(git: GitProcess, key: string): Reader
}

interface Entry<Reader> {
  readonly account: string
  readonly git: GitProcess
  readonly reader: Reader
  users: number
  uses: number
  idle: NodeJS.Timeout | undefined
}

/** A reader that has no room yet. Each account waits for its own room: the refusal of one is not that of another. */
interface PendingEntry<Reader> {
  readonly key: string
  readonly account: string
  readonly entry: PromiseWithResolvers<Entry<Reader>>
  /** Ends the wait for room. */
  readonly stop: AbortController
  users: number
}

export function readerPool<Reader>(bounds: PoolBounds<Reader>): ReaderPool<Reader> {
  const { most, reserved, idleMs, maxUses = Number.POSITIVE_INFINITY, readerOf } = bounds
  // A reader waits for no client, and one that is idle keeps its share: many may be of anonymous clients.
  const slots = shares({ max: most, maxOfAnonymous: most, reserved })
  /** Recently used entries come last. */
  const entries = new Map<string, Entry<Reader>>()
  /** By key and account. */
  const pending = new Map<string, PendingEntry<Reader>>()

  /** Takes out those that wait for the reader of this key. */
  const takePending = (key: string): readonly PendingEntry<Reader>[] => {
    const entries = [...pending].filter(([, one]) => one.key === key)
    for (const [place] of entries) pending.delete(place)
    return entries.map(([, one]) => one)
  }
  const end = (key: string) => {
    const ended = new GitFailed('closed', 'process was ended')
    for (const { entry, stop } of takePending(key)) {
      entry.reject(ended)
      stop.abort()
    }
    const entry = entries.get(key)
    if (entry === undefined) return
    clearTimeout(entry.idle)
    entries.delete(key)
    entry.git.kill(ended)
  }
  /** An account with many readers ends none of an account that has fewer: that one would start its own again and again. */
  const mayEndFor = (account: string, owner: string) =>
    slots.heldBy(account) <= Math.max(slots.heldBy(owner), reserved)
  const endOneIdleFor = (account: string) => {
    const idle = entries
      .entries()
      .find(([, entry]) => entry.users === 0 && mayEndFor(account, entry.account))
    if (idle !== undefined) end(idle[0])
  }
  const isWanted = ({ account: owner }: Entry<Reader>) =>
    slots.waiting() > 0 && pending.values().some(({ account }) => mayEndFor(account, owner))
  const start = ({ key, open }: ReadPlace, account: string, release: () => void) => {
    const git = open()
    git.ended.then(release, release)
    const reader = readerOf(git, key)
    const entry: Entry<Reader> = { account, git, reader, users: 0, uses: 0, idle: undefined }
    const forget = () => {
      if (entries.get(key) === entry) entries.delete(key)
    }
    git.ended.then(forget, forget)
    entries.set(key, entry)
    // Readers that other accounts wait for need no room of their own any more.
    for (const one of takePending(key)) {
      entry.users += one.users
      one.entry.resolve(entry)
      one.stop.abort()
    }
  }
  const startInTurn = async (place: ReadPlace, account: string, { signal }: AbortController) => {
    const release = await slots.take({ account }, signal)
    if (isRefusal(release)) throw new GitBusy(release)
    try {
      await nextSlice()
      signal.throwIfAborted()
      start(place, account, release)
    } catch (error) {
      release()
      throw error
    }
  }
  const openEntry = (place: ReadPlace, account: string): PendingEntry<Reader> => {
    const name = pendingName(place.key, account)
    if (entries.size + pending.size >= most - reserved) endOneIdleFor(account)
    const entry = Promise.withResolvers<Entry<Reader>>()
    const opening = { key: place.key, account, entry, stop: new AbortController(), users: 0 }
    pending.set(name, opening)
    startInTurn(place, account, opening.stop).catch((error) => {
      if (pending.get(name) === opening) pending.delete(name)
      entry.reject(error)
    })
    return opening
  }
  /** Counts the caller as a user. */
  const join = async (place: ReadPlace): Promise<Entry<Reader>> => {
    const { key } = place
    const entry = entries.get(key)
    if (entry === undefined) {
      const account = place.account()
      const opening = pending.get(pendingName(key, account)) ?? openEntry(place, account)
      opening.users += 1
      return opening.entry.promise
    }
    entry.users += 1
    clearTimeout(entry.idle)
    entries.delete(key)
    entries.set(key, entry)
    return entry
  }
  const leave = (key: string, entry: Entry<Reader>) => {
    entry.users -= 1
    entry.uses += 1
    if (entry.users > 0 || entries.get(key) !== entry) return
    if (isWanted(entry) || entry.uses >= maxUses) end(key)
    else entry.idle = setTimeout(() => end(key), idleMs)
  }

  return {
    async use(place, work) {
      const entry = await join(place)
      try {
        return await work(entry.reader)
      } finally {
        leave(place.key, entry)
      }
    },
    end,
    close() {
      const keys = [...entries.keys(), ...pending.values().map(({ key }) => key)]
      for (const key of keys) end(key)
    },
  }
}

function pendingName(key: string, account: string): string {
  return `${key} ${account}`
}
