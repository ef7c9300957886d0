import { readFileSync } from 'node:fs'
import { Secret } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'

/** An identity provider, as the operator describes it. */
export interface ProviderSettings {
  /** On the button, in addresses and in the journal. */
  readonly name: string
  /** Its OpenID Connect issuer. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Secret<'client-secret'>
  readonly scopes: readonly string[]
  /** The claim from which a new account takes its name. */
  readonly nameClaim: string
  /** The claim with the groups of the person; undefined where the provider has none. */
  readonly groupsClaim?: string | undefined
  /** An answer without the groups claim means no group (`empty`, the default) or no change. */
  readonly missingGroups?: 'empty' | 'keep' | undefined
  /**
   * Whether the hub asks for a refresh token (`offline_access`), and with it for the groups later.
   * Some providers give one only if the person consents at each sign-in.
   */
  readonly offlineAccess?: boolean | 'consent' | undefined
  /** The person needs one of these groups, if there are any. */
  readonly groups: readonly string[]
  /** The id token needs each of these claims, with exactly this value. */
  readonly claims: Readonly<Record<string, string | boolean>>
}

export const usualScopes: readonly string[] = ['openid', 'profile', 'email']
/** A membership ends so long after the provider last confirmed it. */
export const usualGroupsMaxAgeSeconds = 86_400

export const usualNameClaim = 'preferred_username'

/** The same with the file that holds the secret. */
export interface ConfiguredProvider extends Omit<ProviderSettings, 'clientSecret'> {
  readonly clientSecretFile: string
}

/** A file that cannot be read ends the start. */
export function readProviders(all: readonly ConfiguredProvider[]): readonly ProviderSettings[] {
  return all.map(({ clientSecretFile, ...provider }) => {
    const text = readSecretFile(clientSecretFile, provider.name)
    return { ...provider, clientSecret: new Secret('client-secret', text) }
  })
}

function readSecretFile(file: string, name: string): string {
  const advice = `It holds the client secret of the identity provider "${name}".`
  try {
    const text = readFileSync(file, 'utf8').trim()
    if (text !== '') return text
  } catch (error) {
    throw new CannotStart(`${file} cannot be read. ${advice}`, { cause: error })
  }
  throw new CannotStart(`${file} is empty. ${advice}`)
}
