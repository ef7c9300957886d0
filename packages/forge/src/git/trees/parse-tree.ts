import { nextSlice } from '@latchkey/service/limits/slices'
import type { ObjectHash } from '../objects/object-hash.ts'
import { bytesOf, type RawPath } from './tree-path.ts'

/** Symbolic links and submodules are listed, and nothing follows them. */
export type EntryKind = 'folder' | 'file' | 'symlink' | 'submodule'

export interface TreeEntry {
  readonly name: RawPath
  readonly mode: string
  readonly hash: ObjectHash
}

export const folderMode = '40000'

export function kindOf({ mode }: Pick<TreeEntry, 'mode'>): EntryKind {
  if (mode === folderMode) return 'folder'
  return mode === '120000' ? 'symlink' : mode === '160000' ? 'submodule' : 'file'
}

const hashBytes = 20
const [nul, space, slash] = [0, 32, 47]

/** Parsed in one piece: some milliseconds. */
const entriesAtOnce = 8192

/** Finds where each entry starts. Other requests have their turn in between: a folder may have half a million names. */
export async function parseFolder(content: Buffer): Promise<Folder> {
  const bytes = content.length < Buffer.poolSize ? unpooled(content) : content
  const starts = new Uint32Array(Math.ceil(bytes.length / (1 + hashBytes)))
  let count = 0
  for (let at = 0; at < bytes.length; count += 1) {
    if (count % entriesAtOnce === entriesAtOnce - 1) await nextSlice()
    starts[count] = at
    const end = bytes.indexOf(nul, at)
    at = end + 1 + hashBytes
    if (end === -1 || at > bytes.length) throw halfFolder()
  }
  return new Folder(bytes, starts.slice(0, count))
}

/** A folder is remembered for long. In the pool it would keep the memory of its neighbours. */
function unpooled(content: Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(content.length)
  content.copy(bytes)
  return bytes
}

/** Kept as git's bytes: a folder may have a hundred thousand names, of which a page shows a few. */
export class Folder {
  readonly #bytes: Buffer
  readonly #starts: Uint32Array

  constructor(bytes: Buffer, starts: Uint32Array) {
    this.#bytes = bytes
    this.#starts = starts
  }

  get sizeBytes(): number {
    return this.#bytes.length + this.#starts.byteLength
  }

  get count(): number {
    return this.#starts.length
  }

  /** In git's order. */
  *entries(from = 0): Generator<TreeEntry> {
    for (let at = from; at < this.count; at += 1) yield this.#entryAt(at)
  }

  /** By halves. Git sorts a folder when it writes it, and finds no name in one that is not sorted either. */
  get(name: RawPath): TreeEntry | undefined {
    for (const key of [name, `${name}/`]) {
      const at = this.#firstFrom(bytesOf(key))
      const entry = at < this.count ? this.#entryAt(at) : undefined
      if (entry !== undefined && keyOf(entry) === key) return entry
    }
    return undefined
  }

  /** The place of the first entry that is not wholly before the key: a path from here, with a slash behind a folder's. */
  placeOf(key: string): number {
    const at = this.#firstFrom(bytesOf(key))
    const before = at === 0 ? undefined : this.#entryAt(at - 1)
    const isInside =
      before !== undefined && kindOf(before) === 'folder' && key.startsWith(keyOf(before))
    return isInside ? at - 1 : at
  }

  #firstFrom(key: Buffer): number {
    let [low, high] = [0, this.count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(middle, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Git compares as if a slash followed the name of a folder. */
  #compare(at: number, key: Buffer): number {
    const { start, blank, end } = this.#partsAt(at)
    const length = end - blank - 1
    const order = this.#bytes.compare(key, 0, Math.min(length, key.length), blank + 1, end)
    if (order !== 0) return order
    const isFolder = this.#modeAt(start, blank) === folderMode
    const next = key[length]
    if (next === undefined) return isFolder ? 1 : 0
    if (!isFolder || next !== slash) return isFolder ? slash - next : -1
    return key.length > length + 1 ? -1 : 0
  }

  #entryAt(at: number): TreeEntry {
    const { start, blank, end } = this.#partsAt(at)
    return {
      name: this.#bytes.toString('latin1', blank + 1, end) as RawPath,
      mode: this.#modeAt(start, blank),
      hash: this.#bytes.toString('hex', end + 1, end + 1 + hashBytes) as ObjectHash,
    }
  }

  #partsAt(at: number): { readonly start: number; readonly blank: number; readonly end: number } {
    const start = this.#starts[at] ?? 0
    const end = (this.#starts[at + 1] ?? this.#bytes.length) - hashBytes - 1
    const blank = this.#bytes.indexOf(space, start)
    if (blank === -1 || blank > end) throw halfFolder()
    return { start, blank, end }
  }

  #modeAt(start: number, blank: number): string {
    // Some programs have written folders with a zero in front.
    return this.#bytes.toString('latin1', start, blank).replace(/^0+/, '')
  }
}

/** The walk through a repository is in the order of these. */
export function keyOf(entry: TreeEntry): string {
  return kindOf(entry) === 'folder' ? `${entry.name}/` : entry.name
}

function halfFolder(): Error {
  return new Error('git gave half a folder')
}
