/** A program that applies a directory file in steps, and kills itself before the n-th call that begins, writes or commits. */

import { Socket } from 'node:net'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { applyEdition, openPlace } from './stepped-directory.ts'

const [place = '', last = ''] = process.argv.slice(2)
let calls = Number.NEGATIVE_INFINITY
/** Which of the calls were commits of a step. */
const commits: number[] = []
let hasEntry = false

type Methods = Record<string, (...given: unknown[]) => unknown>

/** Every call that counts counts one, and the last one is not made. */
function count(owner: object, names: readonly string[], counts: (given: unknown) => boolean): void {
  const methods = owner as Methods
  for (const name of names) {
    const real = methods[name]
    methods[name] = function (this: unknown, ...given: unknown[]) {
      if (counts(given[0])) calls += 1
      if (calls >= Number(last)) process.kill(process.pid, 'SIGKILL')
      note(this instanceof StatementSync ? this.sourceSQL : textOf(given[0]))
      return real?.apply(this, given)
    }
  }
}

/** A transaction that changes the directory writes an entry, too. */
function note(text: string): void {
  hasEntry ||= /\binsert into [^(]*\bjournal\b/i.test(text)
  // A message to PostgreSQL begins with its kind and length.
  if (!/^(?:Q.{4})?commit\b/is.test(text)) return
  if (hasEntry) commits.push(calls)
  hasEntry = false
}

/** A message to PostgreSQL has the statement in its bytes. */
function textOf(given: unknown): string {
  return given instanceof Uint8Array ? Buffer.from(given).toString('latin1') : String(given)
}

const changes = (message: unknown) =>
  /\b(?:begin|insert|update|delete|commit)\b/i.test(textOf(message))

count(DatabaseSync.prototype, ['exec'], () => true)
count(StatementSync.prototype, ['run'], () => true)
count(Socket.prototype, ['write'], changes)
const store = await openPlace(place)
calls = 0
commits.length = 0
await applyEdition(store, 2)
const course = JSON.stringify({ calls, commits })
await store.close()
process.stdout.write(course)
