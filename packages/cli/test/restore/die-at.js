/** Loaded before a command: kills its process before the n-th call that changes the disk, or tells how many there are. No TypeScript, whose types would be removed at every start. */

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

const last = Number(process.env.DIE_AT)
let calls = 0

function count(methods, names) {
  for (const name of names) {
    const real = methods[name]
    methods[name] = function (...given) {
      calls += 1
      if (calls === last) process.kill(process.pid, 'SIGKILL')
      return real.apply(this, given)
    }
  }
}

count(fs, ['copyFileSync', 'fsyncSync', 'linkSync', 'mkdirSync', 'renameSync', 'rmSync'])
syncBuiltinESMExports()
count(DatabaseSync.prototype, ['exec'])
count(StatementSync.prototype, ['run'])
process.on('exit', () => {
  if (last === 0) fs.writeSync(2, `calls: ${calls}\n`)
})
