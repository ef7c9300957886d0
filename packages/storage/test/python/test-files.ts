/** The files that the Python programs upload. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { keystream } from '@latchkey/testing/keystream'
import { lines, numbers } from '../real-clients/packable.ts'
import { sha256Of } from '../real-clients/transfers.ts'

/** In a soak it is more than one xorb can hold. */
const many = rounds(1_000_000, 150_000_000)
const first = keystream('first', 800_000)
export const change = keystream('change', 100_000)

/** Made when they are written, so that no long one stays in memory. */
const contents: Readonly<Record<string, () => Buffer>> = {
  empty: () => Buffer.alloc(0),
  one: () => keystream('one', 1),
  some: () => keystream('some', 300_000),
  many: () => keystream('many', many),
  lines: () => lines,
  numbers: () => numbers,
  same: () => keystream('same', 300_000),
  several,
  proposed: () => keystream('proposed', 100_000),
  first: () => first,
  second: () => Buffer.concat([first.subarray(0, 500_000), change, first.subarray(500_000)]),
}

export interface TestFile {
  readonly length: number
  readonly sha256: string
}

export type TestFiles = Readonly<Record<string, TestFile>>

export function writeTestFiles(folder: string, names = Object.keys(contents)): TestFiles {
  const written = names.map((name) => {
    const content = contents[name]?.() ?? Buffer.alloc(0)
    writeFileSync(join(folder, name), content)
    return [name, { length: content.length, sha256: sha256Of(content) }]
  })
  return Object.fromEntries(written)
}

/** How many xorbs the long file takes: two are slow, and our own client sends such files always. */
export const severalXorbs = rounds(1, 2)

/** Can be packed well. None of the chunks of a second xorb can be asked for by its hash alone. */
function several(): Buffer {
  const content = Buffer.alloc(rounds(1_500_000, 70_000_000), keystream('several xorbs', 4096))
  for (let at = 0; at < content.length; at += 8192) content.writeUInt32LE(at, at)
  return content
}
