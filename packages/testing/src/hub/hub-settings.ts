/** The settings of a hub in a test, and the words that its directory files use. */

import type { HubSettings } from '@latchkey/hub'
import { unixSeconds } from '@latchkey/protocol'

/** What a test varies; groups are merged member by member. */
export type SettingsChange = {
  readonly [Key in keyof HubSettings]?: HubSettings[Key] extends object
    ? Partial<HubSettings[Key]>
    : HubSettings[Key]
}

export const startOfTime = unixSeconds(1_800_000_000)

export function testSettings(data: string, change: SettingsChange = {}): HubSettings {
  const settings: HubSettings = {
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'https://hub.example',
    casUrl: 'https://cas.example/r/{repo}/{ref}',
    data,
    database: 'sqlite:latchkey.db',
    directDatabase: undefined,
    stalenessSeconds: 5,
    demo: false,
    masterKey: undefined,
    token: { lifetimeSeconds: 900, algorithm: 'ES256' },
    keys: { rotationDays: 90 },
    hubTokenPrefix: 'lk_',
    hidePrivateRepositories: false,
    anonymousPublicRead: false,
    compat: { huggingface: false },
    cors: { origins: [], allowAnonymousAnyOrigin: false },
    trustedProxies: [],
    allowedHosts: [],
    limits: { requestsPerMinute: 6000, failuresPerMinute: 300, connections: 10_000 },
    operations: { port: undefined, host: '127.0.0.1' },
    journal: { retentionDays: 0 },
    revoke: { enabled: true, partnerKeys: undefined },
    log: { level: 'debug' },
    stopDeadlineSeconds: 5,
  }
  const merged = Object.entries(change).map(([key, value]) => {
    const group = settings[key as keyof HubSettings]
    const isGroup = typeof value === 'object' && value !== null && value.constructor === Object
    // A database may be a text, which would leave its letters in the group.
    return [key, isGroup && typeof group !== 'string' ? { ...(group as object), ...value } : value]
  })
  return { ...settings, ...Object.fromEntries(merged) }
}

/** A hash that stands for a commit in tests. */
export function commit(digit: string): string {
  return digit.repeat(40)
}
