/** Watches which SQL statements this process executes, whoever prepared them. */

import { DatabaseSync, StatementSync } from 'node:sqlite'

/** The hub executes these to learn whether the directory has changed; they look nothing up. */
const changeChecks = ['PRAGMA data_version', 'SELECT number, mark FROM journal_head']

/** The statements executed while `work` runs, in order, without the check for changes. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<readonly string[]> {
  const executed: string[] = []
  const note = (sql: string) => {
    if (!changeChecks.includes(sql)) executed.push(sql.replace(/\s+/g, ' ').trim())
  }
  const restore = beforeEveryStatement(note)
  try {
    await work()
  } finally {
    restore()
  }
  return executed
}

type Counting = StatementSync & { stat(counter: 'vmStep'): number }

/** How many steps SQLite's machine takes for the statements executed while `work` runs: a measure that no load changes. */
export async function stepsDuring(work: () => Promise<unknown>): Promise<number> {
  const before = new Map<Counting, number>()
  const undo = ['get', 'all', 'run', 'iterate'].map((method) =>
    intercept(StatementSync.prototype as Counting, method, (statement) => {
      if (!before.has(statement)) before.set(statement, statement.stat('vmStep'))
    }),
  )
  try {
    await work()
  } finally {
    for (const restore of undo) restore()
  }
  return Array.from(before, ([statement, steps]) => statement.stat('vmStep') - steps).reduce(
    (sum, steps) => sum + steps,
    0,
  )
}

/** Makes every statement fail while `work` runs, as a broken disk would. */
export async function withBrokenDatabase<Result>(
  reason: string | Error,
  work: () => Promise<Result>,
): Promise<Result> {
  const restore = beforeEveryStatement(() => {
    throw reason instanceof Error ? reason : new Error(reason)
  })
  try {
    return await work()
  } finally {
    restore()
  }
}

function beforeEveryStatement(act: (sql: string) => void): () => void {
  const undo = [
    ...['get', 'all', 'run', 'iterate'].map((method) =>
      intercept(StatementSync.prototype, method, ({ sourceSQL }) => act(sourceSQL)),
    ),
    intercept(DatabaseSync.prototype, 'exec', (_database, sql) => act(String(sql))),
  ]
  return () => {
    for (const restore of undo) restore()
  }
}

function intercept<Holder extends object>(
  holder: Holder,
  method: string,
  before: (self: Holder, first: unknown) => void,
): () => void {
  const original = Reflect.get(holder, method) as (...values: unknown[]) => unknown
  Reflect.set(holder, method, function (this: Holder, ...values: unknown[]) {
    before(this, values[0])
    return Reflect.apply(original, this, values)
  })
  return () => Reflect.set(holder, method, original)
}
