/** The command that downloads what was uploaded, as a person can paste it. */

import { basename } from 'node:path'
import type { Target } from '../client/target.ts'
import { attributeOf, flagOf } from '../configuration/option.ts'
import { configOption, optionKeys, rowOf } from '../configuration/options.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import { escapeText } from '../output/escape.ts'
import { shellWord } from '../output/shell-word.ts'

/** Into a new folder: what was uploaded may have changed since, and would be lost. */
export function downloadWords({ repo, revision }: Target, manifest: string, flags: Flags): string {
  const into = `${basename(manifest).replace(/(?:\.manifest)?\.json$/, '')}-downloaded`
  const target = word(`${repo}@${revision}`)
  const where = hubFlags(flags)
  return ['latchkey', 'download', target, '--manifest', word(manifest), '-o', word(into), ...where]
    .map(escapeText)
    .join(' ')
}

/** Those that the upload was given, so that the same hub is asked. */
function hubFlags(flags: Flags): string[] {
  const keys = optionKeys.filter((key) => rowOf(key).takers.includes('client'))
  const names = [
    { flag: configOption.flag, value: flags['config'] },
    ...keys.map((key) => ({ flag: flagOf(key), value: flags[attributeOf(key)] })),
  ]
  return names.flatMap(({ flag, value }) => {
    if (typeof value === 'string') return [flag, word(value)]
    if (typeof value !== 'boolean') return []
    return [value ? flag : flag.replace('--', '--no-')]
  })
}

/** Quoted where a shell would read it otherwise. */
function word(text: string): string {
  return /^[\w@%+:,./][\w@%+:,./-]*$/.test(text) ? text : shellWord(text)
}
