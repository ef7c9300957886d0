/** Where the part of a file is kept that has been downloaded: beside the file, under a name that its hash is in. */

import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type { Hash } from '@latchkey/xet'

/** File systems take names of 255 bytes; the lock beside it has a longer one. */
const longestName = 200

/** The same for the same file and content, so that the next download finds it. */
export function partialName(file: string, hash: Hash): string {
  return join(dirname(file), `.${shortened(basename(file))}.${hash.slice(0, 16)}.partial`)
}

/** Such a file, or the lock beside it: of use to a download on this machine, and to nobody else. */
export function isPartialName(name: string): boolean {
  return /^\..+\.[0-9a-f]{16}\.partial(?:\.lock)?$/s.test(name)
}

/** Two long names that begin alike stay two. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= longestName) return name
  const characters = [...name]
  while (Buffer.byteLength(characters.join('')) > longestName - 17) characters.pop()
  const rest = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${characters.join('')}~${rest}`
}
