/** The regular files below a folder, in an order that is the same everywhere; links are not followed. */

import { isUtf8 } from 'node:buffer'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import { isGitName } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import { sortByPath } from '../manifest/manifest.ts'
import { cannotRead } from '../output/cannot-read.ts'
import { refused, Stop } from '../output/stop.ts'
import { isPartialName } from '../partial/records.ts'
import { hasChanged } from '../transfer/request-data.ts'

/** Holds a folder open while it is listed: a link that takes its name meanwhile could lead to any file of this user. */
interface HeldFolder {
  /** Leads to this folder, whatever has its name by now. */
  readonly way: string
  /** Ends it, and throws if another folder may have been listed instead. */
  close(): void
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants

/** The folder that a person named may be a link. */
function holdNamed(folder: string): HeldFolder {
  const descriptor = openSync(folder, O_RDONLY | O_DIRECTORY)
  return { way: wayOf(descriptor) ?? folder, close: () => closeSync(descriptor) }
}

/** One inside another that is held. */
function holdInside(way: string, file: string): HeldFolder {
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

export interface FoundFile {
  /** Below the folder, with `/` between its parts. */
  readonly path: string
  readonly file: string
  readonly stats: Stats
}

/** Found in a folder, and not uploaded. */
export interface LeftOut {
  readonly file: string
  /** Special are pipes, sockets and devices. */
  readonly kind: 'link' | 'special' | 'git' | 'partial'
}

interface Walked {
  readonly files: readonly FoundFile[]
  readonly leftOut: readonly LeftOut[]
}

/** Reports files that this user may not read before the client sends any. */
export function walkFolder(folder: string): Walked {
  const files: FoundFile[] = []
  const leftOut: LeftOut[] = []
  const look = (way: string, below: string) => {
    for (const name of namesIn(way, join(folder, below))) {
      const path = below === '' ? name : `${below}/${name}`
      const file = join(folder, path)
      const here = join(way, name)
      const stats = reading(file, () => lstatSync(here))
      const kind = kindOf(name, stats)
      if (kind === 'folder')
        walk(
          path,
          reading(file, () => holdInside(here, file)),
        )
      else if (kind !== 'file') leftOut.push({ file, kind })
      else {
        reading(file, () => accessSync(here, constants.R_OK))
        files.push({ path, file, stats })
      }
    }
  }
  const walk = (below: string, { way, close }: HeldFolder) => {
    try {
      look(way, below)
    } finally {
      close()
    }
  }
  walk(
    '',
    reading(folder, () => holdNamed(folder)),
  )
  return { files: sortByPath(files), leftOut }
}

/** No manifest may hold a name that is git's. */
function kindOf(name: string, stats: Stats): LeftOut['kind'] | 'file' | 'folder' {
  if (isGitName(name)) return 'git'
  if (stats.isDirectory()) return 'folder'
  if (stats.isSymbolicLink()) return 'link'
  if (!stats.isFile()) return 'special'
  return isPartialName(name) ? 'partial' : 'file'
}

/** A name that is no text would be read as another one. */
function namesIn(way: string, folder: string): string[] {
  return reading(folder, () => readdirSync(way, { encoding: 'buffer' })).map((name) => {
    if (isUtf8(name)) return name.toString()
    throw refused(
      `${quoteGiven(name.toString())} in ${quoteGiven(folder)} is not valid Unicode; rename it`,
    )
  })
}

function reading<Result>(file: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof Stop ? error : cannotRead(file, error)
  }
}
