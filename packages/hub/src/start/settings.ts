/** The settings of a hub, already checked. */

import type { NamedStorage, OptionTypes, Secret } from '@latchkey/protocol'
import type { LogLevel } from '@latchkey/service/observe/log'
import type { PostgresSettings } from '@latchkey/service/postgres'
import { postgresTypes } from '@latchkey/service/postgres/settings'
import type { Algorithm } from '@latchkey/token'
import type { CreationRules } from '../as-caller/creation-rules.ts'
import type { DatabasePlace } from '../data/open-store.ts'
import type { HubTokenPolicy } from '../sign-in/own-plans.ts'
import type { ConfiguredProvider } from '../sign-in/provider-settings.ts'
import type { IssuerSettings } from '../trusted-publishers/issuer-settings.ts'

export interface HubSettings {
  readonly host: string
  readonly port: number
  /** The tokens' `iss`; never taken from a request. */
  readonly publicUrl: string
  /** Where clients find the storage; may hold `{repo}` and `{ref}`. */
  readonly casUrl: string
  /** Storages beside the one at `casUrl`, which is called `default`; none, where undefined. */
  readonly storages?: readonly NamedStorage[] | undefined
  readonly data: string
  readonly database: DatabasePlace
  /** The server itself, where `database` leads through a pooler. */
  readonly directDatabase: PostgresSettings | undefined
  /** How old what a hub knows of the directory may be when it signs a token. */
  readonly stalenessSeconds: number
  readonly demo: boolean
  readonly masterKey: Secret<'master-key'> | undefined
  readonly token: { readonly lifetimeSeconds: number; readonly algorithm: Algorithm }
  /** How many days a key signs; 0 makes no new key by itself. */
  readonly keys: { readonly rotationDays: number }
  readonly hubTokenPrefix: string
  readonly hidePrivateRepositories: boolean
  readonly anonymousPublicRead: boolean
  readonly compat: { readonly huggingface: boolean }
  readonly cors: { readonly origins: readonly string[]; readonly allowAnonymousAnyOrigin: boolean }
  /** Host names that requests may come under beside that of `publicUrl`; `*` is every one. */
  readonly allowedHosts: readonly string[]
  /** Proxies, as addresses or CIDR ranges, whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  readonly limits: {
    /** Token requests a minute for one hub token; 0 is no limit. */
    readonly requestsPerMinute: number
    /** Requests a minute with a missing or invalid hub token from one address; 0 is no limit. */
    readonly failuresPerMinute: number
    readonly connections: number
  }
  /** A listener of its own for `/healthz`, `/readyz` and `/metrics`; undefined serves them beside the rest. */
  readonly operations: { readonly port: number | undefined; readonly host: string }
  /** How many days the journal keeps its entries; 0 keeps them all. */
  readonly journal: { readonly retentionDays: number }
  /** The public route for leaked tokens, and the file with the keys of those who sign lists of them. */
  readonly revoke: { readonly enabled: boolean; readonly partnerKeys: string | undefined }
  /** Programs beside the built-in ones that may sign in as a device: their names, by `client_id`. */
  readonly deviceClients?: Readonly<Record<string, string>> | undefined
  /** The platforms whose CI jobs may exchange id tokens; none, where undefined. */
  readonly trustedPublishers?: { readonly issuers: readonly IssuerSettings[] } | undefined
  /** The usual rules, where undefined. */
  readonly creation?: CreationRules | undefined
  /** A forge that others start, for example `http://127.0.0.1:8084`: the hub forwards to it what is not its own. */
  readonly forgeUrl?: string | undefined
  /** Where people sign in; without a provider, they do with a hub token. */
  readonly identity?:
    | {
        readonly providers: readonly ConfiguredProvider[]
        /** How long a membership lasts after its provider last confirmed it; a day, where undefined. */
        readonly groupsMaxAgeSeconds?: number | undefined
      }
    | undefined
  /** The rules for hub tokens that people make themselves; the usual ones, where undefined. */
  readonly hubTokens?: HubTokenPolicy | undefined
  readonly log: { readonly level: LogLevel }
  readonly stopDeadlineSeconds: number
}

export function settingTypesFor(settings: HubSettings): OptionTypes<HubSettings> {
  return {
    ...{ host: 'string', port: 'number', publicUrl: 'string', casUrl: 'string', data: 'string' },
    storages: 'object',
    database: typeof settings?.database === 'object' ? postgresTypes : 'string',
    directDatabase: postgresTypes,
    ...{ stalenessSeconds: 'number', demo: 'boolean', masterKey: 'object' },
    token: { lifetimeSeconds: 'number', algorithm: 'string' },
    keys: { rotationDays: 'number' },
    ...{ hubTokenPrefix: 'string', hidePrivateRepositories: 'boolean' },
    anonymousPublicRead: 'boolean',
    compat: { huggingface: 'boolean' },
    cors: { origins: 'object', allowAnonymousAnyOrigin: 'boolean' },
    ...{ allowedHosts: 'object', trustedProxies: 'object' },
    limits: { requestsPerMinute: 'number', failuresPerMinute: 'number', connections: 'number' },
    operations: { port: 'number', host: 'string' },
    journal: { retentionDays: 'number' },
    revoke: { enabled: 'boolean', partnerKeys: 'string' },
    deviceClients: 'object',
    forgeUrl: 'string',
    trustedPublishers: { issuers: 'object' },
    creation: {
      ownNamespaces: 'boolean',
      repositoriesPerNamespace: 'number',
      refsPerRepository: 'number',
    },
    identity: { providers: 'object', groupsMaxAgeSeconds: 'number' },
    hubTokens: { maxDays: 'number', unusedDays: 'number', kinds: 'object' },
    log: { level: 'string' },
    stopDeadlineSeconds: 'number',
  }
}
