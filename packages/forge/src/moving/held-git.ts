/** Tells the hub which repositories the forge holds, so that the hub's own commands delete no ref whose content is needed. */

import type { Git } from '../git/index.ts'
import type { HubPort } from '../hub-port.ts'

/** The hub is told before there is anything to lose, and of what was there before it was ever told. */
export async function heldGit(git: Git, hub: Pick<HubPort, 'hold' | 'release'>): Promise<Git> {
  await hub.hold(await git.list())
  return {
    ...git,
    async create(uid) {
      if (!git.exists(uid)) await hub.hold([uid])
      return git.create(uid)
    },
    async remove(uid) {
      await git.remove(uid)
      await hub.release(uid)
    },
  }
}
