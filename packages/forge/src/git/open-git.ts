/** The repositories of a hub, by their uids: bare, and handled by the git of this machine alone. */

import type { RepositoryUid } from '@latchkey/protocol'
import { shares } from '@latchkey/service/limits/shares'
import { keyedTurns } from '@latchkey/service/limits/turns'
import {
  isThere,
  makeWhole,
  passingFolder,
  prepareRoot,
  removeUnfinished,
  removeWhole,
  repositoryFolder,
  uidsIn,
} from './folders.ts'
import { blobWriter, writerArgs } from './objects/blob-writer.ts'
import { objectReader, readerArgs } from './objects/object-reader.ts'
import { objectsFrom, type UseReader } from './objects/objects.ts'
import { readerPool } from './objects/reader-pool.ts'
import { objectMemory } from './objects/remembered-objects.ts'
import { writtenFolders } from './objects/written-folders.ts'
import { filtersOf, ignoredOf, type MatchRequest, type MatchTools } from './patterns/match-paths.ts'
import { gitEnvironment } from './process/environment.ts'
import { findGit } from './process/find-git.ts'
import { gitCommands } from './process/git-commands.ts'
import { type GitProcesses, processWatch } from './process/process-watch.ts'
import { startGit } from './process/start-git.ts'
import { heldUpdates } from './refs/held-updates.ts'
import { type Repository, repositoryOf } from './repository.ts'
import { sharedFolders } from './trees/tree-reader.ts'

export interface GitSettings {
  /** Holds a folder for each repository; made if it is missing. */
  readonly folder: string
  /** The git to use; the first in PATH if there is none. */
  readonly program?: string
  readonly bounds?: Partial<GitBounds>
  /** Whether others may be making or removing repositories here; what looks unfinished is left alone. */
  readonly isBesideAnother?: boolean
}

export interface GitBounds {
  /** Processes that work at the same time. */
  readonly maxWorking: number
  /** Processes that stream to clients at the same time. */
  readonly maxServing: number
  /** The same for one account, whatever hub tokens it uses. */
  readonly maxServingOfAccount: number
  /** Repositories whose objects are being read at the same time, and those whose files are being stored. */
  readonly maxReaders: number
  /** A reader that nobody asks ends after this long. */
  readonly readerIdleMs: number
  /** One question to a reader takes no longer. */
  readonly readerDeadlineMs: number
  /** A command that has no deadline of its own takes no longer. */
  readonly commandDeadlineMs: number
  /** Processor time for one text of patterns. A thousand paths and twenty thousand lines take 0.7 s. */
  readonly matchCpuSeconds: number
}

/** Charged with what no caller has asked for. */
const forgeItself: Caller = { account: () => 'forge', signal: undefined }

/** For accounts that have no process. */
const reservedOf = (most: number) => Math.floor(most / 4)

const usualBounds: GitBounds = {
  maxWorking: 8,
  maxServing: 16,
  maxServingOfAccount: 6,
  maxReaders: 16,
  readerIdleMs: 10_000,
  readerDeadlineMs: 60_000,
  commandDeadlineMs: 60_000,
  matchCpuSeconds: 2,
}

export interface Caller {
  /** Processes are charged to the account: each has its share of them. */
  readonly account: () => string
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal | undefined
}

export interface Git {
  readonly version: string
  /** The same repositories, for one caller. */
  calledBy(caller: Caller): Git
  processes(): GitProcesses
  /** The one that is there already, if there is one. */
  create(uid: RepositoryUid): Promise<Repository>
  open(uid: RepositoryUid): Repository | undefined
  /** The same; every question to it ends when the caller's signal is aborted. A change must not end halfway. */
  openToRead(uid: RepositoryUid): Repository | undefined
  exists(uid: RepositoryUid): boolean
  list(): Promise<readonly RepositoryUid[]>
  remove(uid: RepositoryUid): Promise<void>
  /** The value of `filter` that the text of a `.gitattributes` gives each path. */
  filtersOf(request: MatchRequest): Promise<readonly string[]>
  /** Whether the text of a `.gitignore` leaves out each path. */
  ignoredOf(request: MatchRequest): Promise<readonly boolean[]>
  /** Ends the processes that wait for questions. */
  close(): void
}

