/** Every verb of the directory. The command, the admin API and its documentation are made from this table. */

import { scopes } from '@latchkey/protocol'
import { type ZodObject, z } from 'zod'
import {
  type AdminScope,
  checked,
  hubTokenId,
  moment,
  name,
  pageOf,
  paging,
  refPattern,
  repository,
  writeRole,
} from '../input/words.ts'
import {
  createAccount,
  deleteAccount,
  listAccounts,
  setAccount,
  showAccount,
} from '../nouns/accounts.ts'
import { apply } from '../nouns/apply.ts'
import { listChanges } from '../nouns/changes.ts'
import { listCommits, recordCommit } from '../nouns/commits.ts'
import {
  createHubToken,
  listHubTokens,
  revokeHubToken,
  setHubToken,
  showHubToken,
} from '../nouns/hub-tokens.ts'
import { listKeys, retireKey, rotateKeys } from '../nouns/keys.ts'
import { deleteRef, listRefs, setRef, showRef, updateRefs } from '../nouns/refs.ts'
import {
  createRepository,
  deleteRepository,
  listRepositories,
  setRepository,
  showRepository,
} from '../nouns/repositories.ts'
import {
  revokeToken,
  revokeTokensOfAccount,
  revokeTokensOfHubToken,
  revokeTokensOfRef,
  revokeTokensOfRepository,
} from '../nouns/revoke.ts'
import {
  deleteCollaborator,
  deleteMember,
  listCollaborators,
  listMembers,
  setCollaborator,
  setMember,
} from '../nouns/roles.ts'
import { type Says, says } from '../nouns/says.ts'

const namedRepository = repository.describe('The repository, such as models/acme/bert.')
const pattern = refPattern.describe(
  'The pattern of the refs: main, release/* or refs/pr/**; a bare pattern means branches, * stays within a segment.',
)

const shown = z.object({ repository: z.string(), pattern: z.string(), write: writeRole })

/** Ref rules: which role writing a matching ref needs. */
const setRefRule = says({
  summary: 'Set the role that writing to the refs of a pattern requires.',
  input: z.strictObject({
    repository: namedRepository,
    pattern,
    write: writeRole.describe('The role that writing requires.'),
  }),
  output: shown,
})

const listRefRules = says({
  summary: 'List the ref rules of a repository.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(shown),
})

const deleteRefRule = says({
  summary: 'Delete the ref rule of a pattern.',
  input: z.strictObject({ repository: namedRepository, pattern }),
  output: z.object({ deleted: z.string().describe('The pattern that has no rule any more.') }),
})

const namedNamespace = name.describe('The name of the namespace.')

const namespace = z.object({ id: z.string(), name: z.string(), createdAt: moment })

/** Namespaces: the first half of a repository's id, and the place where members are. */
const createNamespace = says({
  summary: 'Create a namespace for repositories.',
  input: z.strictObject({
    name: name.describe('The name of the new namespace, unique ignoring case.'),
  }),
  output: namespace,
})

const showNamespace = says({
  summary: 'Show one namespace.',
  input: z.strictObject({ namespace: namedNamespace }),
  output: namespace,
})

const listNamespaces = says({
  summary: 'List the namespaces by name.',
  input: z.strictObject({ ...paging }),
  output: pageOf(namespace),
})

const deleteNamespace = says({
  summary: 'Delete a namespace that holds no repositories any more.',
  input: z.strictObject({ namespace: namedNamespace }),
  output: z.object({ deleted: z.string().describe('The deleted namespace.') }),
})

/** Why a token request would be allowed or refused, step by step. */
const explain = says({
  summary: 'Explain why an account would get a storage token, or why not.',
  input: z.strictObject({
    scope: z.enum(scopes).describe('What the storage token would allow: read or write.'),
    repository: repository.describe('The repository, such as models/acme/bert.'),
    revision: checked((text) => text !== '' && text.length <= 1024, 'must be a revision')
      .optional()
      .describe('A branch, tag, full ref name or full hash; without one, the default branch.'),
    account: name.describe('The account of the request.'),
    hubToken: hubTokenId
      .optional()
      .describe('The id of its hub token; without it, any write token.'),
  }),
  output: z.object({
    allowed: z.boolean(),
    code: z.string().optional().describe('The code of the error.'),
    detail: z.string(),
    steps: z.array(z.object({ step: z.string(), passed: z.boolean(), detail: z.string() })),
  }),
})

