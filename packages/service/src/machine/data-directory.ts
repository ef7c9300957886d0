/** The directory that holds everything a service keeps, and the part of its disk that is reserved for it. */

import { accessSync, constants, existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { CannotStart } from './errors.ts'

interface DirectoryRules {
  /** Make it where there is none. */
  readonly create: boolean
  /** The advice for the operator if there is none and this call must not create it. */
  readonly missing: string
  /** Files by which a directory of ours is known. */
  readonly ownFiles: readonly string[]
}

/** Gives the directories that it has made, the outermost first. */
export function prepareDataDirectory(data: string, rules: DirectoryRules): readonly string[] {
  const made = rules.create ? makeDirectory(data) : []
  const status = statSync(data, { throwIfNoEntry: false })
  if (status === undefined) {
    throw new CannotStart(`there is no data directory ${data}. ${rules.missing}`)
  }
  if (!status.isDirectory()) {
    throw new CannotStart(
      `the data directory ${data} is not a directory. Choose another with --data.`,
    )
  }
  if ((status.mode & 0o077) !== 0) {
    const mode = (status.mode & 0o777).toString(8)
    throw new CannotStart(
      `the data directory ${data} is open to other users (mode ${mode}). ${adviceFor(data, rules)}`,
    )
  }
  try {
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    throw new CannotStart(
      `the data directory ${data} is not writable for this user. Give it to this user, or choose another with --data.`,
    )
  }
  return made
}

/** After a failed start. Another process may have begun to use one: only what is empty goes. */
export function removeEmpty(made: readonly string[]): void {
  for (const directory of made.toReversed()) {
    try {
      rmdirSync(directory)
    } catch {
      return
    }
  }
}

/** Closing a directory that others need, such as /etc, would break the machine. */
function adviceFor(data: string, { ownFiles }: DirectoryRules): string {
  return ownFiles.some((file) => existsSync(join(data, file)))
    ? `It holds keys: run "chmod 700 ${data}".`
    : 'Keys will lie in it: choose one with --data that is not there yet, which is made for its owner only.'
}

function makeDirectory(data: string): readonly string[] {
  try {
    return makeEach(resolve(data))
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    throw new CannotStart(
      `the data directory ${data} cannot be made (${reason}). Choose another with --data.`,
    )
  }
}

/** Step by step: asked to make parents itself, Node never returns where nobody can make any. */
function makeEach(path: string): readonly string[] {
  if (existsSync(path)) return []
  const above = makeEach(dirname(path))
  mkdirSync(path, { mode: 0o700 })
  return [...above, path]
}

/** A user without an entry in the system's table has a number only. */
export function machineUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}

export interface DiskReserve {
  /** Throws `ReserveReached` where no more than the reserve is free. */
  check(): Promise<void>
  /** The same body, checked as it comes. */
  guard(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

/** Has the code of a full disk: whatever answers one answers the other alike. */
class ReserveReached extends Error {
  override readonly name = 'ReserveReached'
  readonly code = 'ENOSPC'
}

export const defaultReservedBytes = 512 * 1024 * 1024

/** Bodies that arrive at the same time take up to this much each of the reserve. */
const bytesBetweenChecks = 1024 * 1024

/** How much room the disk of a folder has for this user. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/**
 * Refuses content before the disk is full, so that a hub can still write down what is revoked. `folder` is on the disk that
 * the directory is on.
 */
export function diskReserve(folder: string, reservedBytes: number): DiskReserve {
  const check = async () => {
    if (reservedBytes === 0) return
    // Where the disk cannot be asked, the write itself finds out.
    const free = await freeBytes(folder).catch(() => Number.POSITIVE_INFINITY)
    if (free > reservedBytes) return
    throw new ReserveReached(
      `${folder} has ${free} bytes free, and ${reservedBytes} are reserved for the directory`,
    )
  }
  return {
    check,
    async *guard(body) {
      await check()
      let bytes = 0
      for await (const part of body) {
        bytes += part.length
        if (bytes >= bytesBetweenChecks) {
          await check()
          bytes = 0
        }
        yield part
      }
    },
  }
}