/** Throws GitUnavailable where there is no git that can be used. */
export async function openGit(settings: GitSettings): Promise<Git> {
  const { folder, program: programPath, bounds = {}, isBesideAnother = false } = settings
  const { program, version } = await findGit(programPath)
  const root = await prepareRoot(folder)
  if (!isBesideAnother) await removeUnfinished(root)
  const limits = { ...usualBounds, ...bounds }
  const { maxWorking, maxServing, maxServingOfAccount, maxReaders } = limits
  const slots = {
    work: shares({ max: maxWorking, reserved: reservedOf(maxWorking) }),
    serving: shares({
      ...{ max: maxServing, reserved: reservedOf(maxServing) },
      maxOfAccount: maxServingOfAccount,
    }),
  }
  const { readerIdleMs: idleMs, readerDeadlineMs } = limits
  const held = { most: maxReaders, reserved: reservedOf(maxReaders), idleMs }
  const readers = readerPool({
    ...held,
    readerOf: (git) => objectReader(git, readerDeadlineMs),
  })
  const writers = readerPool({
    ...held,
    // Git remembers which packs there are.
    maxUses: 1000,
    readerOf: (git, folder) => blobWriter(git, folder, readerDeadlineMs),
  })
  const updates = heldUpdates({ most: maxReaders, idleMs })
  const written = writtenFolders()
  const watch = processWatch()
  const turns = keyedTurns<string>()
  const foldersOf = sharedFolders()
  const memory = objectMemory()

  const commandsIn = (place: string, { account, signal }: Caller) =>
    gitCommands({
      ...{ program, folder: place, account, signal, slots, deadlineMs: limits.commandDeadlineMs },
      started: watch.started,
      wrote: (hash) => written.add(place, hash),
    })
  const repositoryIn = (place: string, caller: Caller): Repository => {
    const { account, signal } = caller
    const hold = (args: readonly string[]) => () =>
      watch.started(
        startGit({
          ...{ program, args, cwd: place, env: gitEnvironment(place) },
          ...{ deadlineMs: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY },
        }),
      )
    const use: UseReader = async (work) => {
      signal?.throwIfAborted()
      return readers.use({ key: place, account, open: hold(readerArgs) }, work)
    }
    const writing = { key: place, account, open: hold(writerArgs) }
    const storeBlob = (content: Uint8Array) =>
      writers.use(writing, (writer) => writer.write(content))
    const objects = objectsFrom({ use, remembered: memory.of(place), signal })
    return repositoryOf({
      ...{ objects, folders: foldersOf(place, objects), signal },
      commands: commandsIn(place, caller),
      ...{ turns, storeBlob, heldUpdates: updates },
      newFolder: () => passingFolder(root),
      syncWritten: () => written.sync(place),
    })
  }
  const matching = (caller: Caller): MatchTools => ({
    cpuSeconds: limits.matchCpuSeconds,
    newFolder: () => passingFolder(root),
    commandsIn: (folder) => commandsIn(folder, caller),
  })
  const init = async (place: string) => {
    const args = ['init', '--quiet', '--bare', '--template=', '--initial-branch=main']
    await commandsIn(place, forgeItself).run([...args, '--object-format=sha1', '--', place])
  }

  const gitFor = (reader: Caller): Git => {
    const { account } = reader
    const changer: Caller = { account, signal: undefined }
    return {
      version,
      calledBy: gitFor,
      processes: () => ({
        ...watch.counts(),
        waiting: slots.work.waiting() + slots.serving.waiting(),
      }),
      exists: (uid) => isThere(repositoryFolder(root, uid)),
      list: () => uidsIn(root),
      open(uid) {
        const place = repositoryFolder(root, uid)
        return isThere(place) ? repositoryIn(place, changer) : undefined
      },
      openToRead(uid) {
        const place = repositoryFolder(root, uid)
        return isThere(place) ? repositoryIn(place, reader) : undefined
      },
      async create(uid) {
        const place = repositoryFolder(root, uid)
        await turns.alone(place, async () => {
          if (!isThere(place)) await makeWhole(place, init)
        })
        return repositoryIn(place, changer)
      },
      async remove(uid) {
        const place = repositoryFolder(root, uid)
        await turns.alone(place, async () => {
          readers.end(place)
          writers.end(place)
          updates.end(place)
          written.forget(place)
          await removeWhole(place)
          memory.forget(place)
        })
      },
      filtersOf: (request) => filtersOf(matching(changer), request),
      ignoredOf: (request) => ignoredOf(matching(changer), request),
      close() {
        readers.close()
        writers.close()
        updates.close()
      },
    }
  }
  return gitFor(forgeItself)
}
