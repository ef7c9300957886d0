/** A folder as git stores it, read. */

import type { ObjectHash } from '../objects/object-hash.ts'
import type { RawPath } from './tree-path.ts'

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
const [nul, space] = [0, 32]

/** So many names are looked for one by one; then they are written down once. */
const mostScans = 4

/** Kept as git's bytes: a folder may have a hundred thousand names, of which a page shows a few. */
export class Folder {
  readonly #bytes: Buffer
  #starts: Map<RawPath, number> | undefined
  #scans = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get sizeBytes(): number {
    return this.#bytes.length
  }

  /** In git's order, those alone whose name and mode are wanted. */
  *entries(isWanted: (head: EntryHead) => boolean = () => true): Generator<TreeEntry> {
    for (const start of this.#eachStart()) {
      const head = this.#headAt(start)
      if (isWanted(head)) yield this.#whole(head)
    }
  }

  get(name: RawPath): TreeEntry | undefined {
    const start = this.#starts === undefined ? this.#scanFor(name) : this.#starts.get(name)
    return start === undefined ? undefined : this.#whole(this.#headAt(start))
  }

  #scanFor(name: RawPath): number | undefined {
    this.#scans += 1
    if (this.#scans > mostScans) {
      this.#starts = new Map(this.#eachStart().map((start) => [this.#headAt(start).name, start]))
      return this.#starts.get(name)
    }
    return this.#eachStart().find((start) => this.#headAt(start).name === name)
  }

  *#eachStart(): Generator<number> {
    const bytes = this.#bytes
    for (let at = 0; at < bytes.length; ) {
      yield at
      while (at < bytes.length && bytes[at] !== nul) at += 1
      at += 1 + hashBytes
      if (at > bytes.length) throw new Error('git gave half a folder')
    }
  }

  #headAt(start: number): EntryHead & { readonly end: number } {
    const bytes = this.#bytes
    const blank = bytes.indexOf(space, start)
    const end = bytes.indexOf(nul, blank)
    if (blank === -1 || end === -1) throw new Error('git gave half a folder')
    // Some programs have written folders with a zero in front.
    const mode = bytes.toString('latin1', start, blank).replace(/^0+/, '')
    return { mode, name: bytes.toString('latin1', blank + 1, end) as RawPath, end }
  }

  #whole({ name, mode, end }: EntryHead & { readonly end: number }): TreeEntry {
    const hash = this.#bytes.toString('hex', end + 1, end + 1 + hashBytes) as ObjectHash
    return { name, mode, hash }
  }
}

export type EntryHead = Pick<TreeEntry, 'name' | 'mode'>
