/** Whether each identity provider answers as people need it, and whether it says when it asked a person. */

import { unixSeconds } from '@latchkey/protocol'
import {
  type Check,
  type Finding,
  goodFinding,
  warningFinding,
  wrongFinding,
} from '@latchkey/service/checks'
import { type ProviderSettings, readProviders } from '../sign-in/provider-settings.ts'
import type { Reading } from '../tables/directory.ts'
import { type HubInstallation, withStore } from './with-store.ts'

export const identityProviders: Check<HubInstallation> = {
  name: 'providers',
  async run(installation) {
    const { settings, nowMs } = installation
    const all = readProviders(settings.identity?.providers ?? [])
    if (all.length === 0) return []
    const signIns = await authTimesIn(installation)
    const now = () => unixSeconds(Math.floor(nowMs() / 1000))
    // The library is loaded where there is a provider.
    const { discover, reasonOf } = await import('../sign-in/open-providers.ts')
    const examine = async (provider: ProviderSettings): Promise<Finding> => {
      try {
        // It refuses a document of another issuer.
        const { claims_supported } = (await discover(provider, now)).serverMetadata()
        return freshness(provider, {
          hasAuthTime: signIns.get(provider.name),
          claims: claims_supported,
        })
      } catch (error) {
        return unusable(provider, reasonOf(error))
      }
    }
    return Promise.all(all.map(examine))
  },
}

function unusable({ name, issuer }: ProviderSettings, reason: string): Finding {
  return wrongFinding(
    `the discovery document of "${name}" at ${issuer} is not usable: ${reason}`,
    'Check that the provider runs, and that issuer is exactly the one in its document: until then nobody signs in by it.',
  )
}

interface Evidence {
  /** Whether a session of this provider had `auth_time`; undefined where there is none yet. */
  readonly hasAuthTime: boolean | undefined
  /** As the discovery document lists them. */
  readonly claims: readonly string[] | undefined
}

/** Without `auth_time` nobody creates a hub token, approves a device or manages a namespace. */
function freshness({ name, issuer }: ProviderSettings, { hasAuthTime, claims }: Evidence): Finding {
  const isListed = claims?.includes('auth_time')
  if (hasAuthTime === true || (hasAuthTime === undefined && isListed !== false)) {
    return goodFinding(`"${name}" answers as ${issuer}`)
  }
  const why =
    hasAuthTime === false
      ? 'none of its sign-ins had auth_time'
      : 'its document does not list auth_time'
  return warningFinding(
    `"${name}" answers, and gives no fresh session: ${why}`,
    'Let the provider put auth_time into the id token when the hub sends max_age=0: until then nobody creates hub tokens or approves devices by it.',
  )
}

/** From the sessions that are kept. A database that cannot be read has its own check. */
async function authTimesIn(installation: HubInstallation): Promise<ReadonlyMap<string, boolean>> {
  const hasAuthTime = new Map<string, boolean>()
  await withStore(installation, async (read) => {
    for (const { provider, latest } of await read(latestAuthTimes)) {
      if (provider !== null) hasAuthTime.set(provider, latest !== null)
    }
    return []
  })
  return hasAuthTime
}

function latestAuthTimes(tables: Reading) {
  return tables
    .selectFrom('sessions')
    .select(({ fn }) => ['provider', fn.max('auth_time').as('latest')])
    .where('provider', 'is not', null)
    .groupBy('provider')
    .execute()
}
