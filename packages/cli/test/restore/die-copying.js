/** Loaded before a command: kills its process when half of the first object is copied. */

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'

const { copyFileSync } = fs

fs.copyFileSync = (from, to, mode) => {
  if (!/^[0-9a-f]{32}/.test(basename(String(to)))) return copyFileSync(from, to, mode)
  const bytes = fs.readFileSync(from)
  fs.writeFileSync(to, bytes.subarray(0, bytes.length / 2))
  process.kill(process.pid, 'SIGKILL')
}
syncBuiltinESMExports()
