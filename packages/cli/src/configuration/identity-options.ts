/** Where people sign in, and what they may make for themselves. */

import type { HubSettings } from '@latchkey/hub'
import { isPlainHttp } from '@latchkey/protocol'
import { membersOf, textOf, textsOf } from '../reading/members-of.ts'
import * as kinds from './kind.ts'
import { option } from './option.ts'

type ConfiguredProvider = NonNullable<HubSettings['identity']>['providers'][number]
type OwnKind = NonNullable<HubSettings['hubTokens']>['kinds'][number]

const providers: kinds.Kind<readonly ConfiguredProvider[]> = {
  placeholder: 'JSON',
  allowed:
    'a JSON list of {"name", "issuer", "clientId", "clientSecretFile", "scopes", "nameClaim", "groupsClaim", "missingGroups", "offlineAccess", "groups", "claims"}; a name is 1 to 32 lower-case letters, digits or "-", an issuer is an https URL, missingGroups is empty or keep, offlineAccess is true, false or consent, and groups or claims say who may sign in',
  fromText(text) {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  },
  read(value) {
    if (!Array.isArray(value) || value.length > 16) return undefined
    const all = value.map(configuredProvider).filter((one) => one !== undefined)
    const names = new Set(all.map(({ name }) => name))
    return names.size === value.length ? all : undefined
  },
}

function configuredProvider(value: unknown): ConfiguredProvider | undefined {
  const { name, issuer, clientId, clientSecretFile, ...options } = membersOf(value)
  const { scopes, nameClaim, groupsClaim, groups = [], claims = {}, ...others } = options
  const { missingGroups = 'empty', offlineAccess = false, ...more } = others
  const provider: ConfiguredProvider = {
    name: textOf(name) ?? '',
    issuer: textOf(issuer) ?? '',
    clientId: textOf(clientId) ?? '',
    clientSecretFile: textOf(clientSecretFile) ?? '',
    scopes: textsOf(scopes ?? ['openid', 'profile', 'email']) ?? [],
    nameClaim: textOf(nameClaim ?? 'preferred_username') ?? '',
    groupsClaim: textOf(groupsClaim),
    missingGroups: missingGroups === 'keep' ? missingGroups : 'empty',
    offlineAccess: offlineAccess === 'consent' ? offlineAccess : offlineAccess === true,
    groups: textsOf(groups) ?? [],
    claims: membersOf(claims) as Record<string, string | boolean>,
  }
  const required = [provider.clientId, provider.clientSecretFile, provider.nameClaim]
  const isFine =
    /^[a-z0-9][a-z0-9-]{0,31}$/.test(provider.name) &&
    URL.canParse(provider.issuer) &&
    /^https?:/.test(provider.issuer) &&
    !isPlainHttp(provider.issuer) &&
    required.every((text) => text !== '') &&
    provider.scopes.includes('openid') &&
    Object.values(provider.claims).every((one) => ['string', 'boolean'].includes(typeof one)) &&
    // Without a condition, everybody with an account at a public provider would be let in.
    provider.groups.length + Object.keys(provider.claims).length > 0 &&
    // The groups of a person may feed teams alone.
    (provider.groups.length === 0 || provider.groupsClaim !== undefined) &&
    missingGroups === provider.missingGroups &&
    offlineAccess === provider.offlineAccess &&
    Object.keys(more).length === 0
  return isFine ? provider : undefined
}

const ownKinds: readonly OwnKind[] = ['read', 'write', 'fine-grained']

const hubTokenKinds: kinds.Kind<readonly OwnKind[]> = {
  placeholder: 'kinds',
  allowed: 'any of read, write and fine-grained, separated by commas',
  fromText: (text) => text.split(',').map((item) => item.trim()),
  read(value) {
    const found = textsOf(value)?.map((text) => ownKinds.find((kind) => kind === text))
    return found?.every((kind) => kind !== undefined) ? found : undefined
  },
}

export const identityOptions = {
  'identity.providers': option<readonly ConfiguredProvider[]>({
    group: 'Access',
    takers: ['serve', 'explain-sign-in'],
    kind: providers,
    default: [],
    defaultText: 'none; people sign in with a hub token',
    summary:
      'The OpenID Connect providers by which people sign in. Write them into the configuration file.',
  }),
  'identity.groupsMaxAgeSeconds': option<number>({
    group: 'Access',
    takers: ['serve'],
    kind: kinds.wholeNumber(600, 30 * 86_400),
    default: 86_400,
    summary:
      'How long a membership in a team that comes from a provider lasts after the provider last confirmed it.',
  }),
  'hubTokens.maxDays': option<number>({
    group: 'Access',
    takers: ['serve'],
    kind: kinds.wholeNumber(0, 3650),
    default: 0,
    summary: 'The longest life in days of a hub token that people make themselves; 0 is no limit.',
  }),
  'hubTokens.unusedDays': option<number>({
    group: 'Access',
    takers: ['serve'],
    kind: kinds.wholeNumber(0, 3650),
    default: 0,
    summary:
      'After how many days without use the hub revokes a hub token that people made themselves; 0 is never.',
  }),
  'hubTokens.kinds': option<readonly OwnKind[]>({
    group: 'Access',
    takers: ['serve'],
    kind: hubTokenKinds,
    default: ownKinds,
    defaultText: 'read, write, fine-grained',
    summary: 'The kinds of hub token that people may make themselves.',
  }),
}
