/** Every verb of the directory. The command, the admin API and its documentation are made from this table. */

import type { ZodObject, z } from 'zod'
import type { AdminScope } from '../input/words.ts'
import {
  createAccount,
  deleteAccount,
  endIdentities,
  linkAccount,
  listAccounts,
  listIdentities,
  setAccount,
  showAccount,
  unlinkAccount,
} from '../nouns/accounts.ts'
import { apply } from '../nouns/apply.ts'
import { listChanges } from '../nouns/changes.ts'
import { listCommits, recordCommit } from '../nouns/commits.ts'
import { explain, explainSignIn } from '../nouns/explain.ts'
import { adoptForge } from '../nouns/forge.ts'
import {
  createHubToken,
  listHubTokens,
  revokeHubToken,
  setHubToken,
  showHubToken,
} from '../nouns/hub-tokens.ts'
import { listKeys, retireKey, rotateKeys } from '../nouns/keys.ts'
import {
  createNamespace,
  deleteNamespace,
  listNamespaces,
  setNamespace,
  showNamespace,
} from '../nouns/namespaces.ts'
import {
  createPublisher,
  deletePublisher,
  explainPublisher,
  listPublishers,
  listRefusedExchanges,
  setPublisher,
  showPublisher,
} from '../nouns/publishers.ts'
import { deleteRefRule, listRefRules, setRefRule } from '../nouns/ref-rules.ts'
import { deleteRef, listRefs, setRef, showRef, updateRefs } from '../nouns/refs.ts'
import {
  createRepository,
  deleteRepository,
  listRepositories,
  moveRepositoryStorage,
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
import type { Says } from '../nouns/says.ts'
import {
  createTeam,
  deleteTeam,
  deleteTeamGroup,
  deleteTeamMember,
  deleteTeamRole,
  listTeamGroups,
  listTeamMembers,
  listTeamRoles,
  listTeams,
  setTeam,
  setTeamGroup,
  setTeamMember,
  setTeamRole,
  showTeam,
} from '../nouns/teams.ts'

// biome-ignore format: a table is read by its columns
const table = {
  'account create':      row('account',    'POST /accounts',                                             'name',                     createAccount),
  'account list':        row('account',    'GET /accounts',                                              '',                         listAccounts),
  'account show':        row('account',    'GET /accounts/{account}',                                    'account',                  showAccount),
  'account set':         row('account',    'PATCH /accounts/{account}',                                  'account',                  setAccount),
  'account delete':      row('account',    'DELETE /accounts/{account}',                                 'account',                  deleteAccount),

  'account link':        row('hub-token',  'POST /accounts/{account}/identities',                        'account',                  linkAccount),
  'account unlink':      row('hub-token',  'POST /accounts/{account}/identities/unlink',                 'account',                  unlinkAccount),
  'identity end':        row('hub-token',  'POST /identity-providers/{provider}/end',                    'provider',                 endIdentities),
  'identity list':       row('hub-token',  'GET /accounts/{account}/identities',                         'account',                  listIdentities),

  'namespace create':    row('namespace',  'POST /namespaces',                                           'name',                     createNamespace),
  'namespace list':      row('namespace',  'GET /namespaces',                                            '',                         listNamespaces),
  'namespace show':      row('namespace',  'GET /namespaces/{namespace}',                                'namespace',                showNamespace),
  'namespace set':       row('namespace',  'PATCH /namespaces/{namespace}',                              'namespace',                setNamespace),
  'namespace delete':    row('namespace',  'DELETE /namespaces/{namespace}',                             'namespace',                deleteNamespace),

  'member set':          row('namespace',  'PUT /namespaces/{namespace}/members/{account}',              'namespace account role',   setMember),
  'member list':         row('namespace',  'GET /namespaces/{namespace}/members',                        'namespace',                listMembers),
  'member delete':       row('namespace',  'DELETE /namespaces/{namespace}/members/{account}',           'namespace account',        deleteMember),

  'team create':         row('namespace',   'POST /namespaces/{namespace}/teams',                            'namespace team',           createTeam),
  'team list':           row('namespace',   'GET /namespaces/{namespace}/teams',                             'namespace',                listTeams),
  'team show':           row('namespace',   'GET /namespaces/{namespace}/teams/{team}',                      'namespace team',           showTeam),
  'team set':            row('namespace',   'PATCH /namespaces/{namespace}/teams/{team}',                    'namespace team',           setTeam),
  'team delete':         row('namespace',   'DELETE /namespaces/{namespace}/teams/{team}',                   'namespace team',           deleteTeam),

  'team-member set':     row('namespace',   'PUT /namespaces/{namespace}/teams/{team}/members/{account}',    'namespace team account',   setTeamMember),
  'team-member list':    row('namespace',   'GET /namespaces/{namespace}/teams/{team}/members',              'namespace team',           listTeamMembers),
  'team-member delete':  row('namespace',   'DELETE /namespaces/{namespace}/teams/{team}/members/{account}', 'namespace team account',   deleteTeamMember),

  'team-group set':      row('namespace',   'PUT /namespaces/{namespace}/teams/{team}/groups/{provider}/{group}',    'namespace team provider group', setTeamGroup),
  'team-group list':     row('namespace',   'GET /namespaces/{namespace}/teams/{team}/groups',                       'namespace team',                listTeamGroups),
  'team-group delete':   row('namespace',   'DELETE /namespaces/{namespace}/teams/{team}/groups/{provider}/{group}', 'namespace team provider group', deleteTeamGroup),

  'repo create':         row('repository', 'POST /repositories',                                         'repository',               createRepository),
  'repo list':           row('repository', 'GET /repositories',                                          '',                         listRepositories),
  'repo show':           row('repository', 'GET /repositories/{repository}',                             'repository',               showRepository),
  'repo set':            row('repository', 'PATCH /repositories/{repository}',                           'repository',               setRepository),
  'repo move-storage':   row('repository', 'POST /repositories/{repository}/storage',                    'repository',               moveRepositoryStorage),
  'repo delete':         row('repository', 'DELETE /repositories/{repository}',                          'repository',               deleteRepository),

  'collaborator set':    row('repository', 'PUT /repositories/{repository}/collaborators/{account}',     'repository account role',  setCollaborator),
  'collaborator list':   row('repository', 'GET /repositories/{repository}/collaborators',               'repository',               listCollaborators),
  'collaborator delete': row('repository', 'DELETE /repositories/{repository}/collaborators/{account}',  'repository account',       deleteCollaborator),

  'team-role set':       row('repository',  'PUT /repositories/{repository}/teams/{team}',                   'repository team role',     setTeamRole),
  'team-role list':      row('repository',  'GET /repositories/{repository}/teams',                          'repository',               listTeamRoles),
  'team-role delete':    row('repository',  'DELETE /repositories/{repository}/teams/{team}',                'repository team',          deleteTeamRole),

  'ref-rule set':        row('repository', 'PUT /repositories/{repository}/ref-rules/{pattern}',         'repository pattern write', setRefRule),
  'ref-rule list':       row('repository', 'GET /repositories/{repository}/ref-rules',                   'repository',               listRefRules),
  'ref-rule delete':     row('repository', 'DELETE /repositories/{repository}/ref-rules/{pattern}',      'repository pattern',       deleteRefRule),

  'publisher create':    row('repository', 'POST /repositories/{repository}/publishers',                 'repository publisher',     createPublisher),
  'publisher list':      row('repository', 'GET /repositories/{repository}/publishers',                  'repository',               listPublishers),
  'publisher show':      row('repository', 'GET /repositories/{repository}/publishers/{publisher}',      'repository publisher',     showPublisher),
  'publisher set':       row('repository', 'PATCH /repositories/{repository}/publishers/{publisher}',    'repository publisher',     setPublisher),
  'publisher delete':    row('repository', 'DELETE /repositories/{repository}/publishers/{publisher}',   'repository publisher',     deletePublisher),
  'publisher refusals':  row('repository', 'GET /repositories/{repository}/refused-exchanges',           'repository',               listRefusedExchanges),
  'publisher explain':   row('repository', 'GET /repositories/{repository}/explain-exchange',            'repository',               explainPublisher),

  'forge adopt':         row('repository', 'PUT /forge',                                                 'forge',                    adoptForge),

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
  'explain sign-in':     row('explain',    'GET /explain/sign-in/{provider}',                            'provider',                 explainSignIn),
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
