/** Recognises a token that somebody put where a name belongs, so that it is neither stored nor repeated. */

import { tokenShape } from '@latchkey/protocol'

const shape = new RegExp(tokenShape)

export const tokenIsNoName = 'looks like a token; no token is allowed here'

export function looksSecret(text: string): boolean {
  return shape.test(text)
}
