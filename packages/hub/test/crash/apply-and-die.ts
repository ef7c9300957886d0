/** A program that applies a directory file in steps, and kills itself before the n-th call that begins, writes or commits. */

import { Socket } from 'node:net'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { applyEdition, openPlace } from './stepped-directory.ts'

const [place = '', last = ''] = process.argv.slice(2)
let calls = Number.NEGATIVE_INFINITY

type Methods = Record<string, (...given: unknown[]) => unknown>

/** Every call that counts counts one, and the last one is not made. */
function count(owner: object, names: readonly string[], counts: (given: unknown) => boolean): void {
  const methods = owner as Methods
  for (const name of names) {
    const real = methods[name]
    methods[name] = function (this: unknown, ...given: unknown[]) {
      if (counts(given[0])) calls += 1
      if (calls >= Number(last)) process.kill(process.pid, 'SIGKILL')
      return real?.apply(this, given)
    }
  }
}

/** A message to PostgreSQL has the statement in its bytes. */
const changes = (message: unknown) =>
  /\b(?:begin|insert|update|delete|commit)\b/i.test(
    Buffer.from(message as Buffer).toString('latin1'),
  )

count(DatabaseSync.prototype, ['exec'], () => true)
count(StatementSync.prototype, ['run'], () => true)
count(Socket.prototype, ['write'], changes)
const store = await openPlace(place)
calls = 0
await applyEdition(store, 2)
const made = calls
await store.close()
process.stdout.write(String(made))
