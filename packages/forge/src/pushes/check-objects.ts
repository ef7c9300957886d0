/** Checks the objects of a push one by one: sizes, and names that the API could not show. */

import { isRefusal } from '@latchkey/protocol'
import { nextSlice, slicePauses } from '@latchkey/service/limits/slices'
import { HashList, type ObjectHash, parseFolder, type Quarantine } from '../git/index.ts'
import { largestRegularBytes } from '../large-files/upload-modes.ts'
import { parseFilePath } from '../words/file-path.ts'
import { maxPointerBytes, minPointerBytes } from '../words/pointer.ts'
import { quoted } from '../words/quoted.ts'

export interface PushedObjects {
  readonly all: HashList
  /** Files that may be pointers of large files. */
  readonly small: ReadonlySet<ObjectHash>
  /** Files that git must not hold. */
  readonly tooLarge: ReadonlySet<ObjectHash>
}

export interface PushFault {
  readonly fault: string
}

export function isFault(value: object): value is PushFault {
  return 'fault' in value
}

/** The API reads commits, tags and folders up to these. */
const maxTextBytes = 1024 * 1024
const maxTreeBytes = 16 * 1024 * 1024
/** A pack of some megabytes may describe terabytes. */
const maxTreesBytes = 2 * 1024 ** 3
const maxTooLarge = 100
const bytesAtOnce = 8 * 1024 * 1024
const treesAtOnce = 5000

export async function checkObjects(quarantine: Quarantine): Promise<PushedObjects | PushFault> {
  const all = new HashList()
  const small = new Set<ObjectHash>()
  const tooLarge = new Set<ObjectHash>()
  const trees = new HashList()
  const treeSizes: number[] = []
  let treesBytes = 0
  const pause = slicePauses()
  for await (const { hash, kind, size } of quarantine.objects()) {
    await pause()
    all.add(hash)
    if (kind === 'blob') {
      if (size >= minPointerBytes && size <= maxPointerBytes) small.add(hash)
      if (size > largestRegularBytes && tooLarge.size < maxTooLarge) tooLarge.add(hash)
    } else if (kind === 'tree') {
      trees.add(hash)
      treeSizes.push(size)
      treesBytes += size
      if (size > maxTreeBytes) return folderTooLarge()
      if (treesBytes > maxTreesBytes) return foldersTooLarge()
    } else if (size > maxTextBytes) return textTooLarge(kind)
  }
  return (await checkTrees(quarantine, trees, treeSizes)) ?? { all, small, tooLarge }
}

async function checkTrees(
  quarantine: Quarantine,
  trees: HashList,
  sizes: readonly number[],
): Promise<PushFault | undefined> {
  for (let at = 0; at < trees.count; ) {
    const hashes: ObjectHash[] = []
    for (let bytes = 0; at < trees.count && hashes.length < treesAtOnce; at += 1) {
      bytes += sizes[at] ?? 0
      if (bytes > bytesAtOnce && hashes.length > 0) break
      hashes.push(trees.at(at))
    }
    for (const tree of await quarantine.read(hashes)) {
      const fault = tree && (await checkNames(tree.bytes))
      if (fault !== undefined) return fault
    }
    await nextSlice()
  }
  return undefined
}

/** Most names are so, and need no closer look. */
const plainName = /^\w[\w-]*(?:\.\w[\w-]*)*$/

async function checkNames(tree: Buffer): Promise<PushFault | undefined> {
  const pause = slicePauses()
  for (const { name } of (await parseFolder(tree)).entries()) {
    await pause()
    if (plainName.test(name) && name.length < 255) continue
    // What a path begins with is checked where the whole path is known.
    const path = parseFilePath(Buffer.from(`x/${name}`, 'latin1'))
    if (isRefusal(path)) return { fault: nameRefused(name) }
  }
  return undefined
}

export function nameRefused(raw: string): string {
  const name = quoted(Buffer.from(raw, 'latin1').toString('utf8'))
  return `The push has a file or folder that this hub cannot show: ${name}. Names are UTF-8 of at most 255 bytes, without control characters, backslashes and other spellings of .git.`
}

function folderTooLarge(): PushFault {
  return { fault: `A folder of the push has more than ${maxTreeBytes} bytes of names and hashes.` }
}

function foldersTooLarge(): PushFault {
  const limit = `The folders of the push have more than ${maxTreesBytes} bytes`
  return { fault: `${limit}. Push some commits first.` }
}

function textTooLarge(kind: string): PushFault {
  return { fault: `The push has a ${kind} object of more than ${maxTextBytes} bytes.` }
}
