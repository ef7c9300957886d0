/** The command that downloads what was uploaded, as a person can paste it. */

import { basename } from 'node:path'
import { escapeText } from '@latchkey/service/text/escape'
import { typedWord as word } from '@latchkey/service/text/shell-word'
import type { Target } from '../client/target.ts'
import { placeFlags } from '../configuration/place-flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'

/** Into a new folder: what was uploaded may have changed since, and would be lost. */
export function downloadWords({ repo, revision }: Target, manifest: string, flags: Flags): string {
  const into = `${basename(manifest).replace(/(?:\.manifest)?\.json$/, '')}-downloaded`
  const target = word(`${repo}@${revision}`)
  const where = placeFlags(flags)
  return ['latchkey', 'download', target, '--manifest', word(manifest), '-o', word(into), ...where]
    .map(escapeText)
    .join(' ')
}
