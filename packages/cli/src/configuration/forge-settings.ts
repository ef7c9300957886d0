/** The settings of a forge from the configuration: one beside its hub, and one that runs alone. */

import type { ForgeSettings } from '@latchkey/forge'
import type { HubSettings } from '@latchkey/hub'
import type { Secret } from '@latchkey/protocol'
import { type Stop, wrongUsage } from '../output/stop.ts'
import { refusePlainHttp } from './addresses.ts'
import type { Values } from './options.ts'
import type { Configuration } from './read-configuration.ts'
import { caCertificates } from './trust-ca-cert.ts'

/** Only its hub, and a proxy on the same machine, send requests to a forge beside a hub. */
export const forgeHost = '127.0.0.1'
const loopback = ['127.0.0.0/8', '::1']

export const forgeDataDirectory = './latchkey-forge-data'
const defaultPort = 8083

/** The inputs that a forge is started with. */
export interface ForgeOrder {
  readonly settings: ForgeSettings
  /** Certificates to trust beside those of the system, as PEM: hub and storage may have one of them. */
  readonly caCertificates: readonly string[] | undefined
}

export function hasForge({ forge, demo, 'forge.url': url }: Values): boolean {
  return forge ?? (demo && url === undefined)
}

/** Whether the hub has a forge, here or elsewhere. */
export function servesRepositories(values: Values): boolean {
  return hasForge(values) || values['forge.url'] !== undefined
}

export function refuseTwoForges({ values, called }: Configuration): void {
  if (!values.forge || values['forge.url'] === undefined) return
  throw wrongUsage(
    `${called.get('forge.url')}: a hub has one forge; leave this out, or ${called.get('forge')}`,
  )
}

/** The settings of a forge beside a hub, without what it learns from the running hub. */
export interface ForgeBeside extends Omit<ForgeOrder, 'settings'> {
  readonly settings: Omit<ForgeSettings, 'hub'>
}

/** Undefined where the hub runs no forge. */
export function forgeBeside(
  configuration: Configuration,
  { publicUrl, data, allowedHosts, limits, log, stopDeadlineSeconds }: HubSettings,
): ForgeBeside | undefined {
  const { values } = configuration
  if (!hasForge(values)) return undefined
  const settings = {
    ...{ host: forgeHost, port: values['forge.port'], portFlag: '--forge-port' },
    ...{ publicUrl, data, allowedHosts, trustedProxies: loopback },
    bounds: boundsIn(values),
    limits: { connections: limits.connections },
    ...{ log, stopDeadlineSeconds },
  }
  return { settings, caCertificates: caCertificates(configuration) }
}

/** A forge that runs alone. */
export function linkedForge(configuration: Configuration): ForgeOrder {
  const { values, called } = configuration
  const { hub: hubUrl, forgeCredential, allowPlainHttp, host, port = defaultPort } = values
  if (hubUrl === undefined) throw missing('--hub URL', 'the hub that decides for the forge')
  refusePlainHttp({ url: hubUrl, called: called.get('hub') ?? '--hub', allowPlainHttp })
  const credential = credentialIn(forgeCredential)
  const settings: ForgeSettings = {
    ...{ host, port, portFlag: '--port', data: values.data ?? forgeDataDirectory },
    hub: { hubUrl, credential, allowPlainHttp },
    publicUrl: values.publicUrl ?? hubUrl,
    bounds: boundsIn(values),
    allowedHosts: values.allowedHosts,
    trustedProxies: values.trustedProxies,
    limits: { connections: values['limits.connections'] },
    operations: { port: values['operations.port'], host: values['operations.host'] },
    log: { level: values['log.level'] ?? 'info' },
    stopDeadlineSeconds: values.stopDeadlineSeconds,
  }
  return { settings, caCertificates: caCertificates(configuration) }
}

function credentialIn(credential: Secret<'hub-token'> | undefined): Secret<'hub-token'> {
  if (credential !== undefined) return credential
  throw missing(
    'LATCHKEY_FORGE_CREDENTIAL',
    'a hub token of kind forge, which an administrator of the hub makes with "latchkey hub-token create ACCOUNT NAME --kind forge"; LATCHKEY_FORGE_CREDENTIAL_FILE may name a file that holds it',
  )
}

function boundsIn(values: Values) {
  return {
    commitBytes: values['forge.commitBytes'],
    pushBytes: values['forge.pushBytes'],
    repositoryBytes: values['forge.quotaBytes'],
    reservedBytes: values['storage.reservedBytes'],
  }
}

function missing(what: string, why: string): Stop {
  return wrongUsage(`${what} is missing: ${why}. See latchkey forge serve --help.`)
}

/** Settings that work but should not stay. */
export function warningsAboutForge({ trustedProxies }: ForgeSettings): string[] {
  if (trustedProxies.length > 0) return []
  return [
    'trustedProxies is empty: every request has the address of the hub that forwards it, so the limits of all anonymous callers count as one; pass --trusted-proxies with the address of the hub',
  ]
}
