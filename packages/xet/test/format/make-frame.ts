/** LZ4 frames of every kind, true ones and lying ones, put together by hand. */

import { compressSync } from 'lz4-napi'
import { xxh32 } from '../../src/format/unpack-frame.ts'

export interface FrameKind {
  readonly isLinked?: boolean
  readonly hasBlockChecksums?: boolean
  readonly hasContentChecksum?: boolean
  /** What the header says, true or not. */
  readonly contentLength?: bigint
  readonly dictionary?: number
  /** 4 is 64 KiB, 7 is 4 MiB. */
  readonly blockSize?: number
  /** How the data is cut into blocks. */
  readonly cutAt?: number
  readonly isStored?: boolean
}

export function makeFrame(data: Buffer, kind: FrameKind = {}): Buffer {
  const { cutAt = data.length, hasContentChecksum = false } = kind
  const blocks: Buffer[] = []
  for (let start = 0; start < data.length; start += cutAt) {
    blocks.push(blockOf(data, start, Math.min(start + cutAt, data.length), kind))
  }
  const sum = hasContentChecksum ? [word(xxh32(data))] : []
  return Buffer.concat([frameHeader(kind), ...blocks, word(0), ...sum])
}

export function frameHeader(kind: FrameKind): Buffer {
  const flags =
    0x40 +
    (kind.isLinked ? 0 : 0x20) +
    (kind.hasBlockChecksums ? 0x10 : 0) +
    (kind.contentLength === undefined ? 0 : 0x08) +
    (kind.hasContentChecksum ? 0x04 : 0) +
    (kind.dictionary === undefined ? 0 : 0x01)
  const length = Buffer.alloc(kind.contentLength === undefined ? 0 : 8)
  if (kind.contentLength !== undefined) length.writeBigUInt64LE(kind.contentLength)
  const dictionary = kind.dictionary === undefined ? [] : [word(kind.dictionary)]
  const said = Buffer.from([flags, (kind.blockSize ?? 7) << 4])
  const descriptor = Buffer.concat([said, length, ...dictionary])
  const check = Buffer.from([(xxh32(descriptor) >>> 8) & 0xff])
  return Buffer.concat([word(0x184d2204), descriptor, check])
}

export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function blockOf(data: Buffer, start: number, end: number, kind: FrameKind): Buffer {
  const raw = data.subarray(start, end)
  const before = data.subarray(Math.max(0, start - 65_536), start)
  const isLinked = kind.isLinked === true && before.length > 0
  const packed = isLinked ? compressSync(raw, before) : compressSync(raw)
  const block = kind.isStored ? raw : packed.subarray(4)
  const size = word(block.length + (kind.isStored ? 0x80000000 : 0))
  const sum = kind.hasBlockChecksums ? [word(xxh32(block))] : []
  return Buffer.concat([size, block, ...sum])
}
