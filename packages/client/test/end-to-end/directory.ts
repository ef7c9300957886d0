/** What the hub knows in these tests: one repository, a branch for each that counts, and three people. */

import type { HubSettings } from '@latchkey/hub'
import { commit } from '@latchkey/testing/hub/hub-settings'
import {
  type HubTokens as Directory,
  writeDirectory as write,
} from '@latchkey/testing/hub/write-directory'

export const branches = ['main', 'upload', 'crowd', 'fast', 'slow'] as const

const file = {
  accounts: [{ name: 'maintainer', administrator: true }, { name: 'writer' }, { name: 'reader' }],
  namespaces: [{ name: 'acme', members: { maintainer: 'admin', writer: 'write', reader: 'read' } }],
  repositories: [
    {
      type: 'model',
      id: 'acme/bert',
      visibility: 'private',
      branches: Object.fromEntries(branches.map((name) => [name, commit('a')])),
    },
  ],
  hubTokens: [
    { account: 'maintainer', name: 'admin', kind: 'admin' },
    { account: 'writer', name: 'write', kind: 'write' },
    { account: 'writer', name: 'read', kind: 'read' },
  ],
}

export type HubTokens = Directory<'maintainer/admin' | 'writer/write' | 'writer/read'>

export function writeDirectory(settings: HubSettings): Promise<HubTokens> {
  return write(settings, file)
}
