/** One change of one thing in the directory: what it was, what it becomes, and the names around it. */

import type { AccountId, HubTokenId, JournalNumber } from '@latchkey/protocol'
import type { RevocationTarget } from '@latchkey/token'
import type {
  AccountRow,
  CollaboratorRow,
  CommitRow,
  ForgeRow,
  GroupMemberRow,
  HubTokenRow,
  IdentityRow,
  KeyRow,
  MemberRow,
  NamespaceRow,
  NewRefRow,
  PrefixRow,
  PublisherRow,
  RepositoryRow,
  TeamGroupRow,
  TeamMemberRow,
  TeamRoleRow,
  TeamRow,
} from './rows.ts'

/** Created without `before`, deleted without `after`. */
interface RowChange<Thing extends string, Row> {
  readonly thing: Thing
  readonly before?: Row | undefined
  readonly after?: Row | undefined
}

interface MemberChange extends RowChange<'member', MemberRow> {
  readonly namespace: NamespaceRow
  readonly account: AccountRow
}

interface CollaboratorChange extends RowChange<'collaborator', CollaboratorRow> {
  readonly repository: RepositoryRow
  readonly account: AccountRow
}

interface PublisherChange extends RowChange<'publisher', PublisherRow> {
  readonly repository: RepositoryRow
  readonly account: Pick<AccountRow, 'id' | 'name'>
}

interface TeamChange extends RowChange<'team', TeamRow> {
  readonly namespace: NamespaceRow
}

interface TeamMemberChange extends RowChange<'team-member', TeamMemberRow> {
  readonly team: TeamRow
  readonly namespace: NamespaceRow
  readonly account: AccountRow
}

/** People of the group are members from their next sign-in on; without the group they are none. */
interface TeamGroupChange extends RowChange<'team-group', TeamGroupRow> {
  readonly team: TeamRow
  readonly namespace: NamespaceRow
}

/** A membership that comes from a provider. */
export interface GroupMemberChange extends RowChange<'group-member', GroupMemberRow> {
  readonly team: Pick<TeamRow, 'id' | 'name' | 'role'>
  readonly namespace: Pick<NamespaceRow, 'id' | 'name'>
  readonly account: Pick<AccountRow, 'id' | 'name'>
  /** The account stays in the team as long by another membership that this transaction leaves: no token ends. */
  readonly staysInTeam?: boolean
}

interface TeamRoleChange extends RowChange<'team-role', TeamRoleRow> {
  readonly team: TeamRow
  readonly repository: RepositoryRow
}

export interface RefChange extends RowChange<'ref', NewRefRow> {
  readonly repository: RepositoryRow
}

/** A commit goes on record once, and gets holders then and later. */
export interface CommitChange {
  readonly thing: 'commit'
  readonly repository: RepositoryRow
  /** Undefined when the commit is on record already. */
  readonly created: CommitRow | undefined
  readonly commit: CommitRow
  /** The moving refs that hold it from now on. */
  readonly holders: readonly Pick<NewRefRow, 'uid' | 'name'>[]
  /** Since when they do: the time for people, and the transaction's number. */
  readonly now: number
  readonly number: JournalNumber
}

interface HubTokenChange extends RowChange<'hub-token', HubTokenRow> {
  readonly account: Pick<AccountRow, 'id' | 'name'>
}

interface IdentityChange extends RowChange<'identity', IdentityRow> {
  readonly account: Pick<AccountRow, 'id' | 'name'>
}

/** Storage tokens are taken back; no other row changes. */
interface CutOffChange {
  readonly thing: 'cut-off'
  readonly cuts: readonly RevocationTarget[]
  /** After a rollback: entries of the journal with numbers above `after`, up to `through`, are lost. */
  readonly lost?: { readonly after: number; readonly through: number }
  /** The subject that the entry names in addition to the revoked ids. */
  readonly about?: CutOffSubject | undefined
}

export interface CutOffSubject {
  readonly account?: Pick<AccountRow, 'id' | 'name'> | undefined
  readonly repository?: RepositoryRow | undefined
  readonly ref?: Pick<NewRefRow, 'uid' | 'name'> | undefined
}

/** A hub has opened its database: nothing in the tables changes. */
interface HubOpened {
  readonly thing: 'hub'
}

/**
 * Bookkeeping that ends together with sign-ins: the sealed token of a provider, or an approval that no device has used. It
 * has no entry, because it opens nothing by itself.
 */
type Forgotten =
  | { readonly thing: 'provider-token'; readonly issuer: string; readonly subject: string }
  | { readonly thing: 'approval'; readonly codeHash: string }

export type Change = JournaledChange | Forgotten

export type JournaledChange =
  | RowChange<'account', AccountRow>
  | RowChange<'namespace', NamespaceRow>
  | MemberChange
  | RowChange<'repository', RepositoryRow>
  | CollaboratorChange
  | PublisherChange
  | TeamChange
  | TeamMemberChange
  | TeamGroupChange
  | GroupMemberChange
  | TeamRoleChange
  | RefChange
  | CommitChange
  | HubTokenChange
  | IdentityChange
  | RowChange<'key', KeyRow>
  | RowChange<'prefix', PrefixRow>
  | RowChange<'forge', ForgeRow>
  | CutOffChange
  | HubOpened

/** The caller or process that makes a change, and the verb or command by which it does. */
export interface Origin {
  readonly verb: string
  readonly actor?: Actor | undefined
  /** The operating system's user, where a command or the hub itself acts. */
  readonly user?: string | undefined
  readonly requestId?: string | undefined
}

interface Actor {
  readonly accountId: AccountId
  readonly accountName: string
  readonly hubTokenId: HubTokenId
}

/** Makes the changes in the tables and appends an entry to the journal for each that has one, in this order. */
export type Put = (changes: readonly Change[]) => Promise<void>
