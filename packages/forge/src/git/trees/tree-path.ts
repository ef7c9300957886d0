/** Well-formed text of parts that every system can have as names, and none that leads elsewhere. */
export type TreePath = string & { readonly brand: 'tree-path' }

/**
 * A path or name as git has it: any bytes, each as one character. It sorts as git sorts. Where the bytes are no UTF-8, people
 * are shown U+FFFD, and no text leads to the file: it is listed, but cannot be asked for by its path.
 */
export type RawPath = string & { readonly brand: 'raw-path' }

const maxPathLength = 4096
const maxPart = 255

/** Undefined for a path that git's own check of repositories would report. */
export function parseTreePath(text: string): TreePath | undefined {
  if (!text.isWellFormed() || Buffer.byteLength(text) > maxPathLength) return undefined
  return text.split('/').every(isName) ? (text as TreePath) : undefined
}

function isName(part: string): boolean {
  const isPlain = part !== '' && part !== '.' && part !== '..' && !part.includes('\0')
  return isPlain && Buffer.byteLength(part) <= maxPart && !part.split('\\').some(isDotGit)
}

/** Characters that macOS leaves out of names. */
const ignoredByMacOs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** `.git`, or a name that Windows or macOS takes for it. */
function isDotGit(part: string): boolean {
  const name = part.replaceAll(ignoredByMacOs, '').toLowerCase()
  return /^(?:\.git|git~1)[ .]*(?::.*)?$/s.test(name)
}

export function rawPath(path: TreePath): RawPath {
  return Buffer.from(path, 'utf8').toString('latin1') as RawPath
}

export function rawParts(path: TreePath): readonly RawPath[] {
  return rawPath(path).split('/') as RawPath[]
}

/** As people are shown it. */
export function shownPath(raw: RawPath): string {
  return bytesOf(raw).toString('utf8')
}

export function bytesOf(raw: string): Buffer {
  return Buffer.from(raw, 'latin1')
}
