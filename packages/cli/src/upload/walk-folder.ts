/** The regular files below a folder, in an order that is the same everywhere; links are not followed. */

import { isUtf8 } from 'node:buffer'
import { accessSync, constants, lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { isGitName } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text/escape'
import { sortByPath } from '../manifest/manifest.ts'
import { cannotRead } from '../output/cannot-read.ts'
import { refused, Stop } from '../output/stop.ts'
import { isPartialName } from '../partial/partial-name.ts'
import { type HeldFolder, holdInside, holdNamed } from './hold-folder.ts'

export interface FoundFile {
  /** Below the folder, with `/` between its parts. */
  readonly path: string
  readonly file: string
  readonly seen: Stats
}

/** Found in a folder, and not uploaded. */
export interface LeftOut {
  readonly file: string
  /** Special are pipes, sockets and devices. */
  readonly kind: 'link' | 'special' | 'git' | 'partial'
}

export interface Walked {
  readonly files: readonly FoundFile[]
  readonly leftOut: readonly LeftOut[]
}

/** What this user may not read is told here, before anything is sent. */
export function walkFolder(folder: string): Walked {
  const files: FoundFile[] = []
  const leftOut: LeftOut[] = []
  const look = (way: string, below: string) => {
    for (const name of namesIn(way, join(folder, below))) {
      const path = below === '' ? name : `${below}/${name}`
      const file = join(folder, path)
      const here = join(way, name)
      const seen = reading(file, () => lstatSync(here))
      const kind = kindOf(name, seen)
      if (kind === 'folder')
        walk(
          path,
          reading(file, () => holdInside(here, file)),
        )
      else if (kind !== 'file') leftOut.push({ file, kind })
      else {
        reading(file, () => accessSync(here, constants.R_OK))
        files.push({ path, file, seen })
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
function kindOf(name: string, seen: Stats): LeftOut['kind'] | 'file' | 'folder' {
  if (isGitName(name)) return 'git'
  if (seen.isDirectory()) return 'folder'
  if (seen.isSymbolicLink()) return 'link'
  if (!seen.isFile()) return 'special'
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
