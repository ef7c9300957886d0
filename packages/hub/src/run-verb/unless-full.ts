/** A full disk as a refusal: it is a fact about the machine, not a fault of the service. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { StorageFull } from '@latchkey/service/database'

export async function unlessFull<Result>(change: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof StorageFull) return noRoom()
    throw error
  }
}

function noRoom(): Refusal {
  return refuse('storage_full', 'There is no room left to write; nothing was changed.')
}
