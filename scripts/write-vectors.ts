/** Writes the test data that all languages share, and its schemas; without names, all files. */

import { writeFileSync } from 'node:fs'
import { documents } from './vectors/documents.ts'

const names = process.argv.slice(2)

for (const [name, text] of Object.entries(documents)) {
  if (names.length > 0 && !names.includes(name)) continue
  writeFileSync(new URL(`../vectors/${name}`, import.meta.url), text)
}
