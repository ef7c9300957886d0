/** Removes repositories from git that were deleted at the hub itself. */

import type { Git } from '../git/index.ts'
import type { HubPort } from '../hub-port.ts'

export async function removeDeleted({
  git,
  hub,
}: {
  readonly git: Git
  readonly hub: Pick<HubPort, 'deletedAmong'>
}): Promise<void> {
  for (const uid of await hub.deletedAmong(await git.list())) await git.remove(uid)
}
