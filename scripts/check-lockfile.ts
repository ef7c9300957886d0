/** The lockfile names packages and their hashes, never where this or that machine fetched them from. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const lockfile = readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')
const addresses = lockfile.split('\n').filter((line) => /"resolved": "[a-z+]+:\/\//.test(line))
for (const line of addresses) console.error(line.trim())
if (addresses.length > 0) process.exit(1)
console.log('no download addresses')
