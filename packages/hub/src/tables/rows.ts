import type { Insertable, Selectable } from 'kysely'
import type { Schema } from './schema.ts'

export type AccountRow = Selectable<Schema['accounts']>
export type NamespaceRow = Selectable<Schema['namespaces']>
export type MemberRow = Selectable<Schema['members']>
export type RepositoryRow = Selectable<Schema['repositories']>
export type CollaboratorRow = Selectable<Schema['collaborators']>
export type RefRow = Selectable<Schema['refs']>
export type NewRefRow = Insertable<Schema['refs']>
export type CommitRow = Selectable<Schema['commits']>
export type HubTokenRow = Selectable<Schema['hub_tokens']>
export type KeyRow = Selectable<Schema['signing_keys']>
export type PrefixRow = Selectable<Schema['hub_token_prefixes']>
export type JournalRow = Selectable<Schema['journal']>
