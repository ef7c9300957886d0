/** spec: Limits. What both ends may rely on. */

import { expect, test } from 'vitest'
import { maxAccessTokenLength, maxCasUrlLength, refreshBufferSeconds } from '../src/index.ts'

// conformance: Limits / Clients refresh 30 seconds before exp
test('readers accept tokens and addresses of 64000 characters, and clients refresh 30 s early', () => {
  expect([maxAccessTokenLength, maxCasUrlLength, refreshBufferSeconds]).toEqual([
    64_000, 64_000, 30,
  ])
})
