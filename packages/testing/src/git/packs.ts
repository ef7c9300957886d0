/** Objects and packs of git as an attacker writes them: git itself would refuse to make some of them. */

import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

/** In place of a hash: the ref is absent, or goes. */
export const noObject = '0'.repeat(40)

const kinds = { commit: 1, tree: 2, blob: 3, tag: 4, ref: 7 } as const

export interface Packed {
  readonly kind: keyof typeof kinds
  readonly bytes: Buffer
  /** Of a delta. */
  readonly base?: string
}

export interface MadeObject extends Packed {
  readonly hash: string
}

const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest()

export function packet(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

export function objectOf(kind: Exclude<Packed['kind'], 'ref'>, bytes: Buffer): MadeObject {
  const whole = Buffer.concat([Buffer.from(`${kind} ${bytes.length}\0`), bytes])
  return { kind, bytes, hash: sha1(whole).toString('hex') }
}

export function blobOf(text: string | Buffer): MadeObject {
  return objectOf('blob', Buffer.from(text))
}

export function treeOf(...entries: readonly Buffer[]): MadeObject {
  return objectOf('tree', Buffer.concat(entries))
}

export function treeEntry(mode: string, name: string | Buffer, hash: string): Buffer {
  const head = [Buffer.from(`${mode} `), Buffer.from(name), Buffer.of(0)]
  return Buffer.concat([...head, Buffer.from(hash, 'hex')])
}

export function commitText(tree: string, ...parents: readonly string[]): Buffer {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    'author A <a@example.org> 1700000000 +0000',
    'committer A <a@example.org> 1700000000 +0000',
  ]
  return Buffer.from([...lines, '', 'a commit\n'].join('\n'))
}

/** Seven bits a byte, the lowest first. */
export function sizeBytes(size: number): number[] {
  const more: number[] = []
  for (let left = size; ; left = Math.floor(left / 128)) {
    more.push((left % 128) | (left >= 128 ? 128 : 0))
    if (left < 128) return more
  }
}

/** The count need not be true. */
export function packOf(objects: readonly Packed[], count = objects.length): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(count, 8)
  const parts = objects.map(({ kind, bytes, base }) => {
    const rest = Math.floor(bytes.length / 16)
    const first = (kinds[kind] << 4) | (bytes.length % 16) | (rest > 0 ? 128 : 0)
    const start = Buffer.from([first, ...(rest > 0 ? sizeBytes(rest) : [])])
    return Buffer.concat([start, Buffer.from(base ?? '', 'hex'), deflateSync(bytes)])
  })
  const body = Buffer.concat([head, ...parts])
  return Buffer.concat([body, sha1(body)])
}

/** The body of a push: a line for each ref, and the pack. */
export function pushBody(lines: readonly string[], pack: Buffer = Buffer.alloc(0)): Buffer {
  const commands = lines.map((line, at) => packet(at === 0 ? `${line}\0report-status` : line))
  return Buffer.concat([...commands, Buffer.from('0000'), pack])
}
