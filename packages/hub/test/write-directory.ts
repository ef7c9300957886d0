/** Fills the database of a hub that is not running yet. */

import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/random'
import { applyValue } from '../src/directory/apply/apply-file.ts'
import { type HubSettings, openStore } from '../src/index.ts'

/** By account and name, as in `writer/read`. */
export type HubTokens<Name extends string> = Readonly<Record<Name, string>>

/** As `latchkey apply` would. */
export async function writeDirectory<Name extends string>(
  settings: HubSettings,
  file: object,
): Promise<HubTokens<Name>> {
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
    ) as HubTokens<Name>
  } finally {
    store.close()
  }
}
