/** What the hub knows in these tests: two repositories whose branches share nothing, and one who writes. */

import { type HubSettings, openStore } from '@latchkey/hub'
import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/random'
import { applyValue } from '../../../hub/src/directory/apply/apply-file.ts'
import { commit } from '../../../hub/test/world.ts'

const branches = Object.fromEntries(
  ['main', 'one', 'other', 'similar', 'slow'].map((name) => [name, commit('a')]),
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
    { account: 'writer', name: 'write', kind: 'write' },
    { account: 'writer', name: 'read', kind: 'read' },
  ],
}

export type HubTokens = Readonly<
  Record<'maintainer/admin' | 'writer/write' | 'writer/read', string>
>

/** As `latchkey apply` would, before the hub is started. */
export async function writeDirectory(settings: HubSettings): Promise<HubTokens> {
  const store = openStore(settings, { create: true })
  const { hubTokenPrefix } = settings
  const now = unixSeconds(Math.floor(Date.now() / 1000))
  try {
    const applied = await store.directory.change((tables) =>
      applyValue({ tables, now, randomBytes: pooledRandom(), hubTokenPrefix }, file),
    )
    if (isRefusal(applied)) throw new Error(applied.detail)
    return Object.fromEntries(
      applied.hubTokens.map(({ account, name, token }) => [`${account}/${name}`, token.reveal()]),
    ) as HubTokens
  } finally {
    store.close()
  }
}
