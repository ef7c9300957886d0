/** Files that git reads for itself, in every spelling by which a checkout on macOS or Windows finds them. */

import { asMacReads } from '@latchkey/protocol'

export type SpecialFile = 'gitmodules' | 'gitattributes' | 'gitignore' | 'mailmap'

/** The short name that NTFS falls back to, up to its number: it is made of a hash of the long name. */
const shortNames: Readonly<Record<SpecialFile, string>> = {
  gitmodules: 'gi7eba',
  gitattributes: 'gi7d29',
  gitignore: 'gi250a',
  mailmap: 'maba30',
}

const specialFiles = Object.keys(shortNames) as SpecialFile[]

/** As git's fsck knows them, in any folder: any folder may be made the root of another commit. */
export function specialFileOf(path: string): SpecialFile | undefined {
  const name = asMacReads(path.slice(path.lastIndexOf('/') + 1)).toLowerCase()
  return specialFiles.find((file) => isSpelling(name, file))
}

function isSpelling(name: string, file: SpecialFile): boolean {
  return (
    isEnd(name, `.${file}`) ||
    [1, 2, 3, 4].some((number) => isEnd(name, `${file.slice(0, 6)}~${number}`)) ||
    isFallback(name, shortNames[file])
  )
}

/** Windows leaves out dots and spaces at the end, and reads what follows a colon as a stream of the same file. */
function isEnd(name: string, start: string): boolean {
  return name.startsWith(start) && /^[. ]*(?::|$)/.test(name.slice(start.length))
}

function isFallback(name: string, shortName: string): boolean {
  const short = name.slice(0, 8)
  const [, letters] = /^([^~]{0,6})~[1-9]\d*$/.exec(short) ?? []
  return (
    short.length === 8 &&
    letters !== undefined &&
    shortName.startsWith(letters) &&
    isEnd(name, short)
  )
}
