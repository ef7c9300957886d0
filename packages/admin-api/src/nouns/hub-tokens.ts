/** Hub tokens: made with a secret that is shown once, changed, revoked, never deleted. */

import { Secret } from '@latchkey/protocol'
import { z } from 'zod'
import { expiry, grant, grants } from '../input/grants.ts'
import {
  adminScopeList,
  hubTokenId,
  hubTokenKind,
  hubTokenOrigin,
  managedNamespaces,
  moment,
  name,
  pageOf,
  paging,
  storageName,
} from '../input/words.ts'
import { account } from './accounts.ts'
import { says } from './says.ts'

/** Inside it is a `Secret`; only parsing an answer by its output schema turns it into text. */
export const shownOnce = z
  .custom<Secret<'hub-token'>>((value) => value instanceof Secret && value.kind === 'hub-token')
  .transform((token) => token.reveal())
  .pipe(z.string())
  .meta({ format: 'password', readOnly: true })

const hubToken = z.object({
  id: z.string(),
  account: z.string(),
  name: z.string(),
  kind: hubTokenKind,
  origin: hubTokenOrigin.describe(
    'How it came to be: by an administrator, by its own account, by a sign-in, by a device login, or for a CI job.',
  ),
  hint: z.string().describe('The last characters of its random part, to tell tokens apart.'),
  grants: z.array(grant).optional(),
  adminScopes: z.array(z.string()).optional(),
  namespaces: z.array(z.string()).optional(),
  storage: z.string().optional(),
  createdAt: moment,
  expiresAt: moment.optional(),
  revokedAt: moment.optional(),
  lastUsedAt: moment.optional(),
})

const namedToken = hubTokenId.describe('The id of the hub token, as the list shows it.')
const described = {
  grants: grants
    .optional()
    .describe('For fine-grained: where it may read or write; replaces the earlier grants.'),
  adminScopes: adminScopeList
    .optional()
    .describe('For admin: the admin scopes that limit it; without them, it may do everything.'),
  expiresAt: expiry
    .optional()
    .describe('When it ends: a time with its zone such as 2027-01-01T00:00:00Z, or never.'),
}

export const createHubToken = says({
  summary: 'Create a hub token for an account; its secret is shown only once.',
  input: z.strictObject({
    account: name.describe('The account of the hub token.'),
    name: name.describe('The name of the hub token, such as laptop or ci.'),
    kind: hubTokenKind.describe(
      'read or write: wherever the account may; fine-grained: as its grants allow; admin: manages this hub; storage: for a separate storage, and forge: for a separate forge, both without access to content.',
    ),
    storage: storageName
      .optional()
      .describe('For storage: the storage that uses it; without it, the storage "default".'),
    namespaces: managedNamespaces
      .optional()
      .describe(
        'For admin: manages only these namespaces, where the account has the role admin; it need not be an administrator of the hub.',
      ),
    ...described,
  }),
  output: hubToken.extend({
    token: shownOnce.describe('The hub token itself. It is not stored and not shown again.'),
  }),
})

export const showHubToken = says({
  summary: 'Show one hub token, without its secret.',
  input: z.strictObject({ hubToken: namedToken }),
  output: hubToken,
})

export const listHubTokens = says({
  summary: 'List hub tokens, the oldest first, without their secrets.',
  input: z.strictObject({
    account: name.optional().describe('Only the hub tokens of this account.'),
    state: z
      .enum(['live', 'revoked', 'all'])
      .default('live')
      .describe('live: not revoked; revoked: only those; all: both.'),
    hint: z
      .string()
      .regex(/^[A-Za-z0-9]{4}$/, 'must be the four characters that a list shows as hint')
      .optional()
      .describe('Only hub tokens with this hint: the last four characters before the checksum.'),
    ...paging,
  }),
  output: pageOf(hubToken),
})

export const setHubToken = says({
  summary: 'Change the grants, the admin scopes or the expiry of a hub token; its secret stays.',
  input: z.strictObject({ hubToken: namedToken, ...described }),
  output: hubToken,
})

export const revokeHubToken = says({
  summary: 'Revoke a hub token for good.',
  input: z.strictObject({ hubToken: namedToken }),
  output: hubToken,
})

export const whoami = z.object({
  account: account.pick({ name: true, kind: true, administrator: true }),
  hubToken,
})

export type Whoami = z.output<typeof whoami>
