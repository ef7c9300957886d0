/** A secret in a file that a variable names; orchestrators choose the mode of theirs, so more is allowed than for files of ours. */

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { quoteGiven } from '@latchkey/service/text/escape'
import { unavailable } from '../output/stop.ts'

export interface SecretFile {
  readonly value: string
  /** In words for an operator, where other users can read the file. */
  readonly warning: string | undefined
}

export function readSecretFile(variable: string, file: string): SecretFile {
  const { value, mode } = readWithMode(variable, file)
  const modeText = (mode & 0o777).toString(8)
  if ((mode & 0o002) !== 0) {
    throw unavailable(
      `${variable}: any user can write the file ${quoteGiven(file)} (mode ${modeText}), and so choose the secret; chmod 600 it`,
    )
  }
  const warning = `${variable}: any user who gets to the file ${quoteGiven(file)} can read it (mode ${modeText})`
  return { value, warning: (mode & 0o004) === 0 ? undefined : warning }
}

function readWithMode(variable: string, file: string): { value: string; mode: number } {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const { mode } = fstatSync(descriptor)
      return { value: readFileSync(descriptor, 'utf8').trim(), mode }
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unreadable'
    throw unavailable(`${variable}: the file ${quoteGiven(file)} cannot be read (${code})`)
  }
}
