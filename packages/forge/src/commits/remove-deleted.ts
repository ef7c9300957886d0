/** Removes repositories from git that were deleted at the hub itself. */

import type { ForgePort } from '@latchkey/hub/as-caller'
import type { Git } from '../git/index.ts'

export async function removeDeleted({
  git,
  hub,
}: {
  readonly git: Git
  readonly hub: Pick<ForgePort, 'deletedAmong'>
}): Promise<void> {
  for (const uid of await hub.deletedAmong(await git.list())) await git.remove(uid)
}
