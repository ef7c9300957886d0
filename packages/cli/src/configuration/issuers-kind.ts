/** Platforms whose id tokens the hub takes: their URLs, or in the file objects with more of them. */

import type { PublisherPreset } from '@latchkey/admin-api'
import type { IssuerSettings } from '@latchkey/hub'
import { isLoopback, isServiceUrl } from '@latchkey/protocol'
import { membersOf, textOf } from '../reading/members-of.ts'
import type { Kind } from './kind.ts'

/** Written out, because a client's command loads this file, and not the table of the admin API. */
const presets: readonly PublisherPreset[] = ['github', 'gitlab', 'other']
const usualMaxAgeSeconds = 3600
const maxMaxAgeSeconds = 24 * 3600

export const issuers: Kind<readonly IssuerSettings[]> = {
  placeholder: 'issuers',
  allowed: `https://token.actions.githubusercontent.com and https://gitlab.com, separated by commas; for another platform, also your own GitLab or GitHub, an object in the configuration file: {"issuer": the https URL in iss, "preset": ${presets.join(' or ')}}, with "maxAgeSeconds": 60 to ${maxMaxAgeSeconds} and "allowPrivateAddresses": true if you need them`,
  fromText: (text) => text.split(',').map((item) => item.trim()),
  read(value) {
    if (!Array.isArray(value)) return undefined
    const all = value.map(readIssuer)
    const isUnique = new Set(all.map((one) => one?.issuer)).size === all.length
    return isUnique && all.every((one) => one !== undefined) ? all : undefined
  },
}

function readIssuer(value: unknown): IssuerSettings | undefined {
  const members = typeof value === 'string' ? { issuer: value } : membersOf(value)
  const {
    issuer: url,
    preset: word,
    maxAgeSeconds = usualMaxAgeSeconds,
    allowPrivateAddresses = false,
    allowPlainHttp = false,
    ...more
  } = members
  const issuer = textOf(url)
  if (issuer === undefined || !isServiceUrl(issuer) || Object.keys(more).length > 0)
    return undefined
  const preset = word === undefined ? wellKnown[issuer] : presets.find((one) => one === word)
  const isSafe = issuer.startsWith('https:') || (allowPlainHttp === true && isLocal(issuer))
  if (preset === undefined || !isSafe || !isAge(maxAgeSeconds)) return undefined
  if (typeof allowPrivateAddresses !== 'boolean' || typeof allowPlainHttp !== 'boolean') {
    return undefined
  }
  return { issuer, preset, maxAgeSeconds, allowPrivateAddresses, allowPlainHttp }
}

function isLocal(issuer: string): boolean {
  return isLoopback(new URL(issuer).hostname)
}

function isAge(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 60 && Number(value) <= maxMaxAgeSeconds
}

/**
 * Only of platforms that everybody knows. With a wrong preset a rule would compare names, which can be given to another
 * project.
 */
const wellKnown: Readonly<Record<string, PublisherPreset>> = {
  'https://token.actions.githubusercontent.com': 'github',
  'https://gitlab.com': 'gitlab',
}
