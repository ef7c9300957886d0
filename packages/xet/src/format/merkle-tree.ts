/** The tree over chunk hashes that names xorbs and files: grown chunk by chunk, a few nodes a level in memory. */

import { bytesOfHash, type Hash, hashAt, hashLength } from './hash.ts'
import { nodeHash } from './hashing.ts'

export interface MerkleTree {
  add(hash: Uint8Array, size: number): void
  /** The root of the hashes so far; all zero without any. */
  root(): Uint8Array
  /** The state that another tree goes on from. */
  save(): SavedTree
}

/** A tree that is not complete, as data that can be copied and saved: its levels, the chunks first. */
export type SavedTree = readonly SavedLevel[]

interface SavedLevel extends Omit<Level, 'first'> {
  readonly first: Hash
}

/** A node has at least two children where there are two, and three before its last one may end it. */
const fewest = 3
const most = 9

/** The children of the node that is not complete yet. */
interface Level {
  lines: string
  size: number
  children: number
  /** Complete or not, how many nodes this level has had. */
  nodes: number
  first: Uint8Array
}

export function merkleTree(saved: SavedTree = []): MerkleTree {
  const levels: Level[] = saved.map((level) => ({ ...level, first: bytesOfHash(level.first) }))
  const add = (height: number, hash: Uint8Array, size: number): void => {
    levels[height] ??= emptyLevel()
    const level = levels[height]
    addChild(level, hash, size)
    if (level.children < fewest || !(endsNode(hash) || level.children === most)) return
    const node = nodeHash(level.lines)
    const nodeSize = level.size
    Object.assign(level, noChildren)
    add(height + 1, node, nodeSize)
  }
  return {
    add: (hash, size) => add(0, hash, size),
    root: () => rootOf(levels),
    save: () => levels.map((level) => ({ ...level, first: hashAt(level.first) })),
  }
}

/** The remaining hashes at the end of each level are a node, whatever the last of them is. */
function rootOf(levels: readonly Level[]): Uint8Array {
  if (levels.length === 0) return new Uint8Array(hashLength)
  let rest: { hash: Uint8Array; size: number } | undefined
  for (const level of levels) {
    const whole = { ...level }
    if (rest !== undefined) addChild(whole, rest.hash, rest.size)
    if (whole.nodes === 1) return new Uint8Array(whole.first)
    rest = whole.children === 0 ? undefined : { hash: nodeHash(whole.lines), size: whole.size }
  }
  return rest === undefined ? new Uint8Array(hashLength) : new Uint8Array(rest.hash)
}

const noHash: Uint8Array = new Uint8Array()

const noChildren = { lines: '', size: 0, children: 0 }

function emptyLevel(): Level {
  return { ...noChildren, nodes: 0, first: noHash }
}

/** Copies the hash, because its caller may use the memory again. */
function addChild(level: Level, hash: Uint8Array, size: number): void {
  if (level.nodes === 0) level.first = Uint8Array.from(hash)
  level.lines += `${hashAt(hash)} : ${size}\n`
  level.size += size
  level.children += 1
  level.nodes += 1
}

/** One hash in four, by its last word. */
function endsNode(hash: Uint8Array): boolean {
  return ((hash[24] ?? 0) & 3) === 0
}
