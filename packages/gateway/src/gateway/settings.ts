/** The settings of a gate that runs as a process, already checked. */

import type { Isolation, WhenStale } from '@latchkey/gate'
import type { OptionTypes, ScopeRules, Secret, SlashForm } from '@latchkey/protocol'
import { type BodyTimeouts, bodyTimeoutTypes } from '@latchkey/service/http/deadlines'
import type { LogLevel } from '@latchkey/service/observe/log'
import type { ForwardAuthProxy } from '../forward-auth/original-request.ts'

export interface GatewaySettings {
  readonly host: string
  readonly port: number
  readonly hub: string
  readonly issuer: string
  readonly casUrl: string
  /** The part that keeps repositories and refs apart where `casUrl` or `upstream` does not name both. */
  readonly isolation: Isolation | undefined
  readonly allowPlainHttp: boolean
  readonly leewaySeconds: number
  /** How the gate learns about revoked tokens, and its reaction to a stale list. */
  readonly revocations: { readonly pollSeconds: number; readonly whenStale: WhenStale }
  readonly rules: ScopeRules
  /** Slashes in keys that reach the storage unchanged. */
  readonly allowPaths: readonly SlashForm[]
  /**
   * The work for admitted requests: the gate forwards them to a storage, or tells a proxy that they
   * may pass.
   */
  readonly work: ForwardingSettings | ForwardAuthSettings
  readonly cors: { readonly origins: readonly string[] }
  /** Host names that requests may come under beside that of `casUrl`; `*` is every one. */
  readonly allowedHosts: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly limits: {
    /** Forged tokens a minute from one address; 0 is no limit. */
    readonly failuresPerMinute: number
    readonly connections: number
  }
  readonly operations: { readonly port: number | undefined; readonly host: string }
  readonly log: { readonly level: LogLevel }
  readonly stopDeadlineSeconds: number
}

export interface ForwardingSettings {
  readonly kind: 'forward'
  /**
   * The storage: a URL, or `unix:SOCKET` for a socket of this machine, with a path as in `unix:SOCKET:/path`. The uids of
   * repository and ref take the place of `{repo}` and `{ref}` in the path.
   */
  readonly upstream: string
  readonly timeouts: BodyTimeouts & {
    /** Until a connection to the storage stands. */
    readonly connectSeconds: number
    /** From a request sent whole to the first line of its answer. */
    readonly headersSeconds: number
  }
  /** Signs the grant, for a storage that can be reached without the gate. */
  readonly assertionKey: Secret<'assertion-key'> | undefined
}

export interface ForwardAuthSettings {
  readonly kind: 'forward-auth'
  readonly proxy: ForwardAuthProxy
  readonly cacheSeconds: number
}

const timeoutTypes: OptionTypes<ForwardingSettings['timeouts']> = {
  ...bodyTimeoutTypes,
  connectSeconds: 'number',
  headersSeconds: 'number',
}
const forwardingTypes: OptionTypes<ForwardingSettings> = {
  kind: 'string',
  upstream: 'string',
  timeouts: timeoutTypes,
  assertionKey: 'object',
}
const forwardAuthTypes: OptionTypes<ForwardAuthSettings> = {
  kind: 'string',
  proxy: 'string',
  cacheSeconds: 'number',
}

/** The gate checks the rest of what is `any` or `object` here. */
export function settingTypesFor(settings: GatewaySettings): OptionTypes<GatewaySettings> {
  return {
    ...{ host: 'string', port: 'number', hub: 'any', issuer: 'any', casUrl: 'any' },
    ...{ isolation: 'any', allowPlainHttp: 'boolean', leewaySeconds: 'any' },
    revocations: { pollSeconds: 'any', whenStale: 'any' },
    ...{ rules: 'object', allowPaths: 'object' },
    work: settings?.work?.kind === 'forward-auth' ? forwardAuthTypes : forwardingTypes,
    cors: { origins: 'object' },
    ...{ allowedHosts: 'object', trustedProxies: 'object' },
    limits: { failuresPerMinute: 'number', connections: 'number' },
    operations: { port: 'number', host: 'string' },
    log: { level: 'string' },
    stopDeadlineSeconds: 'number',
  }
}
