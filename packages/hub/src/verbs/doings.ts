/** What each verb does in its transaction; every verb but `apply`, which has several, is here, or this does not compile. */

import type { Words } from '@latchkey/admin-api'
import {
  createAccount,
  deleteAccount,
  listAccounts,
  setAccount,
  showAccount,
} from '../directory/nouns/accounts.ts'
import { listChanges } from '../directory/nouns/changes.ts'
import { listCommits, recordCommit } from '../directory/nouns/commits.ts'
import type { Does } from '../directory/nouns/does.ts'
import { explain } from '../directory/nouns/explain.ts'
import {
  createHubToken,
  listHubTokens,
  revokeHubToken,
  setHubToken,
  showHubToken,
} from '../directory/nouns/hub-tokens.ts'
import { listKeys, retireKey, rotateKeys } from '../directory/nouns/keys.ts'
import {
  createNamespace,
  deleteNamespace,
  listNamespaces,
  showNamespace,
} from '../directory/nouns/namespaces.ts'
import { deleteRefRule, listRefRules, setRefRule } from '../directory/nouns/ref-rules.ts'
import { deleteRef, listRefs, setRef, showRef } from '../directory/nouns/refs.ts'
import {
  createRepository,
  deleteRepository,
  listRepositories,
  setRepository,
  showRepository,
} from '../directory/nouns/repositories.ts'
import {
  revokeToken,
  revokeTokensOfAccount,
  revokeTokensOfHubToken,
  revokeTokensOfRef,
  revokeTokensOfRepository,
} from '../directory/nouns/revoke.ts'
import {
  deleteCollaborator,
  deleteMember,
  listCollaborators,
  listMembers,
  setCollaborator,
  setMember,
} from '../directory/nouns/roles.ts'
import { updateRefs } from '../directory/nouns/update-refs.ts'

// biome-ignore format: a table is read by its columns
export const doings: { readonly [Verb in Exclude<Words, 'apply'>]: Does<Verb> } = {
  'account create':      createAccount,
  'account list':        listAccounts,
  'account show':        showAccount,
  'account set':         setAccount,
  'account delete':      deleteAccount,
  'namespace create':    createNamespace,
  'namespace list':      listNamespaces,
  'namespace show':      showNamespace,
  'namespace delete':    deleteNamespace,
  'member set':          setMember,
  'member list':         listMembers,
  'member delete':       deleteMember,
  'repo create':         createRepository,
  'repo list':           listRepositories,
  'repo show':           showRepository,
  'repo set':            setRepository,
  'repo delete':         deleteRepository,
  'collaborator set':    setCollaborator,
  'collaborator list':   listCollaborators,
  'collaborator delete': deleteCollaborator,
  'ref-rule set':        setRefRule,
  'ref-rule list':       listRefRules,
  'ref-rule delete':     deleteRefRule,
  'ref set':             setRef,
  'ref list':            listRefs,
  'ref show':            showRef,
  'ref update':          updateRefs,
  'ref delete':          deleteRef,
  'commit record':       recordCommit,
  'commit list':         listCommits,
  'hub-token create':    createHubToken,
  'hub-token list':      listHubTokens,
  'hub-token show':      showHubToken,
  'hub-token set':       setHubToken,
  'hub-token revoke':    revokeHubToken,
  'revoke token':        revokeToken,
  'revoke hub-token':    revokeTokensOfHubToken,
  'revoke account':      revokeTokensOfAccount,
  'revoke repository':   revokeTokensOfRepository,
  'revoke ref':          revokeTokensOfRef,
  'keys list':           listKeys,
  'keys rotate':         rotateKeys,
  'keys retire':         retireKey,
  'changes':             listChanges,
  'explain':             explain,
}
