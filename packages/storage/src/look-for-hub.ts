/** Asks the hub for what a storage needs to judge tokens, until it has that. */

import type { Gate } from '@latchkey/gate'
import type { HubLink } from '@latchkey/gate/hub-link'

const againMs = 1000

/** The first request need not wait for the hub, and a storage without requests notices that its hub is back. */
export async function lookForHub(
  { isReady, refreshKeys }: Pick<Gate, 'isReady' | 'refreshKeys'>,
  { revocations }: Pick<HubLink, 'revocations'>,
): Promise<() => void> {
  const look = async () => {
    if (!isReady()) await Promise.all([refreshKeys(), revocations.refresh()])
  }
  const timer = setInterval(look, againMs).unref()
  await look()
  return () => clearInterval(timer)
}
