/** SQLite for a program in Go: runs one statement for each line, and writes one line with its rows. */

import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'

const database = new DatabaseSync(':memory:')

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(resultOf(JSON.parse(line)))}\n`)
}

function resultOf({ statement, values }) {
  try {
    const prepared = database.prepare(statement)
    const named = values.map((value, index) => [`$${index + 1}`, unwrapped(value)])
    const rows = named.length === 0 ? prepared.all() : prepared.all(Object.fromEntries(named))
    const columns = prepared.columns().map(({ name }) => name)
    return { columns, rows: rows.map((row) => columns.map((name) => wrapped(row[name]))) }
  } catch (error) {
    return { error: String(error) }
  }
}

function unwrapped(value) {
  return value?.base64 === undefined ? value : Buffer.from(value.base64, 'base64')
}

function wrapped(value) {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value
}
