/** Tells the hub which repositories the forge holds, so that the hub's own commands delete no ref whose content is needed. */

import type { ForgePort } from '@latchkey/hub/as-caller'
import type { Git } from '../git/index.ts'

/** The hub is told at the start, and before this process first writes to a repository: another process may have made its folder. */
export async function heldGit(git: Git, hub: Pick<ForgePort, 'hold' | 'release'>): Promise<Git> {
  const held = new Set(await git.list())
  await hub.hold([...held])
  const holding = (git: Git): Git => ({
    ...git,
    calledBy: (caller) => holding(git.calledBy(caller)),
    async create(uid) {
      if (!held.has(uid)) await hub.hold([uid])
      held.add(uid)
      return git.create(uid)
    },
    async remove(uid) {
      await git.remove(uid)
      held.delete(uid)
      await hub.release(uid)
    },
  })
  return holding(git)
}
