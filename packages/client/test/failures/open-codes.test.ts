/** A hub or storage that is newer than the client may send codes that the client does not know. */

import { expect, test } from 'vitest'
import { type ErrorCode, LatchkeyError } from '../../src/index.ts'

test('a code that this version does not know compiles, and is kept', () => {
  const code: ErrorCode = 'code_of_a_newer_hub'
  const error = new LatchkeyError(code, 'something new')
  expect(error.code === 'hub_unavailable' ? 'known' : error.code).toBe('code_of_a_newer_hub')
})
