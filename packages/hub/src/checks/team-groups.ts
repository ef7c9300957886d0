/** Whether the configuration has every identity provider whose groups teams name. */

import { type Check, goodFinding, wrongFinding } from '@latchkey/service/checks'
import type { HubSettings } from '../start/settings.ts'
import type { Reading } from '../tables/directory.ts'
import { type HubInstallation, withStore } from './with-store.ts'

export const teamGroups: Check<HubInstallation> = {
  name: 'team groups',
  run({ settings, ...installation }) {
    return withStore({ settings, ...installation }, async (read) => {
      const named = await read(namedProviders)
      const findings = named.flatMap(({ provider, teams }) => {
        const reason = whyEmpty(provider, settings)
        return reason === undefined
          ? []
          : [
              wrongFinding(
                `${teams} ${teams === 1 ? 'team names' : 'teams name'} groups of the identity provider "${provider}", ${reason.why}`,
                reason.advice,
              ),
            ]
      })
      if (named.length === 0 || findings.length > 0) return findings
      return [
        goodFinding(`teams name groups of ${named.map(({ provider }) => provider).join(', ')}`),
      ]
    })
  },
}

function whyEmpty(name: string, { identity }: HubSettings) {
  const provider = identity?.providers.find((one) => one.name === name)
  if (provider === undefined) {
    return {
      why: 'which these settings do not have',
      advice:
        'Add it to identity.providers, or delete the groups with "latchkey team-group delete": until then they give no membership.',
    }
  }
  if (provider.groupsClaim !== undefined) return undefined
  return {
    why: 'which has no groupsClaim',
    advice: 'Set its groupsClaim: until then its groups give no membership.',
  }
}

async function namedProviders(tables: Reading) {
  const rows = await tables
    .selectFrom('team_groups')
    .select(({ fn }) => ['provider', fn.count('team_id').distinct().as('teams')])
    .groupBy('provider')
    .orderBy('provider')
    .execute()
  return rows.map(({ provider, teams }) => ({ provider, teams: Number(teams) }))
}
