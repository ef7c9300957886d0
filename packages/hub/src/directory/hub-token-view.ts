/** Hub tokens as they are found and shown, never with their secret. */

import { formatTime, type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import { z } from 'zod'
import { hubTokenKinds } from '../identity/caller.ts'
import type { Tables } from './directory.ts'
import { grant, grants } from './grants.ts'
import type { HubTokenRow } from './hub-token-rows.ts'
import { moment } from './words.ts'

export const hubTokenKind = z.enum(hubTokenKinds)

/** An id and nothing like a token itself: whoever mixes them up gets no token echoed. */
export const hubTokenId = z
  .string()
  .regex(/^[a-z2-7]{26}$/, 'must be the id of a hub token, as the list shows it; not the token')

export const hubToken = z.object({
  id: z.string(),
  account: z.string(),
  name: z.string(),
  kind: hubTokenKind,
  hint: z.string().describe('The last characters of its random part, to tell tokens apart.'),
  grants: z.array(grant).optional(),
  verbGroups: z.array(z.string()).optional(),
  createdAt: moment,
  expiresAt: moment.optional(),
  revokedAt: moment.optional(),
  lastUsedAt: moment.optional(),
})

export type OwnedHubTokenRow = HubTokenRow & { readonly account: string }

export function findHubToken(tables: Tables, id: string): Promise<OwnedHubTokenRow | undefined> {
  return tables
    .selectFrom('hub_tokens')
    .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
    .selectAll('hub_tokens')
    .select('accounts.name as account')
    .where('hub_tokens.id', '=', id)
    .executeTakeFirst()
}

export function groupsOf({ verb_groups }: HubTokenRow): string[] | undefined {
  return verb_groups === null ? undefined : z.array(z.string()).parse(JSON.parse(verb_groups))
}

export function noHubToken(): Refusal {
  return refuse(
    'resource_not_found',
    'There is no hub token with this id. List the hub tokens to see their ids.',
  )
}

export function showHubToken(row: OwnedHubTokenRow): z.input<typeof hubToken> {
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    kind: hubTokenKind.parse(row.kind),
    hint: row.hint,
    ...(row.kind === 'fine-grained' ? { grants: grants.parse(JSON.parse(row.grants)) } : {}),
    ...(row.verb_groups === null ? {} : { verbGroups: groupsOf(row) }),
    createdAt: time(row.created_at),
    ...(row.expires_at === null ? {} : { expiresAt: time(row.expires_at) }),
    ...(row.revoked_at === null ? {} : { revokedAt: time(row.revoked_at) }),
    ...(row.last_used_at === null ? {} : { lastUsedAt: time(row.last_used_at) }),
  }
}

function time(moment: number): string {
  return formatTime(moment as UnixSeconds)
}
