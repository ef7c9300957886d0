import { quoteGiven } from '@latchkey/service/text'
import { type Stop, unavailable } from './stop.ts'

const reasons = new Map([
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'there is no such file'],
  ['EACCES', 'this user may not read it'],
  ['EISDIR', 'it is a directory'],
])

export function cannotRead(file: string, error: unknown): Stop {
  return unavailable(`${quoteGiven(file)} cannot be read: ${reasonOf(error)}`)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed'
  return ('code' in error ? reasons.get(String(error.code)) : undefined) ?? error.message
}
