/** The regular files below a folder, in an order that is the same everywhere; links are not followed. */

import { isUtf8 } from 'node:buffer'
import { accessSync, constants, lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { sortByPath } from '../manifest/manifest.ts'
import { cannotRead } from '../output/cannot-read.ts'
import { quoteGiven } from '../output/escape.ts'
import { refused } from '../output/stop.ts'

export interface FoundFile {
  /** Below the folder, with `/` between its parts. */
  readonly path: string
  readonly file: string
  readonly seen: Stats
}

export interface Walked {
  readonly files: readonly FoundFile[]
  readonly links: readonly string[]
  /** Pipes, sockets and devices. */
  readonly special: readonly string[]
}

/** What this user may not read is told here, before anything is sent. */
export function walkFolder(folder: string): Walked {
  const found = { files: [] as FoundFile[], links: [] as string[], special: [] as string[] }
  const walk = (below: string) => {
    for (const name of namesIn(join(folder, below))) {
      const path = below === '' ? name : `${below}/${name}`
      const file = join(folder, path)
      const seen = reading(file, () => lstatSync(file))
      if (seen.isDirectory()) walk(path)
      else if (seen.isSymbolicLink()) found.links.push(file)
      else if (!seen.isFile()) found.special.push(file)
      else {
        reading(file, () => accessSync(file, constants.R_OK))
        found.files.push({ path, file, seen })
      }
    }
  }
  walk('')
  return { ...found, files: sortByPath(found.files) }
}

/** A name that is no text would be read as another one. */
function namesIn(folder: string): string[] {
  return reading(folder, () => readdirSync(folder, { encoding: 'buffer' })).map((name) => {
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
    throw cannotRead(file, error)
  }
}