// biome-ignore format: a table is read by its columns
const table = {
  'account create':      row('account',    'POST /accounts',                                             'name',                     createAccount),
  'account list':        row('account',    'GET /accounts',                                              '',                         listAccounts),
  'account show':        row('account',    'GET /accounts/{account}',                                    'account',                  showAccount),
  'account set':         row('account',    'PATCH /accounts/{account}',                                  'account',                  setAccount),
  'account delete':      row('account',    'DELETE /accounts/{account}',                                 'account',                  deleteAccount),

  'namespace create':    row('namespace',  'POST /namespaces',                                           'name',                     createNamespace),
  'namespace list':      row('namespace',  'GET /namespaces',                                            '',                         listNamespaces),
  'namespace show':      row('namespace',  'GET /namespaces/{namespace}',                                'namespace',                showNamespace),
  'namespace delete':    row('namespace',  'DELETE /namespaces/{namespace}',                             'namespace',                deleteNamespace),

  'member set':          row('namespace',  'PUT /namespaces/{namespace}/members/{account}',              'namespace account role',   setMember),
  'member list':         row('namespace',  'GET /namespaces/{namespace}/members',                        'namespace',                listMembers),
  'member delete':       row('namespace',  'DELETE /namespaces/{namespace}/members/{account}',           'namespace account',        deleteMember),

  'repo create':         row('repository', 'POST /repositories',                                         'repository',               createRepository),
  'repo list':           row('repository', 'GET /repositories',                                          '',                         listRepositories),
  'repo show':           row('repository', 'GET /repositories/{repository}',                             'repository',               showRepository),
  'repo set':            row('repository', 'PATCH /repositories/{repository}',                           'repository',               setRepository),
  'repo delete':         row('repository', 'DELETE /repositories/{repository}',                          'repository',               deleteRepository),

  'collaborator set':    row('repository', 'PUT /repositories/{repository}/collaborators/{account}',     'repository account role',  setCollaborator),
  'collaborator list':   row('repository', 'GET /repositories/{repository}/collaborators',               'repository',               listCollaborators),
  'collaborator delete': row('repository', 'DELETE /repositories/{repository}/collaborators/{account}',  'repository account',       deleteCollaborator),

  'ref-rule set':        row('repository', 'PUT /repositories/{repository}/ref-rules/{pattern}',         'repository pattern write', setRefRule),
  'ref-rule list':       row('repository', 'GET /repositories/{repository}/ref-rules',                   'repository',               listRefRules),
  'ref-rule delete':     row('repository', 'DELETE /repositories/{repository}/ref-rules/{pattern}',      'repository pattern',       deleteRefRule),

  'ref set':             row('ref',        'PUT /repositories/{repository}/refs/{ref}',                  'repository ref commit',    setRef),
  'ref list':            row('ref',        'GET /repositories/{repository}/refs',                        'repository',               listRefs),
  'ref show':            row('ref',        'GET /repositories/{repository}/refs/{ref}',                  'repository ref',           showRef),
  'ref update':          row('ref',        'POST /repositories/{repository}/refs',                       'repository',               updateRefs),
  'ref delete':          row('ref',        'DELETE /repositories/{repository}/refs/{ref}',               'repository ref',           deleteRef),

  'commit record':       row('ref',        'POST /repositories/{repository}/commits',                    'repository hash',          recordCommit),
  'commit list':         row('ref',        'GET /repositories/{repository}/commits',                     'repository',               listCommits),

  'hub-token create':    row('hub-token',  'POST /hub-tokens',                                           'account name',             createHubToken),
  'hub-token list':      row('hub-token',  'GET /hub-tokens',                                            '',                         listHubTokens),
  'hub-token show':      row('hub-token',  'GET /hub-tokens/{hubToken}',                                 'hubToken',                 showHubToken),
  'hub-token set':       row('hub-token',  'PATCH /hub-tokens/{hubToken}',                               'hubToken',                 setHubToken),
  'hub-token revoke':    row('hub-token',  'POST /hub-tokens/{hubToken}/revoke',                         'hubToken',                 revokeHubToken),

  'revoke token':        row('revoke',     'POST /revocations/token',                                    '',                         revokeToken),
  'revoke hub-token':    row('revoke',     'POST /revocations/hub-tokens/{hubToken}',                    'hubToken',                 revokeTokensOfHubToken),
  'revoke account':      row('revoke',     'POST /revocations/accounts/{account}',                       'account',                  revokeTokensOfAccount),
  'revoke repository':   row('revoke',     'POST /revocations/repositories/{repository}',                'repository',               revokeTokensOfRepository),
  'revoke ref':          row('revoke',     'POST /revocations/repositories/{repository}/refs/{ref}',     'repository ref',           revokeTokensOfRef),

  'keys list':           row('keys',       'GET /keys',                                                  '',                         listKeys),
  'keys rotate':         row('keys',       'POST /keys/rotate',                                          '',                         rotateKeys),
  'keys retire':         row('keys',       'POST /keys/{kid}/retire',                                    'kid',                      retireKey),
  'changes':              row('changes',    'GET /changes',                                              '',                         listChanges),
  'explain':             row('explain',    'GET /explain',                                               'scope repository revision',explain),
  'apply':               row('apply',      'POST /apply',                                                'file',                     apply),
}

export type VerbTable = typeof table
export type Words = keyof VerbTable
export type Verb = VerbRow<Words>

export const verbs: readonly Verb[] = Object.entries(table).map(([words, row]) => ({
  words: words as Words,
  ...row,
}))

function row<Way extends Method, Input extends ZodObject, Output extends z.ZodType>(
  group: AdminScope,
  route: `${Way} /${string}`,
  positional: string,
  says: Says<Input, Output>,
) {
  const [method, path = ''] = route.split(' ', 2)
  const members = positional.split(' ').filter((member) => member !== '')
  return { group, method: method as Way, path, positional: members, ...says }
}

/** One verb of the directory: the row from which its command, its route and its documentation are made. */
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface VerbRow<Words extends string> extends Says {
  /** The words of the command: `account create`. */
  readonly words: Words
  readonly group: AdminScope
  readonly method: Method
  /** Below `/admin/v1`; `{repository}` stands for three segments, as in `models/acme/bert`. */
  readonly path: string
  /** The input members that the command takes as arguments, in order; the others are options. */
  readonly positional: readonly string[]
}
