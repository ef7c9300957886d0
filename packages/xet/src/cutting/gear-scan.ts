/** Looks for the byte that ends a chunk: the loop of the gear hash as WebAssembly, which has numbers of 64 bits. */

import { sharesMemory } from '#platform/bytes'
import { highHalves, lowHalves } from './gear-table.ts'

/** The hash of the last 64 bytes is below this where a chunk ends: its upper 16 bits are zero. */
const limit = 1n << 48n

/** Where the table of the gear hash ends in the memory, and the bytes to look at begin. */
const bytesStart = 256 * 8
const pageBytes = 64 * 1024
const mostPages = 65_536

// biome-ignore format: a table is read by its columns
const op = {
  block: 0x02, loop: 0x03, if: 0x04, end: 0x0b, br: 0x0c, brIf: 0x0d,
  localGet: 0x20, localSet: 0x21, localTee: 0x22,
  i32Const: 0x41, i32GtU: 0x4b, i32GeU: 0x4f, i32Add: 0x6a, i32Shl: 0x74, i32Load8U: 0x2d,
  i64Const: 0x42, i64LtU: 0x54, i64Add: 0x7c, i64Shl: 0x86, i64Load: 0x29,
} as const

const [i32, i64, none] = [0x7f, 0x7e, 0x40]
/** Parameters `at`, `from` and `to`, then local variables. */
const [at, from, to, hash, gear] = [0, 1, 2, 3, 4]

const gearOf = (offset: number) => [
  ...[op.localGet, at, op.i32Load8U, 0, ...unsigned(bytesStart + offset)],
  ...[op.i32Const, 3, op.i32Shl, op.i64Load, 3, 0],
]
const shifted = (local: number, bits: number) => [op.localGet, local, op.i64Const, bits, op.i64Shl]
const moveOn = (bytes: number) => [op.localGet, at, op.i32Const, bytes, op.i32Add, op.localSet, at]

/** hash = (hash << 1) + table[memory[at]] */
const takeByte = [...shifted(hash, 1), ...gearOf(0), op.i64Add, op.localSet, hash]

/** With a hash on the stack: leaves the loops `depth` blocks further out, with `at` behind the byte that ends the chunk. */
// biome-ignore format: one line a statement
const check = (offset: number, depth: number) => [
  op.i64Const, ...signed(limit), op.i64LtU, op.if, none,
    ...moveOn(offset + 1),
    op.br, depth,
  op.end,
]

/** Two bytes: the hash after the second is made of the one before both, because no step need wait for the first then. */
// biome-ignore format: one line a statement
const takeTwo = (offset: number, depth: number) => [
  ...gearOf(offset), op.localSet, gear,
  ...shifted(hash, 1), op.localGet, gear, op.i64Add, ...check(offset, depth),
  ...shifted(hash, 2), ...shifted(gear, 1), ...gearOf(offset + 1), op.i64Add, op.i64Add,
  op.localTee, hash, ...check(offset + 1, depth),
]

/** As long as there are so many bytes more, they are taken at once: half of the time was spent on counting. */
const atOnce = 8

/** `scan(at, from, to)`: where the first end behind `from` is, or `to`. Up to `from` bytes only go into the hash. */
// biome-ignore format: one line a statement
const body = [
  op.block, none, op.loop, none,
    op.localGet, at, op.localGet, from, op.i32GeU, op.brIf, 1,
    ...takeByte, ...moveOn(1),
    op.br, 0,
  op.end, op.end,
  op.block, none,
    op.block, none, op.loop, none,
      op.localGet, at, op.i32Const, atOnce, op.i32Add, op.localGet, to, op.i32GtU, op.brIf, 1,
      ...[0, 2, 4, 6].flatMap((offset) => takeTwo(offset, 3)),
      ...moveOn(atOnce),
      op.br, 0,
    op.end, op.end,
    op.loop, none,
      op.localGet, at, op.localGet, to, op.i32GeU, op.brIf, 1,
      ...takeByte, op.localGet, hash, ...check(0, 2),
      ...moveOn(1),
      op.br, 0,
    op.end,
  op.end,
  op.localGet, at, op.end,
]

/** It has a maximum, and threads may share it. */
const memoryFlags = sharesMemory ? 3 : 1

// biome-ignore format: one line a section
const code = Uint8Array.from([
  ...ascii('\0asm'), 1, 0, 0, 0,
  ...section(1, [1, 0x60, 3, i32, i32, i32, 1, i32]),
  ...section(2, [1, ...named('shared'), ...named('memory'), 2, memoryFlags, 1, ...unsigned(mostPages)]),
  ...section(3, [1, 0]),
  ...section(7, [1, ...named('scan'), 0, 0]),
  ...section(10, [1, ...sized([1, 2, i64, ...body])]),
])

/** With the table in front of the bytes; threads share it where the platform can. */
export interface GearMemory {
  readonly buffer: ArrayBufferLike
}

/** As much of the platform's as is used here; the types of Node leave it out. */
declare const WebAssembly: {
  readonly Memory: new (pages: {
    readonly initial: number
    readonly maximum: number
    readonly shared: boolean
  }) => GearMemory
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
}

export function gearMemory(bytes: number): GearMemory {
  const pages = Math.ceil((bytesStart + bytes) / pageBytes)
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: sharesMemory })
  const table = new Int32Array(memory.buffer, 0, 512)
  for (let byte = 0; byte < 256; byte += 1) {
    table.set([lowHalves[byte] ?? 0, highHalves[byte] ?? 0], byte * 2)
  }
  return memory
}

/** The bytes of the memory that can be looked at. */
export function bytesIn({ buffer }: GearMemory): Uint8Array {
  return new Uint8Array(buffer, bytesStart)
}

/**
 * Where the first chunk ends between `from` and `to`, or `to` where none does. The hash begins at `at`: up to `from`, bytes
 * end nothing. All three count from the beginning of `bytesIn`.
 */
export type GearScan = (at: number, from: number, to: number) => number

export function gearScan(memory: GearMemory): GearScan {
  const module = new WebAssembly.Module(code)
  const { exports } = new WebAssembly.Instance(module, { shared: { memory } })
  return (exports as { readonly scan: GearScan }).scan
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)]
}

function named(name: string): number[] {
  return sized(ascii(name))
}

function ascii(text: string): number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0))
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
