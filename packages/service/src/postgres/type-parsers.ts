/** Values of PostgreSQL as rows of SQLite have them: numbers for booleans, text for JSON. */

import pg from 'pg'

type Parse = (text: string) => unknown

const parsers: Readonly<Record<number, Parse>> = {
  [pg.types.builtins.BOOL]: (text) => (text === 't' ? 1 : 0),
  [pg.types.builtins.BYTEA]: bytes,
  [pg.types.builtins.INT8]: exactNumber,
  [pg.types.builtins.JSON]: (text) => text,
  [pg.types.builtins.JSONB]: (text) => text,
  [pg.types.builtins.NUMERIC]: Number,
}

export const typeParsers = {
  getTypeParser: (type: number, format?: 'text' | 'binary'): Parse =>
    (format === 'binary' ? undefined : parsers[type]) ?? pg.types.getTypeParser(type, 'text'),
}

/** A number that JavaScript would round is an error rather than another number. */
function exactNumber(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`the number ${text} is too large to be read exactly`)
}

function bytes(text: string): Uint8Array {
  return Uint8Array.from(pg.types.getTypeParser(pg.types.builtins.BYTEA, 'text')(text))
}
