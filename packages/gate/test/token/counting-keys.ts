/** Keys that count how often one of them was taken to verify a token. */

import { keys } from '@latchkey/testing/gate/storage-tokens'
import type { KeySet, VerifyingKey } from '@latchkey/token'

export class CountingKeys extends Map<string, VerifyingKey> {
  verifications = 0

  constructor(known: KeySet = keys) {
    super(known)
  }

  override get(kid: string): VerifyingKey | undefined {
    this.verifications += 1
    return super.get(kid)
  }
}
