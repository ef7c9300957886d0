// What admin-client declares, written by `npm run api`.
// . is index.d.ts

// create-admin-client.d.ts
import { type ClientClock, type Fetch, type FetchAnswer, type HubTokenSource } from '@latchkey/client/parts';
import type { OperationOptions, Operations } from './operations/types.js';
import { type OperationInput } from './wire/call-hub.js';
export interface AdminClientOptions {
    /**
     * The hub. Use https, unless the hub is on this machine.
     * @example 'https://hub.example'
     */
    readonly hubUrl: string;
    /** An admin hub token, or a function that returns one; the client calls it again after a 401. */
    readonly hubToken: HubTokenSource;
    /** @default globalThis.fetch */
    readonly fetch?: Fetch<FetchAnswer> | undefined;
    /** @default the system's clock */
    readonly clock?: ClientClock | undefined;
    /**
     * From 0 to 1: spreads the retries of many clients.
     *
     * @default Math.random
     */
    readonly random?: (() => number) | undefined;
    /**
     * How long a call may be retried after a first failure. 0: no retries.
     * @default 60
     */
    readonly retryTimeoutSeconds?: number | undefined;
    /**
     * Speaks to other machines without https. Anyone on the path can read the hub token.
     * @default false
     */
    readonly allowPlainHttp?: boolean | undefined;
}
export interface AdminClient extends Operations {
    /** Runs an operation by the words of its command, such as `account create`. */
    run(words: string, input?: OperationInput, options?: OperationOptions): Promise<unknown>;
}
/**
 * An error of a call is a `LatchkeyError` with the code of the hub or of the client.
 *
 * @example
 * ```ts
 * const admin = createAdminClient({ hubUrl: 'https://hub.example', hubToken: 'lk_…' })
 * await admin.accountCreate({ name: 'ada' })
 * ```
 */
export declare function createAdminClient(options: AdminClientOptions): AdminClient;

// every-entry.d.ts
interface PageInput {
    readonly after?: string | undefined;
}
interface Page<Entry> {
    readonly items: readonly Entry[];
    readonly next?: string | undefined;
}
/**
 * Every entry of a list, page after page, as the caller reads on.
 * @example for await (const { name } of everyEntry(admin.accountList, {})) console.log(name)
 */
export declare function everyEntry<Input extends PageInput | undefined, Entry>(list: (input: Input) => Promise<Page<Entry>>, input: NonNullable<Input>): AsyncGenerator<Entry, void, undefined>;
export {};

// index.d.ts
/** The admin client: a function for each operation of a hub's admin API. */
export { type ErrorCode, LatchkeyError } from '@latchkey/client/token-client';
export { Secret } from '@latchkey/protocol';
export { type AdminClient, type AdminClientOptions, createAdminClient, } from './create-admin-client.js';
export { everyEntry } from './every-entry.js';
export type * from './operations/types.js';
export { textWithSecrets } from './wire/secrets.js';

