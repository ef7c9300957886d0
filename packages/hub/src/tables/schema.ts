/** The tables of the directory, as every store has them. Lists that are replaced whole are JSON text. */

import type {
  AccountId,
  HubTokenId,
  HubTokenOrigin,
  JournalNumber,
  RefUid,
  RepositoryUid,
  Scope,
  StorageName,
} from '@latchkey/protocol'
import type { CutOffKind } from '@latchkey/token'
import type { Generated } from 'kysely'

/** A key signs storage tokens or heads of revocation lists, never both. */
export type KeyPurpose = 'tokens' | 'revocations'

export interface Schema {
  settings: { name: string; value: string }
  hub_token_prefixes: { prefix: string; first_used_at: number }
  signing_keys: {
    kid: string
    purpose: KeyPurpose
    alg: string
    sealed: string
    /** Since when it is published. */
    created_at: number
    /** When it is to begin to sign. */
    activates_at: number
    /** When it began to sign; null before. */
    activated_at: number | null
    /** When another key took its place; null before. */
    retired_at: number | null
    /** In seconds, of all that any hub signed with it. */
    max_lifetime: number
  }
  accounts: {
    id: AccountId
    name: string
    kind: string
    administrator: number
    disabled: number
    created_at: number
    /** An administrator made it, or the first sign-in of its owner. */
    origin: 'admin' | 'sign-in'
  }
  namespaces: {
    id: string
    name: string
    created_at: number
    /** The storage of its new repositories; null is the default one. */
    storage: StorageName | null
    /** For its repositories together; null is none. */
    quota_bytes: number | null
  }
  members: { namespace_id: string; account_id: AccountId; role: string }
  /** The role is the team's in the whole namespace. */
  teams: { id: string; namespace_id: string; name: string; role: string | null; created_at: number }
  team_members: {
    team_id: string
    account_id: AccountId
    /** When the membership ends; null is never. */
    until: number | null
  }
  /** A team names groups of identity providers: people who are in one are members while the provider says so. */
  team_groups: { team_id: string; provider: string; group_name: string }
  /** Memberships that come from a provider, beside those of `team_members`: never in place of one. */
  group_members: {
    team_id: string
    provider: string
    group_name: string
    /** The identity of the person; the account is the one that it is linked to. */
    issuer: string
    subject: string
    account_id: AccountId
    /** Renewed while the provider names the group; written without an entry then. */
    until: number
  }
  repositories: {
    uid: RepositoryUid
    namespace_id: string
    /** `models/acme/bert` */
    path: string
    visibility: string
    default_branch: string
    /** RefRule[] */
    ref_rules: string
    created_at: number
    /** The number of the transaction that last removed stored content, or may have; 0 while none has. */
    epoch: number
    /** The storage that holds its content. */
    storage: StorageName
    /** While its content moves: the storage to which it does. */
    moves_to: StorageName | null
    /** The number of the transaction that closed its writes for the move; a later run has a higher one. */
    moves_number: JournalNumber | null
    /** Null is none. */
    quota_bytes: number | null
  }
  collaborators: { repository_uid: RepositoryUid; account_id: AccountId; role: string }
  /** Rules by which CI jobs get hub tokens. */
  trusted_publishers: {
    /** Its service account, which ends with the rule. */
    account_id: AccountId
    repository_uid: RepositoryUid
    name: string
    preset: string
    issuer: string
    /** string[]: a claim and its value, `repository_id=74` */
    claims: string
    contents: string
    /** string[], or null for every ref */
    refs: string | null
    max_seconds: number
    /** A name to show; never compared. */
    label: string | null
    created_at: number
  }
  /** How often each id token was exchanged. */
  forge: { place: number; id: string; start: string | null }
  forge_operations: { id: string; is_done: number; result: string | null; created_at: number }
  id_token_uses: { issuer: string; jti_hash: string; uses: number; ends_at: number }
  /** The newest refused exchanges of each repository, for its owners. */
  refused_exchanges: {
    position: Generated<number>
    repository_uid: RepositoryUid
    refused_at: number
    publisher: string
    issuer: string
    reason: string
    /** string[] */
    claims: string
  }
  team_roles: { repository_uid: RepositoryUid; team_id: string; role: string }
  /** Until when an account holds each role through its teams; the database keeps this table by itself. */
  team_access: {
    account_id: AccountId
    /** The id of a namespace or the uid of a repository. */
    place_id: string
    reads_until: number
    writes_until: number
    administers_until: number
  }
  refs: {
    /** Creation order, which settles who is older within a second. */
    position: Generated<number>
    uid: RefUid
    repository_uid: RepositoryUid
    name: string
    commit_hash: string
    /** The ref it was made from: the name for people, the uid while that ref lives. */
    from_name: string | null
    from_uid: RefUid | null
    /** For people; content is compared with the number. */
    forked_at: number | null
    /** The number of the transaction that made it. */
    forked_number: JournalNumber | null
    /** The account that made the pull request, which may write it as a reader. */
    proposer_id: AccountId | null
    created_at: number
  }
  /** A commit stays on record when every ref that held it has moved on or is gone. */
  commits: { uid: RefUid; repository_uid: RepositoryUid; hash: string; recorded_at: number }
  commit_holders: {
    position: Generated<number>
    repository_uid: RepositoryUid
    hash: string
    ref_uid: RefUid
    /** For people; content is compared with the number. */
    recorded_at: number
    /** The number of the transaction that recorded it. */
    recorded_number: JournalNumber
  }
  /** Deleted refs that held a commit, by name; the database keeps this table by itself. */
  past_holders: { repository_uid: RepositoryUid; hash: string; name: string }
  hub_tokens: {
    id: HubTokenId
    account_id: AccountId
    name: string
    kind: string
    origin: HubTokenOrigin
    secret_hash: string
    hint: string
    /** Grant[] */
    grants: string
    /** string[], or null for all */
    admin_scopes: string | null
    /** string[], or null for a token that is not limited to namespaces */
    namespaces: string | null
    /** Whose link it opens; null for every kind but `storage`. */
    storage: StorageName | null
    created_at: number
    expires_at: number | null
    revoked_at: number | null
    last_used_at: number | null
  }
  /** The part of a session that its hub token does not have. */
  sessions: {
    hub_token_id: HubTokenId
    /** The name of the identity provider; null for a sign-in with a hub token. */
    provider: string | null
    /** The hub token that was used to sign in, if no provider was. */
    maker_id: HubTokenId | null
    auth_time: number | null
    /** Null where the session is never fresh. */
    fresh_until: number | null
    /** Hub tokens and families that are made from it end no later. */
    makes_until: number | null
    last_seen_at: number
  }
  /** The accounts of people as identity providers know them. */
  identities: {
    issuer: string
    subject: string
    account_id: AccountId
    provider: string
    created_at: number
  }
  /** Refresh tokens of providers, by which the hub asks again for the claims of a person. */
  provider_tokens: {
    issuer: string
    subject: string
    provider: string
    /** The provider's refresh token, encrypted with the master key. */
    sealed: string
    /** When to ask the provider. */
    ask_at: number
  }
  /** Work that one hub at a time does. */
  leases: { name: string; holder: string; until: number }
  /** A program that asks for a sign-in, until somebody decides and it has its first hub token. */
  device_codes: {
    code_hash: string
    user_code: string
    client_id: string
    scope: Scope
    address: string
    /** For the limits of open codes. */
    network: string
    /** As JSON, the hub token that is to be made or rotated; null for the sign-in of a device. */
    wish: string | null
    site: string
    created_at: number
    expires_at: number
    decided_at: number | null
    decided_number: JournalNumber | null
    /** Null while nobody has decided, and after a denial. */
    account_id: AccountId | null
    /** The session that decided, for the journal. */
    session_id: HubTokenId | null
    /** The end of the sign-in that approved it; null where that has none. */
    ends_at: number | null
    used_at: number | null
    /** The answer, while it is repeated. */
    sealed: string | null
  }
  /** A device that is signed in. It is over at its end, and once any hub token of it is revoked. */
  device_families: {
    id: string
    account_id: AccountId
    client_id: string
    /** The name of the program for people. */
    program: string
    scope: Scope
    address: string
    /** The identity provider of the sign-in behind it; null where that was with a hub token. */
    provider: string | null
    /** That hub token: the device ends with it. */
    maker_id: HubTokenId | null
    created_at: number
    expires_at: number
  }
  refresh_tokens: {
    secret_hash: string
    family_id: string
    /** The hub token that came with it. */
    hub_token_id: HubTokenId
    created_at: number
    used_at: number | null
    /** The answer, while it is repeated. */
    sealed: string | null
  }
  /**
   * A revocation entry: tokens that name `id` and were decided below `number` are revoked. `made`
   * is the number of the transaction that added it. `namespace` is the name of the only one whose
   * tokens it revokes; null where it can revoke others.
   */
  cut_offs: {
    kind: CutOffKind
    id: string
    number: JournalNumber
    made: JournalNumber
    namespace: string | null
  }
  /** One row: where the next journal number comes from. */
  journal_head: {
    only_row: number
    number: number
    pruned_through: number
    mark: number
    is_open: number
  }
  /** A change and its author. Names stand next to ids, because an entry outlives its subject. */
  journal: {
    number: number
    previous: number
    at_milliseconds: number
    verb: string
    thing: string
    did: string
    actor_account_id: AccountId | null
    actor_account: string | null
    actor_hub_token: HubTokenId | null
    actor_user: string | null
    request_id: string | null
    account_id: AccountId | null
    account: string | null
    hub_token_id: HubTokenId | null
    namespace_id: string | null
    namespace: string | null
    repository_uid: RepositoryUid | null
    repository: string | null
    ref_uid: RefUid | null
    ref: string | null
    /** The storage of the repository at that time. */
    storage: StorageName | null
    narrows: number
    /** { before?, after? } */
    detail: string
  }
}
