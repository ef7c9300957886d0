/**
 * Lists the handler of each operation, which runs in its transaction. A missing one does not
 * compile; `apply` has several.
 */

import type { Words } from '@latchkey/admin-api'
import { explainSignIn } from '../sign-in/explain-sign-in.ts'
import {
  createAccount,
  deleteAccount,
  listAccounts,
  setAccount,
  showAccount,
} from '../verbs/accounts.ts'
import { listChanges } from '../verbs/changes.ts'
import { listCommits, recordCommit } from '../verbs/commits.ts'
import type { Does } from '../verbs/does.ts'
import { explain } from '../verbs/explain.ts'
import { explainPublisher } from '../verbs/explain-exchange.ts'
import { adoptForge } from '../verbs/forge.ts'
import {
  createHubToken,
  listHubTokens,
  revokeHubToken,
  setHubToken,
  showHubToken,
} from '../verbs/hub-tokens.ts'
import { endIdentities, linkAccount, listIdentities, unlinkAccount } from '../verbs/identities.ts'
import { listKeys, retireKey, rotateKeys } from '../verbs/keys.ts'
import { moveRepositoryStorage } from '../verbs/move-storage.ts'
import {
  createNamespace,
  deleteNamespace,
  listNamespaces,
  setNamespace,
  showNamespace,
} from '../verbs/namespaces.ts'
import {
  createPublisher,
  deletePublisher,
  listPublishers,
  listRefusedExchanges,
  setPublisher,
  showPublisher,
} from '../verbs/publishers.ts'
import { deleteRefRule, listRefRules, setRefRule } from '../verbs/ref-rules.ts'
import { deleteRef, listRefs, setRef, showRef } from '../verbs/refs.ts'
import {
  createRepository,
  deleteRepository,
  listRepositories,
  setRepository,
  showRepository,
} from '../verbs/repositories.ts'
import {
  revokeToken,
  revokeTokensOfAccount,
  revokeTokensOfHubToken,
  revokeTokensOfRef,
  revokeTokensOfRepository,
} from '../verbs/revoke.ts'
import {
  deleteCollaborator,
  deleteMember,
  listCollaborators,
  listMembers,
  setCollaborator,
  setMember,
} from '../verbs/roles.ts'
import { deleteTeamGroup, listTeamGroups, setTeamGroup } from '../verbs/team-groups.ts'
import {
  createTeam,
  deleteTeam,
  deleteTeamMember,
  deleteTeamRole,
  listTeamMembers,
  listTeamRoles,
  listTeams,
  setTeam,
  setTeamMember,
  setTeamRole,
  showTeam,
} from '../verbs/teams.ts'
import { updateRefs } from '../verbs/update-refs.ts'

// biome-ignore format: a table is read by its columns
export const handlers: { readonly [Verb in Exclude<Words, 'apply'>]: Does<Verb> } = {
  'account create':      createAccount,
  'account list':        listAccounts,
  'account show':        showAccount,
  'account set':         setAccount,
  'account delete':      deleteAccount,
  'account link':        linkAccount,
  'account unlink':      unlinkAccount,
  'identity end':        endIdentities,
  'identity list':       listIdentities,
  'namespace create':    createNamespace,
  'namespace list':      listNamespaces,
  'namespace show':      showNamespace,
  'namespace set':       setNamespace,
  'namespace delete':    deleteNamespace,
  'member set':          setMember,
  'member list':         listMembers,
  'member delete':       deleteMember,
  'team create':         createTeam,
  'team list':           listTeams,
  'team show':           showTeam,
  'team set':            setTeam,
  'team delete':         deleteTeam,
  'team-member set':     setTeamMember,
  'team-member list':    listTeamMembers,
  'team-member delete':  deleteTeamMember,
  'team-group set':      setTeamGroup,
  'team-group list':     listTeamGroups,
  'team-group delete':   deleteTeamGroup,
  'repo create':         createRepository,
  'repo list':           listRepositories,
  'repo show':           showRepository,
  'repo set':            setRepository,
  'repo move-storage':   moveRepositoryStorage,
  'repo delete':         deleteRepository,
  'collaborator set':    setCollaborator,
  'collaborator list':   listCollaborators,
  'collaborator delete': deleteCollaborator,
  'team-role set':       setTeamRole,
  'team-role list':      listTeamRoles,
  'team-role delete':    deleteTeamRole,
  'ref-rule set':        setRefRule,
  'ref-rule list':       listRefRules,
  'ref-rule delete':     deleteRefRule,
  'publisher create':    createPublisher,
  'publisher list':      listPublishers,
  'publisher show':      showPublisher,
  'publisher set':       setPublisher,
  'publisher delete':    deletePublisher,
  'publisher refusals':  listRefusedExchanges,
  'publisher explain':   explainPublisher,
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
  'forge adopt':         adoptForge,

  'keys list':           listKeys,
  'keys rotate':         rotateKeys,
  'keys retire':         retireKey,
  'changes':             listChanges,
  'explain':             explain,
  'explain sign-in':     explainSignIn,
}
