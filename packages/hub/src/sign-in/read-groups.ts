/** The groups of a person as the claims of a provider name them. */

import type { ProviderSettings } from './provider-settings.ts'

/** `missing`: the provider does not say; an empty list says that there are none. */
export type Groups = readonly string[] | 'missing'

export const maxGroups = 1000
export const maxGroupLength = 256

type Claims = Readonly<Record<string, unknown>>

/** Longer names and those beyond the first 1000 are left out, so that they give nothing. */
export function readGroups(
  claims: Claims,
  { groupsClaim }: Pick<ProviderSettings, 'groupsClaim'>,
): Groups {
  if (groupsClaim === undefined || isElsewhere(claims, groupsClaim)) return 'missing'
  const value = Object.hasOwn(claims, groupsClaim) ? claims[groupsClaim] : undefined
  if (!Array.isArray(value)) return 'missing'
  const names = value
    .slice(0, maxGroups)
    .filter((one) => typeof one === 'string' && one !== '' && one.length <= maxGroupLength)
  return [...new Set<string>(names)]
}

/** Entra names too many groups by reference: a list beside that would not be all of them. */
function isElsewhere(claims: Claims, groupsClaim: string): boolean {
  const names = claims['_claim_names']
  const isReferred =
    typeof names === 'object' && names !== null && Object.hasOwn(names, groupsClaim)
  return isReferred || claims['hasgroups'] === true || claims['hasgroups'] === 'true'
}
