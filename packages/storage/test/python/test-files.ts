/** The files that the Python programs upload. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keystream } from '@latchkey/testing/keystream'
import { lines, numbers } from '../real-clients/packable.ts'

/** The larger one is more than one xorb can hold. */
const many = process.env['LATCHKEY_SOAK'] ? 150_000_000 : 6_000_000
const first = keystream('first', 8_000_000)
export const change = keystream('change', 100_000)

export const testFiles: Readonly<Record<string, Buffer>> = {
  empty: Buffer.alloc(0),
  one: keystream('one', 1),
  some: keystream('some', 300_000),
  many: keystream('many', many),
  lines,
  numbers,
  same: keystream('same', 1_000_000),
  // None of the chunks behind its first xorb can be asked for by its hash alone.
  several: keystream('several xorbs', 70_000_000),
  proposed: keystream('proposed', 100_000),
  first,
  second: Buffer.concat([first.subarray(0, 5_000_000), change, first.subarray(5_000_000)]),
}

export function writeTestFiles(folder: string): void {
  for (const [name, content] of Object.entries(testFiles))
    writeFileSync(join(folder, name), content)
}