// operations/rows.d.ts
/** Written by scripts/write-admin-client.ts from the table of packages/admin-api. */
export interface OperationRow {
    /** The words of the command: `account create`. */
    readonly words: string;
    readonly method: string;
    /** `{repository:3}` is three segments. */
    readonly path: string;
    /** Whether members that the path does not name are in the body; otherwise they are in the query. */
    readonly hasBody: boolean;
    /** Where the response has a secret, by the members on the way. */
    readonly shown: readonly (readonly string[])[];
}
export declare const rows: {
    readonly accountCreate: {
        readonly words: 'account create';
        readonly method: 'POST';
        readonly path: '/admin/v1/accounts';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly accountList: {
        readonly words: 'account list';
        readonly method: 'GET';
        readonly path: '/admin/v1/accounts';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly accountShow: {
        readonly words: 'account show';
        readonly method: 'GET';
        readonly path: '/admin/v1/accounts/{account}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly accountSet: {
        readonly words: 'account set';
        readonly method: 'PATCH';
        readonly path: '/admin/v1/accounts/{account}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly accountDelete: {
        readonly words: 'account delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/accounts/{account}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly accountLink: {
        readonly words: 'account link';
        readonly method: 'POST';
        readonly path: '/admin/v1/accounts/{account}/identities';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly accountUnlink: {
        readonly words: 'account unlink';
        readonly method: 'POST';
        readonly path: '/admin/v1/accounts/{account}/identities/unlink';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly identityEnd: {
        readonly words: 'identity end';
        readonly method: 'POST';
        readonly path: '/admin/v1/identity-providers/{provider}/end';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly identityList: {
        readonly words: 'identity list';
        readonly method: 'GET';
        readonly path: '/admin/v1/accounts/{account}/identities';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly namespaceCreate: {
        readonly words: 'namespace create';
        readonly method: 'POST';
        readonly path: '/admin/v1/namespaces';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly namespaceList: {
        readonly words: 'namespace list';
        readonly method: 'GET';
        readonly path: '/admin/v1/namespaces';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly namespaceShow: {
        readonly words: 'namespace show';
        readonly method: 'GET';
        readonly path: '/admin/v1/namespaces/{namespace}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly namespaceSet: {
        readonly words: 'namespace set';
        readonly method: 'PATCH';
        readonly path: '/admin/v1/namespaces/{namespace}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly namespaceDelete: {
        readonly words: 'namespace delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/namespaces/{namespace}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly memberSet: {
        readonly words: 'member set';
        readonly method: 'PUT';
        readonly path: '/admin/v1/namespaces/{namespace}/members/{account}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly memberList: {
        readonly words: 'member list';
        readonly method: 'GET';
        readonly path: '/admin/v1/namespaces/{namespace}/members';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly memberDelete: {
        readonly words: 'member delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/namespaces/{namespace}/members/{account}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly teamCreate: {
        readonly words: 'team create';
        readonly method: 'POST';
        readonly path: '/admin/v1/namespaces/{namespace}/teams';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly teamList: {
        readonly words: 'team list';
        readonly method: 'GET';
        readonly path: '/admin/v1/namespaces/{namespace}/teams';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly teamShow: {
        readonly words: 'team show';
        readonly method: 'GET';
        readonly path: '/admin/v1/namespaces/{namespace}/teams/{team}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly teamSet: {
        readonly words: 'team set';
        readonly method: 'PATCH';
        readonly path: '/admin/v1/namespaces/{namespace}/teams/{team}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly teamDelete: {
        readonly words: 'team delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/namespaces/{namespace}/teams/{team}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly teamMemberSet: {
        readonly words: 'team-member set';
        readonly method: 'PUT';
        readonly path: '/admin/v1/namespaces/{namespace}/teams/{team}/members/{account}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly teamMemberList: {
        readonly words: 'team-member list';
        readonly method: 'GET';
        readonly path: '/admin/v1/namespaces/{namespace}/teams/{team}/members';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly teamMemberDelete: {
        readonly words: 'team-member delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/namespaces/{namespace}/teams/{team}/members/{account}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly teamGroupSet: {
        readonly words: 'team-group set';
        readonly method: 'PUT';
        readonly path: '/admin/v1/namespaces/{namespace}/teams/{team}/groups/{provider}/{group}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly teamGroupList: {
        readonly words: 'team-group list';
        readonly method: 'GET';
        readonly path: '/admin/v1/namespaces/{namespace}/teams/{team}/groups';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly teamGroupDelete: {
        readonly words: 'team-group delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/namespaces/{namespace}/teams/{team}/groups/{provider}/{group}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly repoCreate: {
        readonly words: 'repo create';
        readonly method: 'POST';
        readonly path: '/admin/v1/repositories';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly repoList: {
        readonly words: 'repo list';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly repoShow: {
        readonly words: 'repo show';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories/{repository:3}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly repoSet: {
        readonly words: 'repo set';
        readonly method: 'PATCH';
        readonly path: '/admin/v1/repositories/{repository:3}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly repoMoveStorage: {
        readonly words: 'repo move-storage';
        readonly method: 'POST';
        readonly path: '/admin/v1/repositories/{repository:3}/storage';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly repoDelete: {
        readonly words: 'repo delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/repositories/{repository:3}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly collaboratorSet: {
        readonly words: 'collaborator set';
        readonly method: 'PUT';
        readonly path: '/admin/v1/repositories/{repository:3}/collaborators/{account}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly collaboratorList: {
        readonly words: 'collaborator list';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories/{repository:3}/collaborators';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly collaboratorDelete: {
        readonly words: 'collaborator delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/repositories/{repository:3}/collaborators/{account}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly teamRoleSet: {
        readonly words: 'team-role set';
        readonly method: 'PUT';
        readonly path: '/admin/v1/repositories/{repository:3}/teams/{team}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly teamRoleList: {
        readonly words: 'team-role list';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories/{repository:3}/teams';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly teamRoleDelete: {
        readonly words: 'team-role delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/repositories/{repository:3}/teams/{team}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly refRuleSet: {
        readonly words: 'ref-rule set';
        readonly method: 'PUT';
        readonly path: '/admin/v1/repositories/{repository:3}/ref-rules/{pattern}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly refRuleList: {
        readonly words: 'ref-rule list';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories/{repository:3}/ref-rules';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly refRuleDelete: {
        readonly words: 'ref-rule delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/repositories/{repository:3}/ref-rules/{pattern}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly publisherCreate: {
        readonly words: 'publisher create';
        readonly method: 'POST';
        readonly path: '/admin/v1/repositories/{repository:3}/publishers';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly publisherList: {
        readonly words: 'publisher list';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories/{repository:3}/publishers';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly publisherShow: {
        readonly words: 'publisher show';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories/{repository:3}/publishers/{publisher}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly publisherSet: {
        readonly words: 'publisher set';
        readonly method: 'PATCH';
        readonly path: '/admin/v1/repositories/{repository:3}/publishers/{publisher}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly publisherDelete: {
        readonly words: 'publisher delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/repositories/{repository:3}/publishers/{publisher}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly publisherRefusals: {
        readonly words: 'publisher refusals';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories/{repository:3}/refused-exchanges';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly publisherExplain: {
        readonly words: 'publisher explain';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories/{repository:3}/explain-exchange';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly forgeAdopt: {
        readonly words: 'forge adopt';
        readonly method: 'PUT';
        readonly path: '/admin/v1/forge';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly refSet: {
        readonly words: 'ref set';
        readonly method: 'PUT';
        readonly path: '/admin/v1/repositories/{repository:3}/refs/{ref}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly refList: {
        readonly words: 'ref list';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories/{repository:3}/refs';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly refShow: {
        readonly words: 'ref show';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories/{repository:3}/refs/{ref}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly refUpdate: {
        readonly words: 'ref update';
        readonly method: 'POST';
        readonly path: '/admin/v1/repositories/{repository:3}/refs';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly refDelete: {
        readonly words: 'ref delete';
        readonly method: 'DELETE';
        readonly path: '/admin/v1/repositories/{repository:3}/refs/{ref}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly commitRecord: {
        readonly words: 'commit record';
        readonly method: 'POST';
        readonly path: '/admin/v1/repositories/{repository:3}/commits';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly commitList: {
        readonly words: 'commit list';
        readonly method: 'GET';
        readonly path: '/admin/v1/repositories/{repository:3}/commits';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly hubTokenCreate: {
        readonly words: 'hub-token create';
        readonly method: 'POST';
        readonly path: '/admin/v1/hub-tokens';
        readonly hasBody: true;
        readonly shown: readonly [readonly ["token"]];
    };
    readonly hubTokenList: {
        readonly words: 'hub-token list';
        readonly method: 'GET';
        readonly path: '/admin/v1/hub-tokens';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly hubTokenShow: {
        readonly words: 'hub-token show';
        readonly method: 'GET';
        readonly path: '/admin/v1/hub-tokens/{hubToken}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly hubTokenSet: {
        readonly words: 'hub-token set';
        readonly method: 'PATCH';
        readonly path: '/admin/v1/hub-tokens/{hubToken}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly hubTokenRevoke: {
        readonly words: 'hub-token revoke';
        readonly method: 'POST';
        readonly path: '/admin/v1/hub-tokens/{hubToken}/revoke';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly revokeToken: {
        readonly words: 'revoke token';
        readonly method: 'POST';
        readonly path: '/admin/v1/revocations/token';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly revokeHubToken: {
        readonly words: 'revoke hub-token';
        readonly method: 'POST';
        readonly path: '/admin/v1/revocations/hub-tokens/{hubToken}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly revokeAccount: {
        readonly words: 'revoke account';
        readonly method: 'POST';
        readonly path: '/admin/v1/revocations/accounts/{account}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly revokeRepository: {
        readonly words: 'revoke repository';
        readonly method: 'POST';
        readonly path: '/admin/v1/revocations/repositories/{repository:3}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly revokeRef: {
        readonly words: 'revoke ref';
        readonly method: 'POST';
        readonly path: '/admin/v1/revocations/repositories/{repository:3}/refs/{ref}';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly keysList: {
        readonly words: 'keys list';
        readonly method: 'GET';
        readonly path: '/admin/v1/keys';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly keysRotate: {
        readonly words: 'keys rotate';
        readonly method: 'POST';
        readonly path: '/admin/v1/keys/rotate';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly keysRetire: {
        readonly words: 'keys retire';
        readonly method: 'POST';
        readonly path: '/admin/v1/keys/{kid}/retire';
        readonly hasBody: true;
        readonly shown: readonly [];
    };
    readonly changes: {
        readonly words: 'changes';
        readonly method: 'GET';
        readonly path: '/admin/v1/changes';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly explain: {
        readonly words: 'explain';
        readonly method: 'GET';
        readonly path: '/admin/v1/explain';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly explainSignIn: {
        readonly words: 'explain sign-in';
        readonly method: 'GET';
        readonly path: '/admin/v1/explain/sign-in/{provider}';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
    readonly apply: {
        readonly words: 'apply';
        readonly method: 'POST';
        readonly path: '/admin/v1/apply';
        readonly hasBody: true;
        readonly shown: readonly [readonly ["hubTokens", "token"]];
    };
    readonly whoami: {
        readonly words: 'whoami';
        readonly method: 'GET';
        readonly path: '/api/whoami';
        readonly hasBody: false;
        readonly shown: readonly [];
    };
};

// operations/types.d.ts
/** Written by scripts/write-admin-client.ts from the table of packages/admin-api. */
import type { Secret } from '@latchkey/protocol';
export interface OperationOptions {
    /** Ends the call. */
    readonly signal?: AbortSignal | undefined;
}
/** A function for each operation, with the name that it has in OpenAPI. */
export interface Operations {
    /** Create an account for a person or a service. */
    accountCreate(input: AccountCreateInput, options?: OperationOptions): Promise<Account>;
    /** List the accounts by name. */
    accountList(input?: AccountListInput, options?: OperationOptions): Promise<AccountList>;
    /** Show one account. */
    accountShow(input: AccountShowInput, options?: OperationOptions): Promise<Account>;
    /** Change an account; options that you leave out stay unchanged. */
    accountSet(input: AccountSetInput, options?: OperationOptions): Promise<Account>;
    /** Delete an account with its memberships and hub tokens. */
    accountDelete(input: AccountDeleteInput, options?: OperationOptions): Promise<AccountDeleted>;
    /** Let a person of an identity provider sign in as an account. */
    accountLink(input: AccountLinkInput, options?: OperationOptions): Promise<AccountLinkResult>;
    /** Take the sign-in by an identity provider from an account, and end its sessions. */
    accountUnlink(input: AccountUnlinkInput, options?: OperationOptions): Promise<AccountLinkResult>;
    /** End all sessions, device logins and memberships that come from an identity provider. */
    identityEnd(input: IdentityEndInput, options?: OperationOptions): Promise<Identity>;
    /** List the identities that sign in as an account. */
    identityList(input: IdentityListInput, options?: OperationOptions): Promise<IdentityList>;
    /** Create a namespace for repositories. */
    namespaceCreate(input: NamespaceCreateInput, options?: OperationOptions): Promise<Namespace>;
    /** List the namespaces by name. */
    namespaceList(input?: NamespaceListInput, options?: OperationOptions): Promise<NamespaceList>;
    /** Show one namespace. */
    namespaceShow(input: NamespaceShowInput, options?: OperationOptions): Promise<Namespace>;
    /** Change a namespace; its repositories keep their storage. */
    namespaceSet(input: NamespaceSetInput, options?: OperationOptions): Promise<Namespace>;
    /** Delete a namespace that holds no repositories any more. */
    namespaceDelete(input: NamespaceDeleteInput, options?: OperationOptions): Promise<NamespaceDeleted>;
    /** Make an account a member of a namespace, or change its role there. */
    memberSet(input: MemberSetInput, options?: OperationOptions): Promise<Member>;
    /** List the members of a namespace and their roles. */
    memberList(input: MemberListInput, options?: OperationOptions): Promise<MemberList>;
    /** End the membership of an account in a namespace. */
    memberDelete(input: MemberDeleteInput, options?: OperationOptions): Promise<MemberDeleted>;
    /** Create a team in a namespace. */
    teamCreate(input: TeamCreateInput, options?: OperationOptions): Promise<Team>;
    /** List the teams of a namespace by name. */
    teamList(input: TeamListInput, options?: OperationOptions): Promise<TeamList>;
    /** Show one team. */
    teamShow(input: TeamShowInput, options?: OperationOptions): Promise<Team>;
    /** Change the role that a team has in its namespace. */
    teamSet(input: TeamSetInput, options?: OperationOptions): Promise<Team>;
    /** Delete a team with its memberships and roles. */
    teamDelete(input: TeamDeleteInput, options?: OperationOptions): Promise<TeamDeleted>;
    /** Add an account to a team, or change when its membership ends. */
    teamMemberSet(input: TeamMemberSetInput, options?: OperationOptions): Promise<TeamMember>;
    /** List the members of a team. */
    teamMemberList(input: TeamMemberListInput, options?: OperationOptions): Promise<TeamMemberList>;
    /** Remove an account from a team. */
    teamMemberDelete(input: TeamMemberDeleteInput, options?: OperationOptions): Promise<TeamMemberDeleted>;
    /** Make the people of a group of an identity provider members of a team. */
    teamGroupSet(input: TeamGroupSetInput, options?: OperationOptions): Promise<TeamGroup>;
    /** List the groups of identity providers that a team names. */
    teamGroupList(input: TeamGroupListInput, options?: OperationOptions): Promise<TeamGroupList>;
    /** End the memberships in a team that come from a group of an identity provider. */
    teamGroupDelete(input: TeamGroupDeleteInput, options?: OperationOptions): Promise<TeamGroupDeleted>;
    /** Create an empty repository in an existing namespace, with its default branch. */
    repoCreate(input: RepoCreateInput, options?: OperationOptions): Promise<Repository>;
    /** List the repositories, all or those of one namespace. */
    repoList(input?: RepoListInput, options?: OperationOptions): Promise<RepositoryList>;
    /** Show one repository. */
    repoShow(input: RepoShowInput, options?: OperationOptions): Promise<Repository>;
    /** Change a repository; options that you leave out stay unchanged. */
    repoSet(input: RepoSetInput, options?: OperationOptions): Promise<Repository>;
    /**
     * Record a step of a move to another storage; "latchkey repo move-storage" takes all
     * steps.
     */
    repoMoveStorage(input: RepoMoveStorageInput, options?: OperationOptions): Promise<RepoMoveStorageResult>;
    /** Delete a repository with its refs, commits and collaborators. */
    repoDelete(input: RepoDeleteInput, options?: OperationOptions): Promise<RepositoryDeleted>;
    /** Give an account a role in one repository, or change it. */
    collaboratorSet(input: CollaboratorSetInput, options?: OperationOptions): Promise<Collaborator>;
    /** List the collaborators of a repository and their roles. */
    collaboratorList(input: CollaboratorListInput, options?: OperationOptions): Promise<CollaboratorList>;
    /** End the role that an account has in one repository. */
    collaboratorDelete(input: CollaboratorDeleteInput, options?: OperationOptions): Promise<CollaboratorDeleted>;
    /** Give a team a role in one repository of its namespace, or change it. */
    teamRoleSet(input: TeamRoleSetInput, options?: OperationOptions): Promise<TeamRole>;
    /** List the teams with a role in one repository. */
    teamRoleList(input: TeamRoleListInput, options?: OperationOptions): Promise<TeamRoleList>;
    /** End the role that a team has in one repository. */
    teamRoleDelete(input: TeamRoleDeleteInput, options?: OperationOptions): Promise<TeamRoleDeleted>;
    /** Set the role that writing to the refs of a pattern requires, and allow force. */
    refRuleSet(input: RefRuleSetInput, options?: OperationOptions): Promise<RefRule>;
    /** List the ref rules of a repository. */
    refRuleList(input: RefRuleListInput, options?: OperationOptions): Promise<RefRuleList>;
    /** Delete the ref rule of a pattern. */
    refRuleDelete(input: RefRuleDeleteInput, options?: OperationOptions): Promise<RefRuleDeleted>;
    /** Let CI jobs exchange their id tokens for short hub tokens of one repository. */
    publisherCreate(input: PublisherCreateInput, options?: OperationOptions): Promise<Publisher>;
    /** List the trusted publishers of a repository. */
    publisherList(input: PublisherListInput, options?: OperationOptions): Promise<PublisherList>;
    /** Show one trusted publisher. */
    publisherShow(input: PublisherShowInput, options?: OperationOptions): Promise<Publisher>;
    /** Change a trusted publisher; a narrower rule revokes the hub tokens that it gave. */
    publisherSet(input: PublisherSetInput, options?: OperationOptions): Promise<Publisher>;
    /** Delete a trusted publisher, its service account and its hub tokens. */
    publisherDelete(input: PublisherDeleteInput, options?: OperationOptions): Promise<PublisherDeleted>;
    /** List the newest refused exchanges of id tokens that name a project of this repository. */
    publisherRefusals(input: PublisherRefusalsInput, options?: OperationOptions): Promise<PublisherRefusalsResult>;
    /** Explain which trusted publisher of a repository admits an id token, or why none does. */
    publisherExplain(input: PublisherExplainInput, options?: OperationOptions): Promise<PublisherExplainResult>;
    /**
     * Record another forge as the one of this hub, for example after a restore of its data
     * directory. The forge before it is refused.
     */
    forgeAdopt(input: ForgeAdoptInput, options?: OperationOptions): Promise<Forge>;
    /**
     * Create a branch, a tag or another ref, or move it to another commit. Every commit that
     * it points to stays recorded. A moved tag becomes a new tag: content that was uploaded
     * under it is deleted for good.
     */
    refSet(input: RefSetInput, options?: OperationOptions): Promise<Ref>;
    /** List the refs of a repository by full name. */
    refList(input: RefListInput, options?: OperationOptions): Promise<RefList>;
    /** Show one ref. */
    refShow(input: RefShowInput, options?: OperationOptions): Promise<Ref>;
    /** Create, move and delete the refs of a repository after a push, all or none. */
    refUpdate(input: RefUpdateInput, options?: OperationOptions): Promise<RefUpdateResult>;
    /**
     * Delete a ref; its commits stay recorded. If a forge serves the repository and others may
     * need the content of the ref, delete it through the forge.
     */
    refDelete(input: RefDeleteInput, options?: OperationOptions): Promise<RefDeleted>;
    /** Record a commit and the branches that contain it. */
    commitRecord(input: CommitRecordInput, options?: OperationOptions): Promise<Commit>;
    /** List the recorded commits of a repository by hash. */
    commitList(input: CommitListInput, options?: OperationOptions): Promise<CommitList>;
    /** Create a hub token for an account; its secret is shown only once. */
    hubTokenCreate(input: HubTokenCreateInput, options?: OperationOptions): Promise<HubTokenCreateResult>;
    /** List hub tokens, the oldest first, without their secrets. */
    hubTokenList(input?: HubTokenListInput, options?: OperationOptions): Promise<HubTokenList>;
    /** Show one hub token, without its secret. */
    hubTokenShow(input: HubTokenShowInput, options?: OperationOptions): Promise<HubToken>;
    /** Change the grants, the admin scopes or the expiry of a hub token; its secret stays. */
    hubTokenSet(input: HubTokenSetInput, options?: OperationOptions): Promise<HubToken>;
    /** Revoke a hub token for good. */
    hubTokenRevoke(input: HubTokenRevokeInput, options?: OperationOptions): Promise<HubToken>;
    /** Revoke one storage token. The command reads it from standard input. */
    revokeToken(input: RevokeTokenInput, options?: OperationOptions): Promise<RevocationResult>;
    /** Revoke a hub token for good, and every storage token that was issued with it. */
    revokeHubToken(input: RevokeHubTokenInput, options?: OperationOptions): Promise<RevocationResult>;
    /**
     * Revoke every storage token that an account has received until now. The account stays
     * unchanged.
     */
    revokeAccount(input: RevokeAccountInput, options?: OperationOptions): Promise<RevocationResult>;
    /** Revoke every storage token that was issued for a repository until now. */
    revokeRepository(input: RevokeRepositoryInput, options?: OperationOptions): Promise<RevocationResult>;
    /** Revoke every storage token that was issued until now and gives access to a ref. */
    revokeRef(input: RevokeRefInput, options?: OperationOptions): Promise<RevocationResult>;
    /** List the signing keys, their states and their next steps, without key material. */
    keysList(input?: KeysListInput, options?: OperationOptions): Promise<KeyList>;
    /**
     * Publish a new key, or let the published key sign once every verifier has it. Shows the
     * time of each step.
     */
    keysRotate(input?: KeysRotateInput, options?: OperationOptions): Promise<KeySteps>;
    /**
     * Withdraw a published key, replace a signing key, or remove a retiring key; fails while
     * that is not safe.
     */
    keysRetire(input: KeysRetireInput, options?: OperationOptions): Promise<KeySteps>;
    /** List the entries of the journal, the oldest first. */
    changes(input?: ChangesInput, options?: OperationOptions): Promise<ChangeList>;
    /** Explain why an account would get a storage token, or why not. */
    explain(input: ExplainInput, options?: OperationOptions): Promise<Explanation>;
    /** Explain whether a sign-in with an id token of a provider would succeed, and as whom. */
    explainSignIn(input: ExplainSignInInput, options?: OperationOptions): Promise<Explanation>;
    /** Create and change objects as an apply file describes; up to 2000 changes, all or none. */
    apply(input: ApplyInput, options?: OperationOptions): Promise<ApplyResult>;
    /** Show the account and the hub token of this client; any hub token may. */
    whoami(input?: Readonly<Record<string, never>>, options?: OperationOptions): Promise<Whoami>;
}
/** An apply file: the objects that a hub shall have. */
export interface DirectoryFile {
    readonly accounts?: readonly {
        readonly name: string;
        readonly kind?: 'user' | 'service' | undefined;
        readonly administrator?: boolean | undefined;
        readonly disabled?: boolean | undefined;
    }[] | undefined;
    readonly namespaces?: readonly {
        readonly name: string;
        readonly storage?: string | undefined;
        readonly quota?: string | undefined;
        readonly members?: Readonly<Record<string, 'read' | 'write' | 'admin'>> | undefined;
        readonly teams?: Readonly<Record<string, {
            readonly role?: 'none' | 'read' | 'write' | 'admin' | undefined;
            readonly members?: Readonly<Record<string, {
                readonly until?: string | undefined;
            }>> | undefined;
            readonly groups?: Readonly<Record<string, readonly string[]>> | undefined;
        }>> | undefined;
    }[] | undefined;
    readonly repositories?: readonly {
        readonly type: 'model' | 'dataset' | 'space';
        readonly id: string;
        readonly visibility?: 'public' | 'private' | undefined;
        readonly storage?: string | undefined;
        readonly quota?: string | undefined;
        readonly defaultBranch?: string | undefined;
        readonly branches?: Readonly<Record<string, string | null | {
            readonly commit?: string | null | undefined;
            readonly from?: string | undefined;
        }>> | undefined;
        readonly tags?: Readonly<Record<string, string>> | undefined;
        readonly refs?: Readonly<Record<string, string | null | {
            readonly commit?: string | null | undefined;
            readonly from?: string | undefined;
        }>> | undefined;
        readonly commits?: Readonly<Record<string, readonly string[]>> | undefined;
        readonly collaborators?: Readonly<Record<string, 'read' | 'write' | 'admin'>> | undefined;
        readonly teams?: Readonly<Record<string, 'read' | 'write' | 'admin'>> | undefined;
        readonly refRules?: readonly {
            readonly pattern: string;
            readonly write: 'write' | 'admin';
            /** Whether a push may leave the history of a branch, and move or delete a tag. */
            readonly allowForce?: boolean | undefined;
        }[] | undefined;
        readonly publishers?: readonly {
            readonly name: string;
            readonly preset: 'github' | 'gitlab' | 'other';
            readonly contents: 'read' | 'write';
            readonly claims: readonly string[];
            readonly issuer?: string | undefined;
            readonly refs?: readonly string[] | undefined;
            readonly maxSeconds?: number | undefined;
            readonly label?: string | undefined;
        }[] | undefined;
    }[] | undefined;
    readonly hubTokens?: readonly {
        readonly account: string;
        readonly name: string;
        readonly kind: 'read' | 'write' | 'fine-grained' | 'admin' | 'storage' | 'forge';
        readonly grants?: readonly {
            readonly on: string;
            readonly contents: 'read' | 'write';
            readonly refs?: readonly string[] | undefined;
        }[] | undefined;
        readonly adminScopes?: readonly ('account' | 'namespace' | 'repository' | 'ref' | 'hub-token' | 'revoke' | 'keys' | 'changes' | 'explain' | 'apply')[] | undefined;
        readonly namespaces?: readonly string[] | undefined;
        readonly storage?: string | undefined;
        readonly expiresAt?: string | undefined;
    }[] | undefined;
}
export interface Account {
    /** The id that storage tokens carry as their subject. */
    readonly id: string;
    readonly name: string;
    readonly kind: 'user' | 'service';
    readonly administrator: boolean;
    readonly disabled: boolean;
    readonly createdAt: string;
}
export interface Namespace {
    readonly id: string;
    readonly name: string;
    /** The storage of its new repositories. */
    readonly storage: string;
    /** The maximum number of bytes of its repositories together, in each storage. */
    readonly quotaBytes?: number | undefined;
    /** The sum of the quotas of its repositories, if the namespace has a quota. */
    readonly dividedBytes?: number | undefined;
    readonly createdAt: string;
}
export interface Team {
    readonly id: string;
    readonly namespace: string;
    readonly team: string;
    /** The role of its members in the whole namespace. */
    readonly role: 'none' | 'read' | 'write' | 'admin';
    readonly createdAt: string;
}
export interface Repository {
    /** The id that storage tokens carry; a repository made again has another. */
    readonly uid: string;
    readonly repository: string;
    readonly visibility: 'public' | 'private';
    readonly defaultBranch: string;
    /** The storage that holds its content. */
    readonly storage: string;
    /** The maximum number of bytes of its content. The storage can have a lower limit. */
    readonly quotaBytes?: number | undefined;
    /** The storage to which its content moves. Uploads get 503 in the meantime. */
    readonly movesTo?: string | undefined;
    /** The journal number of the entry that closed uploads for the move. */
    readonly movesNumber?: number | undefined;
    readonly createdAt: string;
}
export interface Publisher {
    readonly repository: string;
    readonly publisher: string;
    readonly preset: 'github' | 'gitlab' | 'other';
    readonly issuer: string;
    readonly claims: readonly string[];
    readonly contents: 'read' | 'write';
    readonly refs?: readonly string[] | undefined;
    readonly maxSeconds: number;
    readonly label?: string | undefined;
    /** The service account that the hub made for it. */
    readonly account: string;
    readonly createdAt: string;
}
export interface Ref {
    /** The id that storage tokens carry; a ref made again, or a tag moved, has another. */
    readonly uid: string;
    readonly name: string;
    /** The full hash it points to; 40 zeros while it has no commit yet. */
    readonly commit: string;
    /** The ref it was made from. */
    readonly from?: string | undefined;
    readonly forkedAt?: string | undefined;
    readonly createdAt: string;
}
export interface HubToken {
    readonly id: string;
    readonly account: string;
    readonly name: string;
    readonly kind: 'read' | 'write' | 'fine-grained' | 'admin' | 'storage' | 'forge';
    /**
     * How it came to be: by an administrator, by its own account, by a sign-in, by a device
     * login, or for a CI job.
     */
    readonly origin: 'admin' | 'self' | 'session' | 'device' | 'ci';
    /** The last characters of its random part, to tell tokens apart. */
    readonly hint: string;
    readonly grants?: readonly {
        readonly on: string;
        readonly contents: 'read' | 'write';
        readonly refs?: readonly string[] | undefined;
    }[] | undefined;
    readonly adminScopes?: readonly string[] | undefined;
    readonly namespaces?: readonly string[] | undefined;
    readonly storage?: string | undefined;
    readonly createdAt: string;
    readonly expiresAt?: string | undefined;
    readonly revokedAt?: string | undefined;
    readonly lastUsedAt?: string | undefined;
}
export interface AccountList {
    /** The entries of this page, in order. */
    readonly items: readonly Account[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface AccountDeleted {
    /** The deleted account. */
    readonly deleted: string;
}
export interface AccountLinkResult {
    readonly account: string;
    readonly provider: string;
    readonly issuer: string;
    readonly subject: string;
    readonly createdAt: string;
}
export interface Identity {
    readonly provider: string;
    /** How many sessions it ended. */
    readonly sessions: number;
    /** How many device logins it ended. */
    readonly deviceLogins: number;
    /** How many memberships in teams it ended. */
    readonly memberships: number;
}
export interface IdentityList {
    /** The entries of this page, in order. */
    readonly items: readonly AccountLinkResult[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface NamespaceList {
    /** The entries of this page, in order. */
    readonly items: readonly Namespace[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface NamespaceDeleted {
    /** The deleted namespace. */
    readonly deleted: string;
}
export interface Member {
    readonly namespace: string;
    readonly account: string;
    readonly role: 'read' | 'write' | 'admin';
}
export interface MemberList {
    /** The entries of this page, in order. */
    readonly items: readonly Member[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface MemberDeleted {
    /** The account that is not a member any more. */
    readonly deleted: string;
}
export interface TeamList {
    /** The entries of this page, in order. */
    readonly items: readonly Team[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface TeamDeleted {
    /** The deleted team. */
    readonly deleted: string;
}
export interface TeamMember {
    readonly namespace: string;
    readonly team: string;
    readonly account: string;
    /** When the membership ends. */
    readonly until?: string | undefined;
}
export interface TeamMemberList {
    /** The entries of this page, in order. */
    readonly items: readonly TeamMember[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface TeamMemberDeleted {
    /** The account that is not in the team any more. */
    readonly deleted: string;
}
export interface TeamGroup {
    readonly namespace: string;
    readonly team: string;
    readonly provider: string;
    readonly group: string;
}
export interface TeamGroupList {
    /** The entries of this page, in order. */
    readonly items: readonly TeamGroup[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface TeamGroupDeleted {
    /** The group that the team does not name any more. */
    readonly deleted: string;
}
export interface RepositoryList {
    /** The entries of this page, in order. */
    readonly items: readonly Repository[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface RepoMoveStorageResult {
    /** The id that storage tokens carry; a repository made again has another. */
    readonly uid: string;
    readonly repository: string;
    readonly visibility: 'public' | 'private';
    readonly defaultBranch: string;
    /** The storage that holds its content. */
    readonly storage: string;
    /** The maximum number of bytes of its content. The storage can have a lower limit. */
    readonly quotaBytes?: number | undefined;
    /** The storage to which its content moves. Uploads get 503 in the meantime. */
    readonly movesTo?: string | undefined;
    /** The journal number of the entry that closed uploads for the move. */
    readonly movesNumber?: number | undefined;
    readonly createdAt: string;
    /** The start of the URL of the storage that had the content before this step. */
    readonly sourceAudience: string;
    /** The start of the URL of the other storage. */
    readonly targetAudience: string;
}
export interface RepositoryDeleted {
    /** The deleted repository. */
    readonly deleted: string;
}
export interface Collaborator {
    readonly repository: string;
    readonly account: string;
    readonly role: 'read' | 'write' | 'admin';
}
export interface CollaboratorList {
    /** The entries of this page, in order. */
    readonly items: readonly Collaborator[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface CollaboratorDeleted {
    /** The account that is not a collaborator any more. */
    readonly deleted: string;
}
export interface TeamRole {
    readonly repository: string;
    readonly team: string;
    readonly role: 'read' | 'write' | 'admin';
}
export interface TeamRoleList {
    /** The entries of this page, in order. */
    readonly items: readonly TeamRole[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface TeamRoleDeleted {
    /** The team without a role there any more. */
    readonly deleted: string;
}
export interface RefRule {
    readonly repository: string;
    readonly pattern: string;
    readonly write: 'write' | 'admin';
    /** Whether a push may leave the history of a branch, and move or delete a tag. */
    readonly allowForce?: boolean | undefined;
}
export interface RefRuleList {
    /** The entries of this page, in order. */
    readonly items: readonly RefRule[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface RefRuleDeleted {
    /** The pattern that has no rule any more. */
    readonly deleted: string;
}
export interface PublisherList {
    /** The entries of this page, in order. */
    readonly items: readonly Publisher[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface PublisherDeleted {
    /** The trusted publisher that does not exist any more. */
    readonly deleted: string;
}
export interface PublisherEntry {
    readonly at: string;
    readonly publisher: string;
    readonly issuer: string;
    /** Why the hub refused the exchange. */
    readonly reason: string;
    /** The claims of the id token that the rule names. */
    readonly claims: readonly string[];
}
export interface PublisherRefusalsResult {
    /** The entries of this page, in order. */
    readonly items: readonly PublisherEntry[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface PublisherExplainResult {
    readonly allowed: boolean;
    readonly detail: string;
    readonly steps: readonly {
        readonly step: string;
        readonly passed: boolean;
        readonly detail: string;
    }[];
}
export interface Forge {
    readonly forge: string;
    /** The id of the forge before it, if there was one. */
    readonly before?: string | undefined;
}
export interface RefList {
    /** The entries of this page, in order. */
    readonly items: readonly Ref[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface RefUpdateResult {
    /** The changes; empty if all refs matched already. */
    readonly changes: readonly {
        readonly what: 'account' | 'namespace' | 'repository' | 'ref' | 'commit' | 'publisher' | 'hub-token';
        readonly name: string;
        readonly did: 'created' | 'changed' | 'deleted' | 'recorded' | 'revoked';
    }[];
    /** Skipped names: no ref can have them here, or a branch or tag has the same name. */
    readonly ignored: readonly string[];
}
export interface RefDeleted {
    /** The deleted ref. */
    readonly deleted: string;
}
export interface Commit {
    readonly uid: string;
    readonly hash: string;
    readonly recordedAt: string;
    /** The refs that contain it, in the order of recording; at most 100. */
    readonly on: readonly string[];
}
export interface CommitList {
    /** The entries of this page, in order. */
    readonly items: readonly Commit[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface HubTokenCreateResult {
    readonly id: string;
    readonly account: string;
    readonly name: string;
    readonly kind: 'read' | 'write' | 'fine-grained' | 'admin' | 'storage' | 'forge';
    /**
     * How it came to be: by an administrator, by its own account, by a sign-in, by a device
     * login, or for a CI job.
     */
    readonly origin: 'admin' | 'self' | 'session' | 'device' | 'ci';
    /** The last characters of its random part, to tell tokens apart. */
    readonly hint: string;
    readonly grants?: readonly {
        readonly on: string;
        readonly contents: 'read' | 'write';
        readonly refs?: readonly string[] | undefined;
    }[] | undefined;
    readonly adminScopes?: readonly string[] | undefined;
    readonly namespaces?: readonly string[] | undefined;
    readonly storage?: string | undefined;
    readonly createdAt: string;
    readonly expiresAt?: string | undefined;
    readonly revokedAt?: string | undefined;
    readonly lastUsedAt?: string | undefined;
    /** The hub token itself. It is not stored and not shown again. */
    readonly token: Secret<'hub-token'>;
}
export interface HubTokenList {
    /** The entries of this page, in order. */
    readonly items: readonly HubToken[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface RevocationResult {
    /** false if there was no token to revoke. */
    readonly revoked: boolean;
    /** The revoked tokens, or the reason why none was revoked, in words. */
    readonly what: string;
    /** The journal number: storage tokens that were issued before it are revoked. */
    readonly number?: number | undefined;
    /** The time until gates and storages reject the tokens, in words. */
    readonly bounds?: string | undefined;
    /** The remaining access, and how to remove it. */
    readonly advice?: string | undefined;
    readonly account?: string | undefined;
    readonly hubToken?: string | undefined;
    readonly repository?: string | undefined;
    readonly ref?: string | undefined;
    /** The id of the storage token: its jti. */
    readonly tokenId?: string | undefined;
}
export interface Key {
    /** The RFC 7638 thumbprint, as in a token header. */
    readonly kid: string;
    /** The use of the key: storage tokens, or heads of revocation lists. */
    readonly purpose: 'tokens' | 'revocations';
    readonly alg: string;
    readonly state: 'published' | 'signing' | 'retiring';
    /** Since when it is in this state. */
    readonly since: string;
    /** The next step. */
    readonly next?: 'signs' | 'retires' | 'gets a successor' | 'is removed' | undefined;
    /** The time of the next step, if a hub runs. */
    readonly nextAt?: string | undefined;
    readonly createdAt: string;
}
export interface KeyList {
    /** The entries of this page, in order. */
    readonly items: readonly Key[];
    /** How many entries there are on all pages. */
    readonly total: number;
    /** Pass it as "after" to read the next page. */
    readonly next?: string | undefined;
}
export interface KeySteps {
    /** The steps that were taken. */
    readonly done: readonly string[];
    /** The kid of the key that signs now. */
    readonly signing?: string | undefined;
    /** The next steps, with their times. */
    readonly next: readonly string[];
    /** The effects of removing a key immediately. */
    readonly cost?: string | undefined;
}
export interface Change {
    /** Rises with every change, and is never used twice. */
    readonly number: number;
    /** The number of the entry before. */
    readonly previous: number;
    readonly at: string;
    /** The operation or the command. */
    readonly verb: string;
    /** The kind of the changed object. */
    readonly thing: string;
    /** The change: created, changed, deleted, recorded, revoked or opened. */
    readonly did: string;
    readonly actor: {
        /** The account of the actor. */
        readonly account?: string | undefined;
        readonly accountId?: string | undefined;
        /** The id of the hub token of the actor. */
        readonly hubToken?: string | undefined;
        /** The operating system's user, for a command. */
        readonly user?: string | undefined;
    };
    readonly requestId?: string | undefined;
    readonly account?: string | undefined;
    readonly accountId?: string | undefined;
    /** The id of the hub token that has changed. */
    readonly hubToken?: string | undefined;
    readonly namespace?: string | undefined;
    readonly namespaceId?: string | undefined;
    readonly repository?: string | undefined;
    readonly repositoryUid?: string | undefined;
    readonly ref?: string | undefined;
    readonly refUid?: string | undefined;
    /** Whether the change may reduce access. */
    readonly narrows: boolean;
    /** The values before, without secrets. */
    readonly before?: Readonly<Record<string, unknown>> | undefined;
    /** The values after, without secrets. */
    readonly after?: Readonly<Record<string, unknown>> | undefined;
}
export interface ChangeList {
    /** The entries, in order. */
    readonly items: readonly Change[];
    /** Pass it as "after" to continue. */
    readonly last: number;
    /** Entries before this number were removed by retention. */
    readonly oldest: number;
}
export interface Explanation {
    readonly allowed: boolean;
    /** The code of the error. */
    readonly code?: string | undefined;
    readonly detail: string;
    readonly steps: readonly {
        readonly step: string;
        readonly passed: boolean;
        readonly detail: string;
    }[];
}
export interface ApplyResult {
    /** true for a dry run: the hub made none of the changes. */
    readonly dryRun?: boolean | undefined;
    /** The changes, in order; empty if everything matched already. */
    readonly changes: readonly {
        readonly what: 'account' | 'namespace' | 'repository' | 'ref' | 'commit' | 'publisher' | 'hub-token';
        readonly name: string;
        readonly did: 'created' | 'changed' | 'deleted' | 'recorded' | 'revoked';
    }[];
    /** The new hub tokens, shown only once. */
    readonly hubTokens: readonly {
        readonly account: string;
        readonly name: string;
        readonly token: Secret<'hub-token'>;
    }[];
}
/** The input of `accountCreate`. */
export interface AccountCreateInput {
    /** The name of the new account, unique ignoring case. */
    readonly name: string;
    /**
     * The kind of the account: user (a person) or service.
     * @default "user"
     */
    readonly kind?: 'user' | 'service' | undefined;
    /**
     * Can have admin hub tokens, which manage this hub.
     * @default false
     */
    readonly administrator?: boolean | undefined;
    /**
     * A disabled account cannot use the hub.
     * @default false
     */
    readonly disabled?: boolean | undefined;
}
/** The input of `accountList`. */
export interface AccountListInput {
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `accountShow`. */
export interface AccountShowInput {
    /** The name of the account. */
    readonly account: string;
}
/** The input of `accountSet`. */
export interface AccountSetInput {
    /** The name of the account. */
    readonly account: string;
    /** The kind of the account: user (a person) or service. */
    readonly kind?: 'user' | 'service' | undefined;
    /** Can have admin hub tokens, which manage this hub. */
    readonly administrator?: boolean | undefined;
    /** A disabled account cannot use the hub until it is enabled again. */
    readonly disabled?: boolean | undefined;
}
/** The input of `accountDelete`. */
export interface AccountDeleteInput {
    /** The name of the account. */
    readonly account: string;
}
/** The input of `accountLink`. */
export interface AccountLinkInput {
    /** The name of the account. */
    readonly account: string;
    /** The name of the identity provider in the configuration. */
    readonly provider: string;
    /** The issuer of the identity provider. */
    readonly issuer: string;
    /** The subject (sub) under which the provider knows the person. */
    readonly subject: string;
}
/** The input of `accountUnlink`. */
export interface AccountUnlinkInput {
    /** The name of the account. */
    readonly account: string;
    /** The issuer of the identity provider. */
    readonly issuer: string;
    /** The subject (sub) under which the provider knows the person. */
    readonly subject: string;
}
/** The input of `identityEnd`. */
export interface IdentityEndInput {
    /** The name of the identity provider, also of one that was removed. */
    readonly provider: string;
}
/** The input of `identityList`. */
export interface IdentityListInput {
    /** The name of the account. */
    readonly account: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `namespaceCreate`. */
export interface NamespaceCreateInput {
    /** The name of the new namespace, unique ignoring case. */
    readonly name: string;
    /** The storage of its new repositories; without it, the storage "default". */
    readonly storage?: string | undefined;
    /** The maximum size of its repositories together, such as 500GB, or none. */
    readonly quota?: string | undefined;
}
/** The input of `namespaceList`. */
export interface NamespaceListInput {
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `namespaceShow`. */
export interface NamespaceShowInput {
    /** The name of the namespace. */
    readonly namespace: string;
}
/** The input of `namespaceSet`. */
export interface NamespaceSetInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The storage of its new repositories. */
    readonly storage?: string | undefined;
    /** The maximum size of its repositories together, such as 500GB, or none. */
    readonly quota?: string | undefined;
}
/** The input of `namespaceDelete`. */
export interface NamespaceDeleteInput {
    /** The name of the namespace. */
    readonly namespace: string;
}
/** The input of `memberSet`. */
export interface MemberSetInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The account that is or becomes a member. */
    readonly account: string;
    /** The role of the member; admin includes write, and write includes read. */
    readonly role: 'read' | 'write' | 'admin';
}
/** The input of `memberList`. */
export interface MemberListInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `memberDelete`. */
export interface MemberDeleteInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The account that is or becomes a member. */
    readonly account: string;
}
/** The input of `teamCreate`. */
export interface TeamCreateInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The name of the new team, unique in its namespace ignoring case. */
    readonly team: string;
    /**
     * The role of its members in the whole namespace; none: only in repositories.
     * @default "none"
     */
    readonly role?: 'none' | 'read' | 'write' | 'admin' | undefined;
}
/** The input of `teamList`. */
export interface TeamListInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `teamShow`. */
export interface TeamShowInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The name of the team in its namespace. */
    readonly team: string;
}
/** The input of `teamSet`. */
export interface TeamSetInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The name of the team in its namespace. */
    readonly team: string;
    /** The role of its members in the whole namespace, or none. */
    readonly role: 'none' | 'read' | 'write' | 'admin';
}
/** The input of `teamDelete`. */
export interface TeamDeleteInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The name of the team in its namespace. */
    readonly team: string;
}
/** The input of `teamMemberSet`. */
export interface TeamMemberSetInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The name of the team in its namespace. */
    readonly team: string;
    /** The account that is or becomes a member of the team. */
    readonly account: string;
    /** When the membership ends: a time with its zone, or never. */
    readonly until?: string | undefined;
}
/** The input of `teamMemberList`. */
export interface TeamMemberListInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The name of the team in its namespace. */
    readonly team: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `teamMemberDelete`. */
export interface TeamMemberDeleteInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The name of the team in its namespace. */
    readonly team: string;
    /** The account that is or becomes a member of the team. */
    readonly account: string;
}
/** The input of `teamGroupSet`. */
export interface TeamGroupSetInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The name of the team in its namespace. */
    readonly team: string;
    /** The name of an identity provider of the configuration. */
    readonly provider: string;
    /**
     * A value of the groups claim of the provider, compared exactly: its people become
     * members.
     */
    readonly group: string;
}
/** The input of `teamGroupList`. */
export interface TeamGroupListInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The name of the team in its namespace. */
    readonly team: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `teamGroupDelete`. */
export interface TeamGroupDeleteInput {
    /** The name of the namespace. */
    readonly namespace: string;
    /** The name of the team in its namespace. */
    readonly team: string;
    /** The name of an identity provider of the configuration. */
    readonly provider: string;
    /**
     * A value of the groups claim of the provider, compared exactly: its people become
     * members.
     */
    readonly group: string;
}
/** The input of `repoCreate`. */
export interface RepoCreateInput {
    /** The new repository, such as models/acme/bert. */
    readonly repository: string;
    /**
     * public: every account may read it; private: only accounts with a role.
     * @default "private"
     */
    readonly visibility?: 'public' | 'private' | undefined;
    /**
     * The default branch; it is created without a commit.
     * @default "main"
     */
    readonly defaultBranch?: string | undefined;
    /** The storage for its content; without it, the storage of its namespace. */
    readonly storage?: string | undefined;
    /** The maximum size of its content, such as 50GB, or none. */
    readonly quota?: string | undefined;
}
/** The input of `repoList`. */
export interface RepoListInput {
    /** Only the repositories of this namespace. */
    readonly namespace?: string | undefined;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `repoShow`. */
export interface RepoShowInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
}
/** The input of `repoSet`. */
export interface RepoSetInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** public: every account may read it; private: only accounts with a role. */
    readonly visibility?: 'public' | 'private' | undefined;
    /** The default branch; created without a commit if it does not exist. */
    readonly defaultBranch?: string | undefined;
    /** The maximum size of its content, such as 50GB, or none. */
    readonly quota?: string | undefined;
}
/** The input of `repoMoveStorage`. */
export interface RepoMoveStorageInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The storage to which its content moves. */
    readonly to: string;
    /**
     * close: uploads get 503 from now on; switch: the content is at the other storage, and all
     * storage tokens of the repository end; cancel: the content stays.
     */
    readonly step: 'close' | 'switch' | 'cancel';
    /** For switch: the "movesNumber" that close returned. After a later close, it is refused. */
    readonly movesNumber?: number | undefined;
}
/** The input of `repoDelete`. */
export interface RepoDeleteInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
}
/** The input of `collaboratorSet`. */
export interface CollaboratorSetInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The account that is or becomes a collaborator. */
    readonly account: string;
    /** The role of the account; admin includes write, and write includes read. */
    readonly role: 'read' | 'write' | 'admin';
}
/** The input of `collaboratorList`. */
export interface CollaboratorListInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `collaboratorDelete`. */
export interface CollaboratorDeleteInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The account that is or becomes a collaborator. */
    readonly account: string;
}
/** The input of `teamRoleSet`. */
export interface TeamRoleSetInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The name of a team of the repository's namespace. */
    readonly team: string;
    /** The role of its members; admin includes write, and write includes read. */
    readonly role: 'read' | 'write' | 'admin';
}
/** The input of `teamRoleList`. */
export interface TeamRoleListInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `teamRoleDelete`. */
export interface TeamRoleDeleteInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The name of a team of the repository's namespace. */
    readonly team: string;
}
/** The input of `refRuleSet`. */
export interface RefRuleSetInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /**
     * The pattern of the refs: main, release/* or refs/pr/**; a bare pattern means branches, *
     * stays within a segment.
     */
    readonly pattern: string;
    /** The role that writing requires. */
    readonly write: 'write' | 'admin';
    /**
     * A push may leave the history of a branch, and move or delete a tag.
     * @default false
     */
    readonly allowForce?: boolean | undefined;
}
/** The input of `refRuleList`. */
export interface RefRuleListInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `refRuleDelete`. */
export interface RefRuleDeleteInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /**
     * The pattern of the refs: main, release/* or refs/pr/**; a bare pattern means branches, *
     * stays within a segment.
     */
    readonly pattern: string;
}
/** The input of `publisherCreate`. */
export interface PublisherCreateInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The name of the trusted publisher in its repository. */
    readonly publisher: string;
    /** github or gitlab require the claims that identify a project there; other requires sub. */
    readonly preset: 'github' | 'gitlab' | 'other';
    /** Whether the jobs may read or also write the content. */
    readonly contents: 'read' | 'write';
    /**
     * A claim and its exact value, such as repository_id=74. A claim that is named twice may
     * have either value.
     */
    readonly claims: readonly string[];
    /** The issuer of the id tokens; without it, that of github.com or gitlab.com. */
    readonly issuer?: string | undefined;
    /**
     * The refs of the repository that it may use: main, release/* or refs/pr/**. A publisher
     * that writes needs them; one that reads may use every ref without them.
     */
    readonly refs?: readonly string[] | undefined;
    /**
     * How many seconds a hub token of a job lives, up to 3600.
     * @default 3600
     */
    readonly maxSeconds?: number | undefined;
    /** A name to show, such as acme/bert. It is never compared. */
    readonly label?: string | undefined;
}
/** The input of `publisherList`. */
export interface PublisherListInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `publisherShow`. */
export interface PublisherShowInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The name of the trusted publisher in its repository. */
    readonly publisher: string;
}
/** The input of `publisherSet`. */
export interface PublisherSetInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The name of the trusted publisher in its repository. */
    readonly publisher: string;
    /** Whether the jobs may read or also write the content. */
    readonly contents?: 'read' | 'write' | undefined;
    /**
     * A claim and its exact value, such as repository_id=74. A claim that is named twice may
     * have either value.
     */
    readonly claims?: readonly string[] | undefined;
    /**
     * The refs of the repository that it may use: main, release/* or refs/pr/**. A publisher
     * that writes needs them; one that reads may use every ref without them.
     */
    readonly refs?: readonly string[] | undefined;
    /** How many seconds a hub token of a job lives, up to 3600. */
    readonly maxSeconds?: number | undefined;
    /** A name to show, such as acme/bert. It is never compared. */
    readonly label?: string | undefined;
}
/** The input of `publisherDelete`. */
export interface PublisherDeleteInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The name of the trusted publisher in its repository. */
    readonly publisher: string;
}
/** The input of `publisherRefusals`. */
export interface PublisherRefusalsInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `publisherExplain`. */
export interface PublisherExplainInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The claims of the id token as JSON, without its signature. */
    readonly payload: string;
}
/** The input of `forgeAdopt`. */
export interface ForgeAdoptInput {
    /** The id of the forge: it reports the id when the hub refuses it. */
    readonly forge: string;
}
/** The input of `refSet`. */
export interface RefSetInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The ref: a branch such as main, or a full name such as refs/tags/v1.0 or refs/pr/1. */
    readonly ref: string;
    /**
     * The full hash it points to from now on. Without one, a ref that exists stays where it
     * is, and a new one gets the commit of the branch it is made from, or none yet.
     */
    readonly commit?: string | undefined;
    /**
     * The branch that a new ref is made from, whose content up to now it shares; never
     * changes.
     */
    readonly from?: string | undefined;
    /**
     * Only if it points to this commit now; 40 zeros: only if it does not exist or has no
     * commit yet.
     */
    readonly expect?: string | undefined;
}
/** The input of `refList`. */
export interface RefListInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `refShow`. */
export interface RefShowInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The ref: a branch such as main, or a full name such as refs/tags/v1.0 or refs/pr/1. */
    readonly ref: string;
}
/** The input of `refUpdate`. */
export interface RefUpdateInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** One for each ref that the push has changed. */
    readonly updates: readonly {
        /** The full name of the ref, such as refs/heads/main. */
        readonly ref: string;
        /** The commit that it had; 40 zeros if it did not exist. */
        readonly old: string;
        /** The commit that it has now; 40 zeros if it is deleted. */
        readonly new: string;
    }[];
    /**
     * Set the refs without comparing their old commits first.
     * @default false
     */
    readonly force?: boolean | undefined;
    /**
     * Delete refs of a forge repository even if other refs or recorded commits need their
     * content, which is then lost.
     * @default false
     */
    readonly loseContent?: boolean | undefined;
}
/** The input of `refDelete`. */
export interface RefDeleteInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The ref: a branch such as main, or a full name such as refs/tags/v1.0 or refs/pr/1. */
    readonly ref: string;
    /**
     * Delete refs of a forge repository even if other refs or recorded commits need their
     * content, which is then lost.
     * @default false
     */
    readonly loseContent?: boolean | undefined;
}
/** The input of `commitRecord`. */
export interface CommitRecordInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The full hash of the commit. */
    readonly hash: string;
    /** A branch that contains the commit, or a full name such as refs/pr/1. */
    readonly on?: readonly string[] | undefined;
}
/** The input of `commitList`. */
export interface CommitListInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `hubTokenCreate`. */
export interface HubTokenCreateInput {
    /** The account of the hub token. */
    readonly account: string;
    /** The name of the hub token, such as laptop or ci. */
    readonly name: string;
    /**
     * read or write: wherever the account may; fine-grained: as its grants allow; admin:
     * manages this hub; storage: for a separate storage, and forge: for a separate forge, both
     * without access to content.
     */
    readonly kind: 'read' | 'write' | 'fine-grained' | 'admin' | 'storage' | 'forge';
    /** For storage: the storage that uses it; without it, the storage "default". */
    readonly storage?: string | undefined;
    /**
     * For admin: manages only these namespaces, where the account has the role admin; it need
     * not be an administrator of the hub.
     */
    readonly namespaces?: readonly string[] | undefined;
    /** For fine-grained: where it may read or write; replaces the earlier grants. */
    readonly grants?: readonly {
        readonly on: string;
        readonly contents: 'read' | 'write';
        readonly refs?: readonly string[] | undefined;
    }[] | undefined;
    /** For admin: the admin scopes that limit it; without them, it may do everything. */
    readonly adminScopes?: readonly ('account' | 'namespace' | 'repository' | 'ref' | 'hub-token' | 'revoke' | 'keys' | 'changes' | 'explain' | 'apply')[] | undefined;
    /** When it ends: a time with its zone such as 2027-01-01T00:00:00Z, or never. */
    readonly expiresAt?: string | undefined;
}
/** The input of `hubTokenList`. */
export interface HubTokenListInput {
    /** Only the hub tokens of this account. */
    readonly account?: string | undefined;
    /**
     * live: not revoked; revoked: only those; all: both.
     * @default "live"
     */
    readonly state?: 'live' | 'revoked' | 'all' | undefined;
    /** Only hub tokens with this hint: the last four characters before the checksum. */
    readonly hint?: string | undefined;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `hubTokenShow`. */
export interface HubTokenShowInput {
    /** The id of the hub token, as the list shows it. */
    readonly hubToken: string;
}
/** The input of `hubTokenSet`. */
export interface HubTokenSetInput {
    /** The id of the hub token, as the list shows it. */
    readonly hubToken: string;
    /** For fine-grained: where it may read or write; replaces the earlier grants. */
    readonly grants?: readonly {
        readonly on: string;
        readonly contents: 'read' | 'write';
        readonly refs?: readonly string[] | undefined;
    }[] | undefined;
    /** For admin: the admin scopes that limit it; without them, it may do everything. */
    readonly adminScopes?: readonly ('account' | 'namespace' | 'repository' | 'ref' | 'hub-token' | 'revoke' | 'keys' | 'changes' | 'explain' | 'apply')[] | undefined;
    /** When it ends: a time with its zone such as 2027-01-01T00:00:00Z, or never. */
    readonly expiresAt?: string | undefined;
}
/** The input of `hubTokenRevoke`. */
export interface HubTokenRevokeInput {
    /** The id of the hub token, as the list shows it. */
    readonly hubToken: string;
}
/** The input of `revokeToken`. */
export interface RevokeTokenInput {
    /** The storage token itself. It is neither stored nor logged. */
    readonly token: string | Secret<'access-token'>;
}
/** The input of `revokeHubToken`. */
export interface RevokeHubTokenInput {
    /** The id of the hub token, as the list shows it. */
    readonly hubToken: string;
}
/** The input of `revokeAccount`. */
export interface RevokeAccountInput {
    /** The account whose storage tokens end. */
    readonly account: string;
}
/** The input of `revokeRepository`. */
export interface RevokeRepositoryInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
}
/** The input of `revokeRef`. */
export interface RevokeRefInput {
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** The ref: a branch such as main, or a full name such as refs/tags/v1.0 or refs/pr/1. */
    readonly ref: string;
}
/** The input of `keysList`. */
export interface KeysListInput {
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
    /** Continue after this entry: the "next" of the page before. */
    readonly after?: string | undefined;
}
/** The input of `keysRotate`. */
export interface KeysRotateInput {
    /**
     * The use of the keys: tokens or revocations.
     * @default "tokens"
     */
    readonly use?: 'tokens' | 'revocations' | undefined;
    /**
     * The keys have leaked: remove all keys of this use immediately, invalidate their
     * signatures, and sign with a new key.
     * @default false
     */
    readonly compromised?: boolean | undefined;
}
/** The input of `keysRetire`. */
export interface KeysRetireInput {
    /** The kid of the key, as the list shows it. */
    readonly kid: string;
    /**
     * The key has leaked: remove it immediately, and invalidate its signatures.
     * @default false
     */
    readonly compromised?: boolean | undefined;
}
/** The input of `changes`. */
export interface ChangesInput {
    /** Only entries after this journal number, or from this time on. */
    readonly after?: string | undefined;
    /**
     * How many seconds to wait for a change where there is none yet, up to 60.
     * @default 0
     */
    readonly wait?: number | undefined;
    /** Only the newest entries, this many at most, up to 1000. Not together with after. */
    readonly last?: number | undefined;
    /** Only entries about this repository. */
    readonly repository?: string | undefined;
    /** Only entries about this account, or by it. */
    readonly account?: string | undefined;
    /**
     * The maximum number of entries, up to 1000.
     * @default 100
     */
    readonly limit?: number | undefined;
}
/** The input of `explain`. */
export interface ExplainInput {
    /** The scope of the storage token: read or write. */
    readonly scope: 'read' | 'write';
    /** The repository, such as models/acme/bert. */
    readonly repository: string;
    /** A branch, tag, full ref name or full hash; without one, the default branch. */
    readonly revision?: string | undefined;
    /** The account of the request. */
    readonly account: string;
    /** The id of its hub token; without it, any write token. */
    readonly hubToken?: string | undefined;
}
/** The input of `explainSignIn`. */
export interface ExplainSignInInput {
    /** The name of the identity provider in the configuration. */
    readonly provider: string;
    /** The claims of the id token as JSON, without its signature. */
    readonly payload: string;
}
/** The input of `apply`. */
export interface ApplyInput {
    /** The apply file: its JSON text, or the object itself. */
    readonly file: string | DirectoryFile;
    /**
     * Also delete objects that the file does not name, in the sections that it has.
     * @default false
     */
    readonly prune?: boolean | undefined;
    /**
     * Only return the changes; the hub changes no object and creates no token.
     * @default false
     */
    readonly dryRun?: boolean | undefined;
    /**
     * Delete refs of a forge repository even if other refs or recorded commits need their
     * content, which is then lost.
     * @default false
     */
    readonly loseContent?: boolean | undefined;
}
export interface Whoami {
    readonly account: {
        readonly name: string;
        readonly kind: 'user' | 'service';
        readonly administrator: boolean;
    };
    readonly hubToken: HubToken;
}

// wire/call-hub.d.ts
/** One operation: asked, repeated where that is safe, and its response read. */
import { askHub, type credentialOf } from '@latchkey/client/parts';
import type { OperationRow } from '../operations/rows.js';
import type { OperationOptions } from '../operations/types.js';
export type OperationInput = Readonly<Record<string, unknown>>;
type AskOptions = Parameters<typeof askHub>[0];
export interface Calling extends AskOptions {
    readonly credential: ReturnType<typeof credentialOf>;
    readonly random: () => number;
    readonly retryTimeoutSeconds: number;
}
export declare function callHub(calling: Calling, row: OperationRow, input: OperationInput, { signal }?: OperationOptions): Promise<unknown>;
export {};

// wire/secrets.d.ts
/** Secrets in inputs and results: text on the wire, and nowhere else. */
/** JSON with the text of secrets, for a request or for the one place where a new hub token is stored. */
export declare function textWithSecrets(value: unknown): string;
/** Turns the text at these members into secrets. */
export declare function withSecrets(value: unknown, places: readonly (readonly string[])[]): unknown;
