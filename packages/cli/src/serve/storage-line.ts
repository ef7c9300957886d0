/** Security boundary: which lines of the storage's process come into the log of the hub. */

import { levelOf } from '@latchkey/storage/log-events'
import { jsonIn } from '../reading/members-of.ts'

/**
 * A storage in the hands of an attacker must not write lines of the hub, such as `token_issued`. Written anew, so that no
 * reader of the log finds another event in the line than this one: JSON may have a name twice.
 */
export function storageLine(line: string): string | undefined {
  const said = jsonIn(line)
  const { event } = Object(said)
  return typeof event === 'string' && Object.hasOwn(levelOf, event)
    ? JSON.stringify(said)
    : undefined
}
