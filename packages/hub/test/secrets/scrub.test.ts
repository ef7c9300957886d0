/** The scrubber of the logs knows a hub token as the hub makes them. */

import { scrub } from '@latchkey/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeHubToken } from '../../src/identity/hub-token.ts'

const prefix = fc.stringMatching(/^[a-z][a-z0-9]{0,15}_$/)
const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })

test('nothing of a hub token that the hub has made survives the scrubber', () => {
  fc.assert(
    fc.property(prefix, bytes, (start, random) => {
      const token = makeHubToken(start, () => Buffer.from(random)).reveal()
      const line = scrub(JSON.stringify({ event: 'x', ref: `before${token}after` }))
      expect(line).not.toContain(token.slice(start.length))
    }),
  )
})
