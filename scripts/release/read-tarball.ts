/** Reads a tarball of npm back: what is in it counts, and not what the command that made it has said. */

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const block = 512

/** Contents by path, without the folder that npm puts around all files. */
export function readTarball(file: string): ReadonlyMap<string, Buffer> {
  const bytes = gunzipSync(readFileSync(file))
  const files = new Map<string, Buffer>()
  let longPath: string | undefined
  for (let at = 0; bytes[at] !== undefined && bytes[at] !== 0; ) {
    const header = bytes.subarray(at, at + block)
    const size = Number.parseInt(textAt(header, 124, 12), 8)
    const content = bytes.subarray(at + block, at + block + size)
    const [type, prefix] = [textAt(header, 156, 1), textAt(header, 345, 155)]
    const path = longPath ?? [prefix, textAt(header, 0, 100)].filter(Boolean).join('/')
    // POSIX pax: a path that its header has no room for comes in an entry before it.
    if (type === 'x') longPath = /^\d+ path=(.*)$/m.exec(content.toString())?.[1]
    else {
      files.set(path.replace(/^[^/]*\//, ''), content)
      longPath = undefined
    }
    at += block + Math.ceil(size / block) * block
  }
  return files
}

function textAt(header: Buffer, start: number, length: number): string {
  return header.toString('utf8', start, start + length).replace(/\0.*$/s, '')
}
