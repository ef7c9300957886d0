/** Every verb of the directory. The command, the admin API and its documentation are made from this table. */

import {
  createAccount,
  deleteAccount,
  listAccounts,
  setAccount,
  showOneAccount,
} from '../directory/accounts.ts'
import { apply } from '../directory/apply/apply.ts'
import {
  deleteCollaborator,
  listCollaborators,
  setCollaborator,
} from '../directory/collaborators.ts'
import { listCommits, recordCommit } from '../directory/commits.ts'
import { explain } from '../directory/explain.ts'
import {
  createHubToken,
  listHubTokens,
  revokeHubToken,
  setHubToken,
  showOneHubToken,
} from '../directory/hub-tokens.ts'
import { listKeys } from '../directory/keys.ts'
import { deleteMember, listMembers, setMember } from '../directory/members.ts'
import {
  createNamespace,
  deleteNamespace,
  listNamespaces,
  showOneNamespace,
} from '../directory/namespaces.ts'
import type { Operation } from '../directory/operation.ts'
import { deleteRefRule, listRefRules, setRefRule } from '../directory/ref-rules.ts'
import { createRef, deleteRef, listRefs, setRef, showOneRef } from '../directory/refs.ts'
import {
  createRepository,
  deleteRepository,
  listRepositories,
  setRepository,
  showOneRepository,
} from '../directory/repositories.ts'
import type { Verb } from '../directory/verb.ts'

type Route = `${Verb['method']} /${string}`

// biome-ignore format: a table is read by its columns
export const verbs: readonly Verb[] = [
  row('account create',      'account',    'POST /accounts',                                           'name',                     createAccount),
  row('account list',        'account',    'GET /accounts',                                            '',                         listAccounts),
  row('account show',        'account',    'GET /accounts/{account}',                                  'account',                  showOneAccount),
  row('account set',         'account',    'PATCH /accounts/{account}',                                'account',                  setAccount),
  row('account delete',      'account',    'DELETE /accounts/{account}',                               'account',                  deleteAccount),

  row('namespace create',    'namespace',  'POST /namespaces',                                         'name',                     createNamespace),
  row('namespace list',      'namespace',  'GET /namespaces',                                          '',                         listNamespaces),
  row('namespace show',      'namespace',  'GET /namespaces/{namespace}',                              'namespace',                showOneNamespace),
  row('namespace delete',    'namespace',  'DELETE /namespaces/{namespace}',                           'namespace',                deleteNamespace),

  row('member set',          'namespace',  'PUT /namespaces/{namespace}/members/{account}',            'namespace account role',   setMember),
  row('member list',         'namespace',  'GET /namespaces/{namespace}/members',                      'namespace',                listMembers),
  row('member delete',       'namespace',  'DELETE /namespaces/{namespace}/members/{account}',         'namespace account',        deleteMember),

  row('repo create',         'repository', 'POST /repositories',                                       'repository',               createRepository),
  row('repo list',           'repository', 'GET /repositories',                                        '',                         listRepositories),
  row('repo show',           'repository', 'GET /repositories/{repository}',                           'repository',               showOneRepository),
  row('repo set',            'repository', 'PATCH /repositories/{repository}',                         'repository',               setRepository),
  row('repo delete',         'repository', 'DELETE /repositories/{repository}',                        'repository',               deleteRepository),

  row('collaborator set',    'repository', 'PUT /repositories/{repository}/collaborators/{account}',   'repository account role',  setCollaborator),
  row('collaborator list',   'repository', 'GET /repositories/{repository}/collaborators',             'repository',               listCollaborators),
  row('collaborator delete', 'repository', 'DELETE /repositories/{repository}/collaborators/{account}', 'repository account',      deleteCollaborator),

  row('ref-rule set',        'repository', 'PUT /repositories/{repository}/ref-rules/{pattern}',       'repository pattern write', setRefRule),
  row('ref-rule list',       'repository', 'GET /repositories/{repository}/ref-rules',                 'repository',               listRefRules),
  row('ref-rule delete',     'repository', 'DELETE /repositories/{repository}/ref-rules/{pattern}',    'repository pattern',       deleteRefRule),

  row('ref create',          'ref',        'POST /repositories/{repository}/refs',                     'repository ref',           createRef),
  row('ref list',            'ref',        'GET /repositories/{repository}/refs',                      'repository',               listRefs),
  row('ref show',            'ref',        'GET /repositories/{repository}/refs/{ref}',                'repository ref',           showOneRef),
  row('ref set',             'ref',        'PATCH /repositories/{repository}/refs/{ref}',              'repository ref',           setRef),
  row('ref delete',          'ref',        'DELETE /repositories/{repository}/refs/{ref}',             'repository ref',           deleteRef),

  row('commit record',       'ref',        'POST /repositories/{repository}/commits',                  'repository hash',          recordCommit),
  row('commit list',         'ref',        'GET /repositories/{repository}/commits',                   'repository',               listCommits),

  row('hub-token create',    'hub-token',  'POST /hub-tokens',                                         'account name',             createHubToken),
  row('hub-token list',      'hub-token',  'GET /hub-tokens',                                          '',                         listHubTokens),
  row('hub-token show',      'hub-token',  'GET /hub-tokens/{hubToken}',                               'hubToken',                 showOneHubToken),
  row('hub-token set',       'hub-token',  'PATCH /hub-tokens/{hubToken}',                             'hubToken',                 setHubToken),
  row('hub-token revoke',    'hub-token',  'POST /hub-tokens/{hubToken}/revoke',                       'hubToken',                 revokeHubToken),

  row('keys list',           'keys',       'GET /keys',                                                '',                         listKeys),
  row('explain',             'explain',    'GET /explain',                                             'scope repository revision', explain),
  row('apply',               'apply',      'POST /apply',                                              'file',                     apply),
]

function row(
  words: string,
  group: Verb['group'],
  route: Route,
  positional: string,
  does: Operation,
): Verb {
  const [method, path = ''] = route.split(' ', 2)
  return {
    words,
    group,
    method: method as Verb['method'],
    path,
    positional: positional.split(' ').filter((member) => member !== ''),
    ...does,
  }
}
