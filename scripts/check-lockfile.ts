/** The lockfiles name packages and their hashes, never where this or that machine fetched them from. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const lockfiles = [
  'package-lock.json',
  'outside/package-lock.json',
  'bench/peers/package-lock.json',
  'website/package-lock.json',
]
const addresses = lockfiles.flatMap((file) => {
  const lines = readFileSync(join(import.meta.dirname, '..', file), 'utf8').split('\n')
  return lines
    .filter((line) => /"resolved": "[a-z+]+:\/\//.test(line))
    .map((line) => `${file}: ${line.trim()}`)
})
for (const line of addresses) console.error(line)
if (addresses.length > 0) process.exit(1)
console.log('no download addresses')
