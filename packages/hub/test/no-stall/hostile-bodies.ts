/** Bodies that are slow to read, for every route of the admin API and of the link that takes one. */

import { adminPrefix, hasBody, linkPrefix, verbs } from '@latchkey/admin-api'
import { filled, type HostileRequest } from '@latchkey/testing/stalls/hostile-request'
import { exampleOf } from '../admin/example-path.ts'

const kib = 1024

/** Each as the value of a member. */
const values = {
  shapes: (bytes: number) => `[${filled(bytes, (at) => `{"k${at.toString(36)}":1}`)}]`,
  members: (bytes: number) => `{${filled(bytes, (at) => `"k${at.toString(36)}":1`)}}`,
  numbers: (bytes: number) => `[${filled(bytes, () => '1')}]`,
  deep: (bytes: number) => '['.repeat(bytes),
  nested: (bytes: number) => `[${filled(bytes, () => `${'['.repeat(40)}${']'.repeat(40)}`)}]`,
  escapes: (bytes: number) => `"${'\\u0041'.repeat(bytes / 6)}"`,
  slashes: (bytes: number) => `"${'\\\\'.repeat(bytes / 2)}"`,
  lines: (bytes: number) => '\n'.repeat(bytes),
}

const farAbove = values.members(4090 * kib)

/** Where more than a few KiB are read: in which member, and how many. */
const longer: Readonly<Record<string, readonly [member: string, bytes: number]>> = {
  [`${adminPrefix}/apply`]: ['file', 500 * kib],
  [`${adminPrefix}/repositories/models/acme/bert/refs`]: ['updates', 2000 * kib],
  [`${adminPrefix}/repositories/models/acme/bert/commits`]: ['refs', 500 * kib],
  [`${adminPrefix}/hub-tokens`]: ['grants', 500 * kib],
  [`${linkPrefix}/epochs`]: ['repositories', 120 * kib],
  [`${linkPrefix}/places`]: ['uids', 120 * kib],
}

export function hostileRoutes(): readonly string[] {
  const admin = verbs.filter((verb) => hasBody(verb))
  return [
    ...admin.map((verb) => `${verb.method} ${adminPrefix}${exampleOf(verb)}`),
    `POST ${linkPrefix}/epochs`,
    `POST ${linkPrefix}/places`,
  ]
}

/** Just below the bound of the route, and far above where the bound is high. */
export function hostileRequests(route: string): readonly HostileRequest[] {
  const [method = '', path = ''] = route.split(' ')
  const found = longer[path]
  const [member, bytes] = found ?? ['name', 60 * kib]
  // All routes share one reader for each prefix: one route of each gets every kind of body.
  const isEveryKind = path.endsWith('/apply') || path.endsWith('/epochs')
  const makers = isEveryKind ? Object.values(values) : [values.shapes, values.members]
  const bodies = makers.map((make) => make(bytes))
  if (found !== undefined) bodies.push(farAbove)
  return bodies.map((value) => ({
    ...{ method, path, type: 'application/json', body: `{"${member}":${value}}` },
  }))
}

/** The largest is that of an operator who applies a file. */
export function ordinaryRequests(route: string): readonly HostileRequest[] {
  const [method = '', path = ''] = route.split(' ')
  const accounts = Array.from({ length: 1000 }, (_, at) => ({ name: `account-${at}` }))
  const body = path.endsWith('/apply') ? { file: { accounts }, dryRun: true } : { name: 1 }
  return [{ method, path, type: 'application/json', body: JSON.stringify(body) }]
}
