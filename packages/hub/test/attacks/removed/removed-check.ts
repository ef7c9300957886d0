/** A check of the product that a test must miss: without it the attack succeeds, and the test fails. */

import { resolve } from 'node:path'

export interface RemovedCheck {
  /** The check, as a sentence. */
  readonly check: string
  /** In files below `src` of the hub, each text exactly once. */
  readonly edits: readonly (readonly [file: string, text: string, replacement: string])[]
  /** A file below `test` of the hub, and a part of the name of a test in it, with its groups before " > ". */
  readonly test: readonly [file: string, name: string]
}

const hub = resolve(import.meta.dirname, '../../..')

export function sourceFile(file: string): string {
  return resolve(hub, 'src', file)
}

export function testFile({ test: [file] }: RemovedCheck): string {
  return resolve(hub, 'test', file)
}

/** The text of this file without the check. */
export function withoutCheck({ edits }: RemovedCheck, file: string, source: string): string {
  let changed = source
  for (const [edited, text, replacement] of edits) {
    if (sourceFile(edited) !== file) continue
    if (changed.split(text).length !== 2) throw new Error(`not exactly once in ${edited}: ${text}`)
    changed = changed.replace(text, () => replacement)
  }
  return changed
}
