/** Holds a folder open while it is listed: a link that takes its name meanwhile could lead to any file of this user. */

import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync } from 'node:fs'
import { quoteGiven } from '@latchkey/service/text/escape'
import { hasChanged } from '../transfer/request-data.ts'

export interface HeldFolder {
  /** Leads to this folder, whatever has its name by now. */
  readonly way: string
  /** Ends it, and throws if another folder may have been listed instead. */
  close(): void
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants

/** The folder that a person named may be a link. */
export function holdNamed(folder: string): HeldFolder {
  const descriptor = openSync(folder, O_RDONLY | O_DIRECTORY)
  return { way: wayOf(descriptor) ?? folder, close: () => closeSync(descriptor) }
}

/** One inside another that is held. */
export function holdInside(way: string, file: string): HeldFolder {
  const descriptor = openInside(way, file)
  const held = wayOf(descriptor)
  const close = () => {
    const isSame = held !== undefined || isStill(way, descriptor)
    closeSync(descriptor)
    if (!isSame) throw hasChanged(quoteGiven(file))
  }
  return { way: held ?? way, close }
}

function openInside(way: string, file: string): number {
  try {
    return openSync(way, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    throw code === 'ENOTDIR' || code === 'ELOOP' ? hasChanged(quoteGiven(file)) : error
  }
}

/** Linux alone has one. */
function wayOf(descriptor: number): string | undefined {
  const way = `/proc/self/fd/${descriptor}`
  return existsSync(way) ? way : undefined
}

/** Elsewhere a second look must do. */
function isStill(way: string, descriptor: number): boolean {
  const [held, now] = [fstatSync(descriptor), lstatSync(way, { throwIfNoEntry: false })]
  return held.dev === now?.dev && held.ino === now.ino
}
