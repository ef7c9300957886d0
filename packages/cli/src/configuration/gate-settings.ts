/** The settings of a gate from its configuration: what must be given, and the rules across options. */

import type { GatewaySettings } from '@latchkey/gateway'
import { isLoopback, isPlainHttp } from '@latchkey/protocol'
import { type Stop, wrongUsage } from '../output/stop.ts'
import { flagOf } from './option.ts'
import type { OptionKey, Values } from './options.ts'
import type { Configuration } from './read-configuration.ts'
import { admitsWhenStale } from './storage-settings.ts'

const defaultPort = 8082

export function gateSettings({ values, called }: Configuration): GatewaySettings {
  const nameOf = (key: OptionKey) => called.get(key) ?? flagOf(key)
  const { host, port = defaultPort, hub, casUrl, isolation } = values
  if (hub === undefined) throw missing('--hub URL', 'the hub whose tokens the gate accepts')
  if (casUrl === undefined) {
    throw missing('--cas-url URL', 'the same as the hub has, because every token contains it')
  }
  if (isolation === undefined && !(casUrl.includes('{repo}') && casUrl.includes('{ref}'))) {
    throw wrongUsage(
      `${nameOf('casUrl')}: it does not separate repositories and refs; put {repo} and {ref} into it, at the hub too, or pass --isolation upstream (the storage uses the identity headers) or --isolation none (there is one tenant)`,
    )
  }
  if (isPlainHttp(hub) && !values.allowPlainHttp) {
    throw wrongUsage(
      `${nameOf('hub')}: "${hub}" is plain http, so an attacker on the network path could replace the keys; use https, or pass --allow-plain-http`,
    )
  }
  return {
    host,
    port,
    hub,
    issuer: values.issuer ?? hub,
    casUrl,
    isolation,
    allowPlainHttp: values.allowPlainHttp,
    leewaySeconds: values.leewaySeconds,
    revocations: {
      pollSeconds: values['revocations.pollSeconds'],
      whenStale: values['revocations.whenStale'],
    },
    rules: rulesOf(values),
    allowPaths: values.allowPaths,
    work: workOf(values),
    cors: { origins: values['cors.origins'] },
    allowedHosts: values.allowedHosts,
    trustedProxies: values.trustedProxies,
    limits: {
      failuresPerMinute: values['limits.failuresPerMinute'],
      connections: values['limits.connections'],
    },
    operations: { port: values['operations.port'], host: values['operations.host'] },
    log: { level: values['log.level'] ?? 'info' },
    stopDeadlineSeconds: values.stopDeadlineSeconds,
  }
}

function rulesOf(values: Values): GatewaySettings['rules'] {
  const { writeRoutes: write, relaxOtherMethods, everyUnsafeMethodWrites } = values
  if (relaxOtherMethods && everyUnsafeMethodWrites) {
    throw wrongUsage(
      '--every-unsafe-method-writes and --relax-other-methods exclude each other: give one of them',
    )
  }
  return { write, relaxOtherMethods, everyUnsafeMethodWrites }
}

function workOf(values: Values): GatewaySettings['work'] {
  const { upstream, forwardAuth: proxy, assertionKey } = values
  if (upstream !== undefined && proxy !== undefined) {
    throw wrongUsage(
      '--upstream and --forward-auth exclude each other: the gate forwards requests, or tells a proxy which to allow',
    )
  }
  if (proxy !== undefined) {
    return { kind: 'forward-auth', proxy, cacheSeconds: values.forwardAuthCacheSeconds }
  }
  if (upstream === undefined) {
    throw missing('--upstream URL', 'the storage; or --forward-auth, if a proxy asks the gate')
  }
  const timeouts = {
    connectSeconds: values['timeouts.connectSeconds'],
    headersSeconds: values['timeouts.headersSeconds'],
    idleSeconds: values['timeouts.idleSeconds'],
    totalSeconds: values['timeouts.totalSeconds'],
    minBytesPerSecond: values['timeouts.minBytesPerSecond'],
  }
  return { kind: 'forward', upstream, timeouts, assertionKey }
}

function missing(flag: string, what: string): Stop {
  return wrongUsage(`${flag} is missing: ${what}. See latchkey gate --help.`)
}

/** Settings that work but should not stay. */
export function warningsAboutGate(settings: GatewaySettings): string[] {
  const { casUrl, work, port, revocations } = settings
  const { hostname, port: clientsPort } = new URL(casUrl)
  const isMissed =
    work.kind === 'forward' &&
    isLoopback(hostname) &&
    port !== 0 &&
    Number(clientsPort || 80) !== port
  const isExposed =
    work.kind === 'forward' &&
    work.assertionKey === undefined &&
    !work.upstream.startsWith('unix:') &&
    !isLoopback(new URL(work.upstream).hostname)
  return [
    ...(isMissed
      ? [
          `clients are sent to port ${clientsPort || 80} (casUrl), but the gate listens on ${port}; pass --port ${clientsPort || 80} unless a proxy is in front`,
        ]
      : []),
    ...(revocations.whenStale === 'allow' ? [admitsWhenStale] : []),
    ...(isPlainHttp(casUrl) ? ['casUrl is plain http: storage tokens can be read on the way'] : []),
    ...(isExposed
      ? [
          'the storage is on another machine: clients that reach it without the gate can forge the identity headers, unless it checks an assertion (LATCHKEY_ASSERTION_KEY)',
        ]
      : []),
  ]
}
