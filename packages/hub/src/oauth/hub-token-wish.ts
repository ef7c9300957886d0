/**
 * Programs that ask for a hub token of a person's own, as authorization details (RFC 9396): a person approves on `/device`
 * exactly what the request names, and the program gets that hub token once.
 */

import { expiry, grants, hubTokenId, name } from '@latchkey/admin-api'
import { readJson } from '@latchkey/admin-api/read-json'
import { type Refusal, Secret, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { z } from 'zod'
import {
  type HubTokenPolicy,
  type MadeToken,
  type Maker,
  type OwnPlan,
  ownKinds,
  planCreation,
  planRotation,
} from '../sign-in/own-plans.ts'
import type { Reading } from '../tables/directory.ts'
import { findHubToken } from '../verbs/hub-token-view.ts'
import { openAnswer, sealAnswer } from './sealed-answer.ts'

/** A row of a code that strangers can make is short. */
const maxLength = 4096

const create = z.strictObject({
  type: z.literal('hub-token-create'),
  name,
  kind: z.enum(ownKinds),
  grants: grants.optional(),
  expiresAt: expiry.optional(),
})
const rotate = z.strictObject({ type: z.literal('hub-token-rotate'), hubToken: hubTokenId })
const wishes = z.tuple([z.discriminatedUnion('type', [create, rotate])])

export type HubTokenWish = z.output<typeof wishes>[0]

export const wishTypes: readonly string[] = ['hub-token-create', 'hub-token-rotate']

/** Undefined for a text that is no wish; it is kept as it came. */
export function parseWish(text: string): HubTokenWish | undefined {
  if (text.length > maxLength) return undefined
  // Strictly: of a member that is given twice, the page would show one and mean the other.
  const parsed = wishes.safeParse(readJson(text))
  return parsed.success ? parsed.data[0] : undefined
}

interface Judging {
  readonly now: UnixSeconds
  readonly policy: HubTokenPolicy
}

export async function planWish(
  tables: Reading,
  text: string,
  maker: Maker,
  rules: Judging,
): Promise<OwnPlan | Refusal> {
  const wish = parseWish(text)
  if (wish === undefined) throw new Error('the database has a wish that no request can have')
  if (wish.type === 'hub-token-rotate') {
    return planRotation(tables, maker, { id: wish.hubToken, ...rules })
  }
  const expiresAt = (wish.expiresAt?.at ?? undefined) as UnixSeconds | undefined
  return planCreation(tables, maker, { wish: { ...wish, expiresAt }, ...rules })
}

export function sealMade(
  { id, name, kind, token, expiresAt }: MadeToken,
  by: Secret<'device-code'>,
): string {
  return sealAnswer([id, name, kind, token.reveal(), expiresAt ?? null], by)
}

const made = z.tuple([hubTokenId, z.string(), z.enum(ownKinds), z.string(), z.int().nullable()])

export function openMade(sealed: string, by: Secret<'device-code'>): MadeToken {
  const [id, name, kind, token, end] = made.parse(openAnswer(sealed, by))
  const expiresAt = end === null ? undefined : unixSeconds(end)
  return { id, name, kind, token: new Secret('hub-token', token), expiresAt }
}

/** Whether the hub token that is to be repeated was revoked meanwhile. */
export async function isOver(tables: Reading, { id }: MadeToken): Promise<boolean> {
  const row = await findHubToken(tables, id)
  return row === undefined || row.revoked_at !== null
}
