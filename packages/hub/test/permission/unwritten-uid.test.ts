/** A ref uid under which nothing is ever written. The storage's own test is in `storage/catalog/refusals`. */

import { type RefUid, unwrittenUid } from '@latchkey/protocol'
import { newId, pooledRandom } from '@latchkey/service/machine/random'
import { expect, test } from 'vitest'

// conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
test('a uid under which nothing is written is no id that a ref or commit can get', () => {
  const random = pooledRandom()
  for (let time = 0; time < 1000; time += 1) {
    const id = newId<RefUid>(random)
    expect(id).toMatch(/^[a-z2-7]{26}$/)
    expect(unwrittenUid(id)).not.toMatch(/^[a-z2-7]{26}$/)
  }
})
