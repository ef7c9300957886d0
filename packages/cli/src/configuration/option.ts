/** One thing an operator can decide, and the three names it goes by. */

import type { Kind } from './kind.ts'

export const optionGroups = [
  'Addresses',
  'Data',
  'Tokens',
  'Access',
  'Limits',
  'Storage',
  'Forge',
  'Hub',
  'Gate',
  'Operation',
] as const

type OptionGroup = (typeof optionGroups)[number]

/** Commands that have the flag: those that serve a hub, serve a storage or a forge alone, keep the content of a storage in order, move or copy its catalogue, back up content, guard a storage, ask a hub as its clients do, work on the data, measure the content, make hub tokens, explain a request or a sign-in, or manage a hub on another machine. */
export type Taker =
  | 'serve'
  | 'storage'
  | 'forge'
  | 'forge-data'
  | 'maintenance'
  | 'catalogue'
  | 'backup'
  | 'gate'
  | 'client'
  | 'manage'
  | 'measure'
  | 'make-token'
  | 'explain'
  | 'explain-sign-in'
  | 'remote'

export interface Option<Value> {
  readonly group: OptionGroup
  readonly takers: readonly Taker[]
  readonly kind: Kind<Exclude<Value, undefined>>
  readonly default: Value
  /** The default in words, where the value itself does not say it. */
  readonly defaultText?: string
  readonly summary: string
  /** Commands that do not start without it, and how their help says so. */
  readonly required?: Readonly<Partial<Record<Taker, string>>>
  /** Has no flag, because arguments show in process lists and shell histories. */
  readonly secret?: true
}

/** Keeps the value's type with the row. */
export function option<Value>(row: Option<Value>): Option<Value> {
  return row
}

/** `cors.origins` is `--cors-origins`. */
export function flagOf(key: string): string {
  return `--${wordsOf(key).join('-')}`
}

/** `cors.origins` is `LATCHKEY_CORS_ORIGINS`. */
export function variableOf(key: string): string {
  return `LATCHKEY_${wordsOf(key).join('_').toUpperCase()}`
}

/** `log.level` is `logLevel`, which is how the command parser calls `--log-level`. */
export function attributeOf(key: string): string {
  return key.replace(/\.(.)/g, (_, letter: string) => letter.toUpperCase())
}

function wordsOf(key: string): string[] {
  return key.split(/\.|(?=[A-Z])/).map((word) => word.toLowerCase())
}
