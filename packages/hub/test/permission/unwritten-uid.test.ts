/** A ref uid under which nothing is ever written. The storage's own test is in `storage/catalog/refusals`. */

import { newId, pooledRandom } from '@latchkey/service/random'
import { expect, test } from 'vitest'
import { unwrittenUid } from '../../src/permission/unwritten-uid.ts'

test('a uid under which nothing is written is no id that a ref or commit can get', () => {
  const random = pooledRandom()
  for (let time = 0; time < 1000; time += 1) {
    const id = newId(random)
    expect(id).toMatch(/^[a-z2-7]{26}$/)
    expect(unwrittenUid(id)).not.toMatch(/^[a-z2-7]{26}$/)
  }
})
