/** The tree over chunk hashes that names xorbs and files: grown chunk by chunk, a few nodes a level in memory. */

import { hashAt, hashLength } from './hash.ts'
import { nodeHash } from './hashing.ts'

export interface MerkleTree {
  add(hash: Uint8Array, size: number): void
  /** Of what was added so far; all zero for nothing. */
  root(): Buffer
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
  last: Uint8Array
}

export function merkleTree(): MerkleTree {
  const levels: Level[] = []
  const add = (height: number, hash: Uint8Array, size: number): void => {
    levels[height] ??= emptyLevel()
    const level = withChild(levels[height], hash, size)
    const isComplete = level.children >= fewest && (endsNode(hash) || level.children === most)
    levels[height] = isComplete ? { ...emptyLevel(), nodes: level.nodes } : level
    if (isComplete) add(height + 1, nodeHash(level.lines), level.size)
  }
  return {
    add: (hash, size) => add(0, Buffer.from(hash), size),
    root: () => rootOf(levels),
  }
}

/** What is left at the end of each level is a node, whatever its last hash says. */
function rootOf(levels: readonly Level[]): Buffer {
  if (levels.length === 0) return Buffer.alloc(hashLength)
  let rest: { hash: Uint8Array; size: number } | undefined
  for (const level of levels) {
    const whole = rest === undefined ? level : withChild(level, rest.hash, rest.size)
    if (whole.nodes === 1) return Buffer.from(whole.last)
    rest = whole.children === 0 ? undefined : { hash: nodeHash(whole.lines), size: whole.size }
  }
  return Buffer.from(rest?.hash ?? Buffer.alloc(hashLength))
}

const noHash: Uint8Array = new Uint8Array()

function emptyLevel(): Level {
  return { lines: '', size: 0, children: 0, nodes: 0, last: noHash }
}

function withChild(level: Level, hash: Uint8Array, size: number): Level {
  return {
    lines: `${level.lines}${hashAt(hash)} : ${size}\n`,
    size: level.size + size,
    children: level.children + 1,
    nodes: level.nodes + 1,
    last: hash,
  }
}

/** One hash in four, by its last word. */
function endsNode(hash: Uint8Array): boolean {
  return ((hash[24] ?? 0) & 3) === 0
}
