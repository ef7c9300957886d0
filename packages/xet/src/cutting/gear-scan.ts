/** Looks for the byte that ends a chunk: the loop of the gear hash as WebAssembly, which has numbers of 64 bits. */

import { highHalves, lowHalves } from './gear-table.ts'

/** The hash of the last 64 bytes is below this where a chunk ends: its upper 16 bits are zero. */
const limit = 1n << 48n

/** Where the table of the gear hash ends in the module's memory, and the bytes to look at begin. */
const bytesStart = 256 * 8
export const mostScanned = 30 * 1024

// biome-ignore format: a table is read by its columns
const op = {
  block: 0x02, loop: 0x03, if: 0x04, end: 0x0b, br: 0x0c, brIf: 0x0d,
  localGet: 0x20, localSet: 0x21, globalGet: 0x23, globalSet: 0x24,
  i32Const: 0x41, i32GtU: 0x4b, i32GeU: 0x4f, i32Add: 0x6a, i32Shl: 0x74, i32Load8U: 0x2d,
  i64Const: 0x42, i64LtU: 0x54, i64Add: 0x7c, i64Shl: 0x86, i64Load: 0x29,
} as const

const [i32, i64, none] = [0x7f, 0x7e, 0x40]
/** Parameters `at`, `from` and `to`, a local variable; the global keeps the hash from one call to the next. */
const [at, from, to, hash] = [0, 1, 2, 3]
const kept = 0

/** hash = (hash << 1) + table[memory[at + offset]] */
// biome-ignore format: one line an operation
const takeByte = (offset: number) => [
  op.localGet, hash, op.i64Const, 1, op.i64Shl,
  op.localGet, at, op.i32Load8U, 0, ...unsigned(bytesStart + offset), op.i32Const, 3, op.i32Shl, op.i64Load, 3, 0,
  op.i64Add, op.localSet, hash,
]
const moveOn = (bytes: number) => [op.localGet, at, op.i32Const, bytes, op.i32Add, op.localSet, at]

/** Leaves the loops `depth` blocks further out, with `at` behind the byte that ends the chunk. */
// biome-ignore format: one line a statement
const takeAndCheck = (offset: number, depth: number) => [
  ...takeByte(offset),
  op.localGet, hash, op.i64Const, ...signed(limit), op.i64LtU, op.if, none,
    ...moveOn(offset + 1),
    op.br, depth,
  op.end,
]

/** As long as there are so many bytes more, they are taken at once: half of the time was spent on counting. */
const atOnce = 8
const eachOfThem = Array.from({ length: atOnce }, (_, index) => index)

/** `scan(at, from, to)`: where the first end behind `from` is, or `to`. Up to `from` bytes only go into the hash. */
// biome-ignore format: one line a statement
const body = [
  op.globalGet, kept, op.localSet, hash,
  op.block, none, op.loop, none,
    op.localGet, at, op.localGet, from, op.i32GeU, op.brIf, 1,
    ...takeByte(0), ...moveOn(1),
    op.br, 0,
  op.end, op.end,
  op.block, none,
    op.block, none, op.loop, none,
      op.localGet, at, op.i32Const, atOnce, op.i32Add, op.localGet, to, op.i32GtU, op.brIf, 1,
      ...eachOfThem.flatMap((offset) => takeAndCheck(offset, 3)),
      ...moveOn(atOnce),
      op.br, 0,
    op.end, op.end,
    op.loop, none,
      op.localGet, at, op.localGet, to, op.i32GeU, op.brIf, 1,
      ...takeAndCheck(0, 2),
      ...moveOn(1),
      op.br, 0,
    op.end,
  op.end,
  op.localGet, hash, op.globalSet, kept,
  op.localGet, at, op.end,
]

// biome-ignore format: one line a section
const code = Uint8Array.from([
  ...Buffer.from('\0asm'), 1, 0, 0, 0,
  ...section(1, [1, 0x60, 3, i32, i32, i32, 1, i32]),
  ...section(3, [1, 0]),
  ...section(5, [1, 0, 1]),
  ...section(6, [1, i64, 1, op.i64Const, 0, op.end]),
  ...section(7, [3, ...named('memory'), 2, 0, ...named('hash'), 3, 0, ...named('scan'), 0, 0]),
  ...section(10, [1, ...sized([1, 1, i64, ...body])]),
])

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly hash: { value: bigint }
  readonly scan: (at: number, from: number, to: number) => number
}

/** As much of the platform's as is used here; the types of Node leave it out. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

const { memory, hash: state, scan } = open()
const room = new Uint8Array(memory.buffer, bytesStart, mostScanned)

function open(): Exports {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code))
  const opened = exports as Exports
  const table = new Int32Array(opened.memory.buffer, 0, 512)
  for (let byte = 0; byte < 256; byte += 1) {
    table.set([lowHalves[byte] ?? 0, highHalves[byte] ?? 0], byte * 2)
  }
  return opened
}

/** Forgets the bytes before. */
export function resetHash(): void {
  state.value = 0n
}

/** How many of the bytes are taken until a chunk may end, or undefined; the first `unchecked` end none. */
export function scanForEnd(bytes: Uint8Array, unchecked: number): number | undefined {
  room.set(bytes)
  const taken = scan(0, Math.min(unchecked, bytes.length), bytes.length)
  const isEnd = taken > unchecked && BigInt.asUintN(64, state.value) < limit
  return isEnd ? taken : undefined
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)]
}

function named(name: string): number[] {
  return sized([...Buffer.from(name)])
}

function sized(content: readonly number[]): number[] {
  return [...unsigned(content.length), ...content]
}

/** LEB128, as the format of modules writes numbers. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

function signed(value: bigint): number[] {
  return value < 64n ? [Number(value)] : [Number(value & 127n) | 128, ...signed(value >> 7n)]
}
