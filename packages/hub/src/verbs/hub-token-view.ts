/** Hub tokens as they are found and shown, never with their secret. */

import { grants, hubTokenKind, type Whoami } from '@latchkey/admin-api'
import {
  formatTime,
  type HubTokenId,
  type Refusal,
  refuse,
  type UnixSeconds,
} from '@latchkey/protocol'
import { z } from 'zod'
import type { Reading } from '../tables/directory.ts'
import { type OwnedHubTokenRow, ownedHubTokens } from '../tables/owned-hub-tokens.ts'
import type { HubTokenRow } from '../tables/rows.ts'

export function findHubToken(
  tables: Reading,
  id: HubTokenId,
): Promise<OwnedHubTokenRow | undefined> {
  return ownedHubTokens(tables).where('hub_tokens.id', '=', id).executeTakeFirst()
}

export function groupsOf({ verb_groups }: HubTokenRow): string[] | undefined {
  return verb_groups === null ? undefined : z.array(z.string()).parse(JSON.parse(verb_groups))
}

export function noHubToken(): Refusal {
  return refuse(
    'resource_not_found',
    'There is no hub token with this id. List the hub tokens to see their ids.',
    { next: ['hub-token', 'list'] },
  )
}

export function shownHubToken(row: OwnedHubTokenRow): Whoami['hubToken'] {
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    kind: hubTokenKind.parse(row.kind),
    hint: row.hint,
    ...(row.kind === 'fine-grained' ? { grants: grants.parse(JSON.parse(row.grants)) } : {}),
    ...(row.verb_groups === null ? {} : { verbGroups: groupsOf(row) ?? [] }),
    createdAt: time(row.created_at),
    ...(row.expires_at === null ? {} : { expiresAt: time(row.expires_at) }),
    ...(row.revoked_at === null ? {} : { revokedAt: time(row.revoked_at) }),
    ...(row.last_used_at === null ? {} : { lastUsedAt: time(row.last_used_at) }),
  }
}

function time(moment: number): string {
  return formatTime(moment as UnixSeconds)
}
