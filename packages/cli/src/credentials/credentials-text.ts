/** Logins as the text of their file, and back. */

import { readJson } from '@latchkey/hub'
import { isServiceUrl, type Secret } from '@latchkey/protocol'
import { z } from 'zod'
import type { Credentials } from './credentials.ts'
import { parseHubToken } from './hub-token.ts'

const hubToken = z.string().transform((text, context): Secret<'hub-token'> => {
  const token = parseHubToken(text)
  if (token !== undefined) return token
  context.addIssue('not a hub token')
  return z.NEVER
})

const form = z
  .strictObject({
    current: z.string().optional(),
    hubs: z.record(z.string().refine(isServiceUrl), z.strictObject({ hubToken })),
  })
  .refine(({ current, hubs }) => current === undefined || Object.hasOwn(hubs, current))

/** Undefined for anything that we would not have written. */
export function parseCredentials(text: string): Credentials | undefined {
  const read = readJson(text)
  const { data } = form.safeParse('value' in read ? read.value : undefined)
  if (data === undefined) return undefined
  const tokens = Object.entries(data.hubs).map(([url, { hubToken }]) => [url, hubToken] as const)
  return { current: data.current, tokens: new Map(tokens) }
}

export function formatCredentials({ current, tokens }: Credentials): string {
  const hubs = Array.from(tokens, ([url, token]) => [url, { hubToken: token.reveal() }])
  return `${JSON.stringify({ current, hubs: Object.fromEntries(hubs) }, undefined, 2)}\n`
}
