/** A program that hands the catalogue over and kills itself before the n-th call that reaches the disk. */

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

const [file = '', folder = '', last = ''] = process.argv.slice(2)
let calls = Number.NEGATIVE_INFINITY

type Methods = Record<string, (...given: unknown[]) => unknown>

/** Every call counts one, and the last one is not made. */
function count(owner: object, names: readonly string[]): void {
  const methods = owner as Methods
  for (const name of names) {
    const real = methods[name]
    methods[name] = function (this: unknown, ...given: unknown[]) {
      calls += 1
      if (calls === Number(last)) process.kill(process.pid, 'SIGKILL')
      return real?.apply(this, given)
    }
  }
}

const { migrations } = await import('../../src/stores/sqlite/migrations/migrations.ts')
count(fs, ['openSync', 'closeSync', 'fsyncSync', 'renameSync', 'rmSync'])
syncBuiltinESMExports()
count(DatabaseSync.prototype, ['exec', 'close'])
count(StatementSync.prototype, ['run', 'get', 'all', 'iterate'])
const { handOverCatalogue } = await import(
  '../../src/stores/sqlite/handing-over/hand-over-catalogue.ts'
)
// Loading a module opens files, too.
calls = 0
handOverCatalogue({ file, folder, migrations })
process.stdout.write(String(calls))
