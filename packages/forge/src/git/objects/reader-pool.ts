/** The object readers of all repositories: one for each that is read, a bounded number of them, gone when nobody asks. */

import { isRefusal } from '@latchkey/protocol'
import { shares } from '@latchkey/service/limits/shares'
import { GitBusy, GitFailed } from '../process/git-errors.ts'
import type { GitProcess } from '../process/start-git.ts'
import { type ObjectReader, objectReader } from './object-reader.ts'

export interface ReaderPool {
  use<Result>(place: ReadPlace, work: (reader: ObjectReader) => Promise<Result>): Promise<Result>
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

export interface PoolBounds {
  readonly most: number
  /** The last of them. Only an account that has none gets them. */
  readonly reserved: number
  readonly idleMs: number
  readonly deadlineMs: number
}

interface Opened {
  readonly git: GitProcess
  readonly reader: ObjectReader
}

interface Entry {
  readonly opened: Promise<Opened>
  users: number
  idle: NodeJS.Timeout | undefined
}

export function readerPool({ most, reserved, idleMs, deadlineMs }: PoolBounds): ReaderPool {
  // A reader waits for no client, and one that is idle keeps its share: many may be of anonymous clients.
  const slots = shares({ max: most, maxOfAnonymous: most, reserved })
  /** Those used last come last. */
  const entries = new Map<string, Entry>()

  const end = (key: string) => {
    const entry = entries.get(key)
    if (entry === undefined) return
    clearTimeout(entry.idle)
    entries.delete(key)
    entry.opened.then(
      ({ git }) => git.kill(new GitFailed('closed', 'cat-file was ended')),
      () => {},
    )
  }
  const endOneIdle = () => {
    const idle = entries.entries().find(([, { users }]) => users === 0)
    if (idle !== undefined) end(idle[0])
  }
  const openEntry = ({ key, account, open }: ReadPlace): Entry => {
    const opening = async (): Promise<Opened> => {
      if (entries.size >= most - reserved) endOneIdle()
      const release = await slots.take({ account: account() })
      if (isRefusal(release)) throw new GitBusy(release)
      try {
        const git = open()
        git.ended.then(release, release)
        return { git, reader: objectReader(git, deadlineMs) }
      } catch (error) {
        release()
        throw error
      }
    }
    const entry: Entry = { opened: opening(), users: 0, idle: undefined }
    const forget = () => {
      if (entries.get(key) === entry) entries.delete(key)
    }
    entry.opened.then(({ git }) => git.ended.then(forget, forget), forget)
    return entry
  }
  const leave = (key: string, entry: Entry) => {
    entry.users -= 1
    if (entry.users > 0 || entries.get(key) !== entry) return
    if (slots.waiting() > 0) end(key)
    else entry.idle = setTimeout(() => end(key), idleMs)
  }

  return {
    async use(place, work) {
      const { key } = place
      const entry = entries.get(key) ?? openEntry(place)
      entry.users += 1
      clearTimeout(entry.idle)
      entries.delete(key)
      entries.set(key, entry)
      try {
        return await work((await entry.opened).reader)
      } finally {
        leave(key, entry)
      }
    },
    end,
    close() {
      for (const key of [...entries.keys()]) end(key)
    },
  }
}
