/** Interprets errors of the file system. */

import { DiskFull, NoSuchObject } from './object-store.ts'

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** Does the work; that there is no room left is told in the port's own words. */
export async function unlessFull<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!hasCode(error, 'ENOSPC', 'EDQUOT')) throw error
    throw new DiskFull('there is no space left on the disk for objects', { cause: error })
  }
}

/** Undefined when there is no such file or folder. */
export async function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** The same, told in the port's own words. */
export async function objectThere<Result>(work: Promise<Result>): Promise<Result> {
  const found = await ifThere(work)
  if (found === undefined) throw new NoSuchObject('there is no object of this key')
  return found
}
