import type { Insertable, Selectable } from 'kysely'
import type { Schema } from './schema.ts'

export type AccountRow = Selectable<Schema['accounts']>
export type NamespaceRow = Selectable<Schema['namespaces']>
export type MemberRow = Selectable<Schema['members']>
export type RepositoryRow = Selectable<Schema['repositories']>
export type CollaboratorRow = Selectable<Schema['collaborators']>
export type PublisherRow = Selectable<Schema['trusted_publishers']>
export type TeamRow = Selectable<Schema['teams']>
export type TeamMemberRow = Selectable<Schema['team_members']>
export type TeamGroupRow = Selectable<Schema['team_groups']>
export type GroupMemberRow = Selectable<Schema['group_members']>
export type TeamRoleRow = Selectable<Schema['team_roles']>
export type RefRow = Selectable<Schema['refs']>
export type NewRefRow = Insertable<Schema['refs']>
export type CommitRow = Selectable<Schema['commits']>
export type HubTokenRow = Selectable<Schema['hub_tokens']>
export type SessionRow = Selectable<Schema['sessions']>
export type IdentityRow = Selectable<Schema['identities']>
export type ProviderTokenRow = Selectable<Schema['provider_tokens']>
export type DeviceCodeRow = Selectable<Schema['device_codes']>
export type RefreshRow = Selectable<Schema['refresh_tokens']>
export type DeviceFamilyRow = Selectable<Schema['device_families']>
export type KeyRow = Selectable<Schema['signing_keys']>
export type ForgeRow = Selectable<Schema['forge']>
export type PrefixRow = Selectable<Schema['hub_token_prefixes']>
export type JournalRow = Selectable<Schema['journal']>
