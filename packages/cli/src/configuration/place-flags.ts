/** The flags that say which hub or data a command was about, so that a command to paste is about the same. */

import { typedWord } from '@latchkey/service/text/shell-word'
import { attributeOf, flagOf } from './option.ts'
import { configOption, optionKeys, rowOf } from './options.ts'
import type { Flags } from './read-configuration.ts'

/** Those that were given, as a shell takes them. */
export function placeFlags(flags: Flags): readonly string[] {
  const names = [
    { flag: configOption.flag, value: flags['config'] },
    ...placeKeys.map((key) => ({ flag: flagOf(key), value: flags[attributeOf(key)] })),
  ]
  return names.flatMap(({ flag, value }) => {
    if (typeof value === 'string') return [flag, typedWord(value)]
    if (typeof value !== 'boolean') return []
    return [value ? flag : flag.replace('--', '--no-')]
  })
}

/** How a client finds its hub, and a management command its data or its hub. */
const placeKeys = optionKeys.filter((key) => {
  const { takers, secret } = rowOf(key)
  return !secret && (takers.includes('client') || takers.includes('manage'))
})
