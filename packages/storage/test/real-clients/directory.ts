/** What the hub knows in these tests: two repositories whose branches share nothing, and one who writes. */

import type { HubSettings } from '@latchkey/hub'
import { commit } from '@latchkey/testing/hub/hub-settings'
import {
  type HubTokens as Directory,
  writeDirectory as write,
} from '@latchkey/testing/hub/write-directory'

const branches = Object.fromEntries(
  ['main', 'one', 'other', 'similar', 'several', 'slow'].map((name) => [name, commit('a')]),
)

const file = {
  accounts: [{ name: 'maintainer', administrator: true }, { name: 'writer' }],
  namespaces: [{ name: 'acme', members: { maintainer: 'admin', writer: 'write' } }],
  repositories: [
    { type: 'model', id: 'acme/bert', visibility: 'private', branches },
    { type: 'dataset', id: 'acme/words', visibility: 'private', branches },
  ],
  hubTokens: [
    { account: 'maintainer', name: 'admin', kind: 'admin' },
    { account: 'maintainer', name: 'storage', kind: 'storage' },
    { account: 'writer', name: 'write', kind: 'write' },
    { account: 'writer', name: 'read', kind: 'read' },
  ],
}

export type HubTokens = Directory<
  'maintainer/admin' | 'maintainer/storage' | 'writer/write' | 'writer/read'
>

export function writeDirectory(settings: HubSettings): Promise<HubTokens> {
  return write(settings, file)
}
