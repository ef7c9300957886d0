/** Hub tokens that were revoked, end sooner, or carry something else. */

import { grants, verbGroupList } from '@latchkey/admin-api'
import type { z } from 'zod'
import type { HubTokenRow } from '../directory/port/rows.ts'
import { hadNoMore, isSame, notThere, type Repeat, repeated, type Told } from './told.ts'

export const repeatHubToken: Repeat = async ({ tables, put, now }, told) => {
  const before = await tables
    .selectFrom('hub_tokens')
    .selectAll()
    .where('id', '=', told.hub_token_id)
    .executeTakeFirst()
  const account =
    before &&
    (await tables
      .selectFrom('accounts')
      .selectAll()
      .where('id', '=', before.account_id)
      .executeTakeFirst())
  if (before === undefined || account === undefined) return notThere
  const left = what(told, before)
  const after = left ?? { ...before, revoked_at: before.revoked_at ?? now }
  if (isSame(before, after)) return hadNoMore
  await put([{ thing: 'hub-token', before, after, account }])
  if (left !== undefined || isEnd(told)) return repeated
  return { outcome: 'made safe', detail: 'The entry does not say what it carries: it is revoked.' }
}

/** What the hub token is left with; undefined when it has to be revoked. */
function what(told: Told, row: HubTokenRow): HubTokenRow | undefined {
  if (isEnd(told)) return undefined
  const { expiresAt } = told.after
  const end = typeof expiresAt === 'string' ? Math.floor(Date.parse(expiresAt) / 1000) : undefined
  const carried = list(told, 'grants', grants) ?? { text: row.grants }
  const groups = list(told, 'verbGroups', verbGroupList.nullable()) ?? { text: row.verb_groups }
  if (carried.text == null || groups.text === undefined || Number.isNaN(end)) return undefined
  return {
    ...row,
    grants: carried.text,
    verb_groups: groups.text,
    expires_at: end === undefined ? row.expires_at : Math.min(end, row.expires_at ?? end),
  }
}

function isEnd({ did }: Told): boolean {
  return did === 'revoked' || did === 'deleted'
}

/** Undefined when the entry is not about the list; without a text when the entry keeps only its length. */
function list(
  { after }: Told,
  name: string,
  kind: z.ZodType,
): { readonly text: string | null | undefined } | undefined {
  if (!(name in after)) return undefined
  const { success, data } = kind.safeParse(after[name])
  return { text: success ? (data === null ? null : JSON.stringify(data)) : undefined }
}
