// What hub declares, written by `npm run api`.
// . is index.d.ts
// ./management is management.d.ts
// ./hub-token is identity/hub-token.d.ts
// ./backup is backup/index.d.ts
// ./checks is checks/index.d.ts

// access/access-store.d.ts
/** What the access room asks a store. The store answers with rows and decides nothing. */
import type { AccountId, CommitHash, JournalNumber, RefName, RefUid, RepoRef, Role } from '@latchkey/protocol';
import type { CallerRecord } from '../identity/caller.js';
import type { Holder, RefFacts, RepositoryFacts } from '../permission/access-facts.js';
import type { Moment } from './moment.js';
export type { CallerRecord };
/** Each question is one round trip. Two questions may be answered from different snapshots. A store caches no answer. */
export interface AccessStore {
    /** Whether the version has every change that was committed before it was asked for. */
    readonly isExact: boolean;
    /** Another one after every change of the directory. Throws where the store has not heard of it for too long. */
    version(): DirectoryVersion;
    /** Whether what was found under a version may still be signed. */
    isFresh(learned: Moment): boolean;
    /** Does what asks the store, and once more when a database that was unavailable is back: a short wait, then it throws. */
    untilBack<Result>(work: () => Result | Promise<Result>): Result | Promise<Result>;
    /**
     * Without an account, only a public repository is found. The repository and its refs are of one snapshot. An absent and
     * a hidden repository must cost the same work. A store that waits for nothing answers at once.
     */
    find(question: StoreQuestion): StoreAnswer | Promise<StoreAnswer>;
    /** Every hub token prefix ever configured: asked once after each change. */
    findPrefixes(): Promise<ReadonlySet<string>>;
}
/**
 * How new the directory is. A question that is asked after the version was answered is answered from a snapshot that has
 * every entry up to `number`.
 */
export interface DirectoryVersion {
    /** The journal's last number. */
    readonly number: JournalNumber;
    /** Differs where something was written past the journal, or a copy was put back in which the number came again. */
    readonly mark: number;
    /** The directory was not newer at this moment. */
    readonly learned: Moment;
}
export interface StoreQuestion {
    /** Undefined where no caller is to be found. */
    readonly hubTokenHash: string | undefined;
    /** Undefined where no repository is to be found. */
    readonly about: Looked | undefined;
    /** As whom to look the repository up; undefined where it need not be. */
    readonly viewerOf: (caller: CallerRecord | undefined) => Viewer | undefined;
}
export interface Looked {
    readonly repo: RepoRef;
    readonly names: RevisionNames;
}
/** Without an account, the repository is looked up as a stranger would find it. */
export interface Viewer {
    readonly accountId: AccountId | undefined;
}
export interface StoreAnswer {
    readonly caller: CallerRecord | undefined;
    /** Undefined where it was not looked up. */
    readonly repository: FoundRepository | undefined;
}
/** By which names a revision is looked up; with none, no ref is found. */
export interface RevisionNames {
    readonly commit?: CommitHash;
    readonly tag?: RefName;
    /** A branch or another ref that moves. */
    readonly moving?: RefName | 'default branch';
}
/** `hidden`: the repository is private and the account has no role in it. Nothing else of it leaves the store. */
export type FoundRepository = RepositoryRecord | 'hidden' | 'absent';
export interface RepositoryRecord extends Omit<RepositoryFacts, 'role' | 'ref'> {
    /** The account's role in the namespace. */
    readonly memberRole: Role | null;
    readonly collaboratorRole: Role | null;
    /** The tag or commit that was asked for. */
    readonly fixed: FixedRefRecord | undefined;
    readonly moving: MovingRefRecord | undefined;
}
export interface MovingRefRecord extends Pick<RefFacts, 'uid' | 'name' | 'commit'> {
    /** The fork that made the ref, the fork that made its origin, and so on; at most `mostAncestors`. */
    readonly forks: readonly Fork[];
}
export interface FixedRefRecord extends Pick<RefFacts, 'uid' | 'name' | 'commit'> {
    /** The moving refs that hold the commit, in the order in which they came to hold it. */
    readonly holders: readonly HolderRecord[];
    /** Names of deleted refs that held the commit; the hash itself for a time without a known holder. */
    readonly pastHolders: readonly string[];
    /** Every fork in the repository, in any order, or none when no holder was forked. */
    readonly forks: readonly Fork[];
}
export interface HolderRecord extends Omit<Holder, 'ancestry'> {
    /** Lower for a ref that was created earlier. */
    readonly refPosition: number;
}
export interface Fork {
    readonly uid: RefUid;
    readonly fromUid: RefUid;
    readonly forkedNumber: JournalNumber;
}
/** A longer line of forks is cut. */
export declare const mostAncestors = 8;

// access/answer-cache.d.ts
/** Answers of the store by their question, until the store has changed. */
import { type CacheBound } from '@latchkey/service/limits/growing-cache';
type Defined = NonNullable<unknown>;
export interface AnswerCache<Answer extends Defined> {
    get(key: string): Answer | undefined;
    /** To be called before a question is asked. Its answer is kept unless the cache is emptied before it comes. */
    asking(): (key: string, answer: Answer) => void;
    empty(): void;
}
export declare function answerCache<Answer extends Defined>(bound: CacheBound<Answer>): AnswerCache<Answer>;
export {};

// access/caches.d.ts
/** How many answers the access room keeps. */
import type { CallerRecord } from '../identity/caller.js';
import type { RepositoryFacts } from '../permission/access-facts.js';
export type Caches = ReturnType<typeof emptyCaches>;
/** `false` stands for an absent one: it must cost as much as a hidden repository, which is cached too. */
export declare function emptyCaches(): {
    callers: import("./answer-cache.js").AnswerCache<false | CallerRecord>;
    repositories: import("./answer-cache.js").AnswerCache<false | RepositoryFacts>;
    prefixes: import("./answer-cache.js").AnswerCache<ReadonlySet<string>>;
};

// access/find-access.d.ts
/** Finds what bears on one token request: the caller, and the repository as the caller's account sees it. */
import type { CacheBound } from '@latchkey/service/limits/growing-cache';
import type { AccessStore, DirectoryVersion } from './access-store.js';
import { type AnswerCache } from './answer-cache.js';
import { type AccessFacts, type AccessQuestion } from './look-up.js';
import type { Moment } from './moment.js';
export interface Access {
    /** At once when the caches have all of them. */
    findAccess(question: AccessQuestion): AccessFacts | Promise<AccessFacts>;
    /** Every hub token prefix ever configured; at once when the cache has them. */
    knownPrefixes(): ReadonlySet<string> | Promise<ReadonlySet<string>>;
    /** The same, and every one that was configured before the question is among them. */
    currentPrefixes(): ReadonlySet<string> | Promise<ReadonlySet<string>>;
    /** Whether facts of this moment may still be signed. */
    isFresh(learned: Moment): boolean;
    /** Undefined where the store has not heard of its version for too long. */
    currentVersion(): DirectoryVersion | undefined;
    /** A cache that is emptied with the others, for what follows from the facts alone. */
    cacheOf<Answer extends NonNullable<unknown>>(bound: CacheBound<Answer>): AnswerCache<Answer>;
}
/** Caches the store's answers while its version stays. A request whose answers are cached waits for nothing. */
export declare function accessOf(store: AccessStore): Access;

// access/find-repository.d.ts
/** Looks a repository up for an account, and says what the account may know of it. */
import { type AccountId, type RepoRef } from '@latchkey/protocol';
import { type RepositoryFacts, type WantedRevision } from '../permission/access-facts.js';
import type { AccessStore, FoundRepository, RevisionNames } from './access-store.js';
export type FindRepository = (accountId: AccountId | undefined, repo: RepoRef, revision: WantedRevision) => Promise<RepositoryFacts | undefined>;
/** Asks the store each time; token requests have caches instead. */
export declare function repositoryFinder(store: Pick<AccessStore, 'find' | 'untilBack'>): FindRepository;
/**
 * Security boundary: of a private repository in which the account has no role, the decision learns only that there is
 * one. It is the same value for every such repository.
 */
export declare function whatAccountSees(found: FoundRepository): RepositoryFacts | undefined;
export declare function namesOf(revision: WantedRevision): RevisionNames;

// access/look-up.d.ts
/** Looks up the caller and the repository of one request: in the caches first, and what they lack in one question. */
import { type JournalNumber, type RepoRef, type UnixSeconds } from '@latchkey/protocol';
import { type CallerRecord } from '../identity/caller.js';
import type { RepositoryFacts, WantedRevision } from '../permission/access-facts.js';
import type { AccessStore, DirectoryVersion } from './access-store.js';
import type { Caches } from './caches.js';
import type { Moment } from './moment.js';
export interface AccessQuestion {
    /** With a hub token that has expired by now, no repository is looked up. */
    readonly now: UnixSeconds;
    /** Undefined for an anonymous caller. */
    readonly hubTokenHash: string | undefined;
    /** Undefined when no repository can have the requested name. */
    readonly repo: RepoRef | undefined;
    readonly revision: WantedRevision;
    /** Nothing is taken from a cache that may be older than the question. */
    readonly anew?: boolean;
}
export interface AccessFacts {
    /** Every fact is of a view of the directory that has the journal's entries up to this one, or more. */
    readonly asOf: JournalNumber;
    /** No fact is older than this moment. */
    readonly learned: Moment;
    /** Whether the facts have every change that was committed before the question. */
    readonly isCurrent: boolean;
    /** Whether the same was asked for lately: only then it is worth remembering. */
    readonly isRecurring: boolean;
    readonly caller: CallerRecord | undefined;
    readonly repository: RepositoryFacts | undefined;
}
/** Gives a promise only when the store has to be asked. */
export type LookUp = (question: AccessQuestion, version: DirectoryVersion) => AccessFacts | Promise<AccessFacts>;
export declare function lookUpIn(store: AccessStore, { callers, repositories }: Caches): LookUp;

// access/moment.d.ts
/** A point in time by two clocks: nobody sets the one, and the other runs on while a machine is suspended. */
export interface Moment {
    readonly steadyMs: number;
    readonly wallMs: number;
}
export type Moments = () => Moment;
/** How old what a hub knows may be when it signs a token by it. */
export interface Staleness {
    readonly now: Moments;
    readonly mostMs: number;
}
/** By the clock that has gone further: a process that was stopped for long must not sign what it knew before. */
export declare function isFresh(learned: Moment, { now, mostMs }: Staleness): boolean;

// as-caller/answers.d.ts
/** What a forge asks a hub, and what it is told. */
import type { IncomingMessage } from 'node:http';
import type { AnyId, CommitHash, NoCommit, RefName, RefUid, Refusal, RepoRef, RepositoryUid, RepoType, Revision, Role, Scope, Secret, UnixSeconds } from '@latchkey/protocol';
export interface ForgePort {
    /** The questions of one request. They are asked as its caller, and count as one request of its hub token. */
    asking(request: ForgeRequest): ForgeQuestions;
    /** For recovery alone. Undefined where there is no such repository. */
    refsOf(uid: RepositoryUid): Promise<ReadonlyMap<RefName, CommitHash> | undefined>;
    /** Content was stored for a ref that did not come to be: the storage may remove it. */
    dropReserved(uid: RepositoryUid, refUid: RefUid): Promise<void>;
    /** Deletes the refs of uploads that are over. Gives how many. */
    expireUploads(): Promise<number>;
    /** Those that were deleted. A uid that the hub has never heard of is not among them. */
    deletedAmong(uids: readonly RepositoryUid[]): Promise<readonly RepositoryUid[]>;
    /** The forge has these, or is about to: no command of the hub deletes a ref whose content is needed. */
    hold(uids: readonly RepositoryUid[]): Promise<void>;
    /** The forge has removed it. */
    release(uid: RepositoryUid): Promise<void>;
}
export interface ForgeRequest {
    readonly request: IncomingMessage;
    /** Its Authorization headers, each as a bearer: git sends its credential in another form. */
    readonly authorization: readonly string[];
    readonly requestId: AnyId;
}
export interface ForgeTarget {
    /** Undefined when no repository can have this name. */
    readonly repo: RepoRef | undefined;
    /** Undefined for the default branch. */
    readonly revision: Revision | undefined;
    readonly scope: Scope;
    /** The account that has made the pull request whose ref the revision is. */
    readonly proposer?: string | undefined;
}
export interface ForgeTokenTarget extends ForgeTarget {
    readonly repo: RepoRef;
    readonly revision: Revision;
    /** The token sees only what will be left when this ref is deleted. */
    readonly without?: RefUid | undefined;
}
export interface ForgeRef {
    readonly repo: RepoRef;
    readonly ref: RefName;
    readonly proposer?: string | undefined;
}
/** Absent and hidden repositories are refused alike. */
export interface ForgeQuestions {
    /** The account of the caller, once a question was answered. Until then, and for an anonymous caller, the network of the client. */
    payer(): string;
    /** Counts a request that needs no hub token: one that comes without counts for its address. */
    admit(): Promise<Refusal | undefined>;
    whoami(): Promise<ForgeCaller | Refusal>;
    decide(target: ForgeTarget): Promise<ForgePermitted | Refusal>;
    describe(uid: RepositoryUid): Promise<ForgeRepository | undefined>;
    /** A new token each time. */
    storageToken(target: ForgeTokenTarget): Promise<ForgeStorageToken | Refusal>;
    refs(repo: RepoRef | undefined): Promise<ForgeRefs | Refusal>;
    /** Those that the caller may read. */
    repositories(listing: ForgeListing): Promise<ForgePage | Refusal>;
    createRepository(wanted: ForgeNewRepository): Promise<ForgeMade | Refusal>;
    deleteRepository(repo: RepoRef | undefined): Promise<{
        readonly uid: RepositoryUid;
    } | Refusal>;
    /** Only from the commit that is expected. The decision is made again in the same transaction. */
    moveRef(move: ForgeMove): Promise<Refusal | undefined>;
    deleteRef(deletion: ForgeDeletion): Promise<Refusal | undefined>;
    /** Whether the caller may make the ref, and a place for the content that must be there before it. */
    newRef(wanted: ForgeRef): Promise<ForgeReserved | Refusal>;
    /** What may lose content with the ref, if the caller may delete it. */
    dependents(wanted: ForgeRef): Promise<ForgeDependents | Refusal>;
    /** Whether the caller may read the revision and propose changes. The caller gets a ref to upload into. */
    openUpload(target: ForgeTarget): Promise<ForgePermitted | Refusal>;
    /** Tokens to read what the caller has uploaded so. */
    uploadTokens(repo: RepoRef): Promise<readonly ForgeStorageToken[]>;
}
export interface ForgeCaller {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly hubToken: {
        readonly name: string;
        readonly kind: string;
        readonly createdAt: string;
    };
    readonly namespaces: readonly {
        readonly name: string;
        readonly role: Role;
    }[];
}
export interface ForgePermitted {
    readonly repo: RepoRef;
    readonly repositoryUid: RepositoryUid;
    /** The name is a hash where the revision is a commit. */
    readonly ref: {
        readonly name: RefName | CommitHash;
        readonly uid: RefUid;
    };
    readonly commit: CommitHash | NoCommit;
    readonly account: string;
    /** Of the account. */
    readonly accountId: string;
    /** Whether the hub token reads every ref of the repository, and so the whole history. */
    readonly readsEveryRef: boolean;
    /** Whether the account can do no more than propose. Told where it proposes. */
    readonly isReader?: boolean;
}
export interface ForgeRepository {
    readonly visibility: 'public' | 'private';
    readonly defaultBranch: RefName;
    readonly createdAt: string;
}
export interface ForgeStorageToken {
    readonly refUid: RefUid;
    readonly casUrl: string;
    readonly accessToken: Secret<'access-token'>;
    readonly expiresAt: UnixSeconds;
}
export interface ForgeRefs {
    readonly repositoryUid: RepositoryUid;
    /** Those that the caller may read. */
    readonly refs: ReadonlyMap<RefName, CommitHash | NoCommit>;
    /** Whether there is no other, and the caller may read any that comes. */
    readonly isAll: boolean;
}
export interface ForgeNewRepository {
    readonly repo: RepoRef;
    readonly visibility: 'public' | 'private';
}
export interface ForgeMade {
    readonly uid: RepositoryUid;
    readonly defaultBranch: RefName;
    readonly account: string;
}
export interface ForgeReserved {
    /** No ref has it yet. */
    readonly refUid: RefUid;
    readonly token: ForgeStorageToken;
    readonly repositoryUid: RepositoryUid;
    readonly account: string;
    readonly accountId: string;
}
export interface ForgeDependents {
    readonly repositoryUid: RepositoryUid;
    readonly refUid: RefUid;
    readonly commit: CommitHash | NoCommit;
    /** Commits on record that the ref had first. */
    readonly commits: readonly {
        readonly hash: CommitHash;
        /** Whether another branch has it, too. */
        readonly isHeldElsewhere: boolean;
    }[];
    /** Refs made from it, and refs that point to one of the commits. */
    readonly refs: readonly {
        readonly name: RefName;
        readonly commit: CommitHash | NoCommit;
    }[];
}
export interface ForgeMove extends ForgeRef {
    readonly from: CommitHash | NoCommit;
    /** None for a branch that is made without a commit. */
    readonly to: CommitHash | NoCommit;
    /** The ref that content was stored for. A ref that is not there is made with this uid. */
    readonly refUid?: RefUid | undefined;
    readonly isNew?: boolean;
}
export interface ForgeDeletion extends ForgeRef {
    readonly from: CommitHash | NoCommit;
    readonly refUid: RefUid;
    /** What has its content elsewhere now. Refused if the ref has more dependents. */
    readonly saved: Pick<ForgeDependents, 'commits' | 'refs'>;
}
/** By name, one type at a time. */
export interface ForgeListing {
    readonly type: RepoType;
    readonly namespace?: string | undefined;
    /** A part of namespace and name, in any case. */
    readonly search?: string | undefined;
    /** The `next` of the page before, or the repository of it that was shown last, as `formatRepoRef` gives it. */
    readonly after?: string | undefined;
    readonly limit: number;
}
export interface ForgePage {
    readonly repositories: readonly ForgeListed[];
    /** Undefined on the last page. A search may have fewer repositories than the limit, and still another page behind it. */
    readonly next: string | undefined;
}
export interface ForgeListed {
    readonly repo: RepoRef;
    readonly uid: RepositoryUid;
    readonly visibility: 'public' | 'private';
    readonly commit: CommitHash | NoCommit;
    readonly createdAt: string;
    readonly updatedAt: string;
}

// as-caller/forge-rules.d.ts
/** What an operator decides about repositories that clients make. */
export interface ForgeRules {
    /** Whether every account may create repositories in a namespace of its own name, which is made with the first. */
    readonly ownNamespaces: boolean;
    readonly repositoriesPerNamespace: number;
    readonly refsPerRepository: number;
}
export declare const usualForgeRules: ForgeRules;

// data/copy-store.d.ts
/** Copies the directory of one database into another one. */
import { type OnCopyProgress } from '@latchkey/service/copy/copy-between';
import type { OnCopyProgress } from '@latchkey/service/copy/progress';
import { type DatabasePlace } from './open-store.js';
export interface StoreCopy {
    /** Files with relative names lie in it. */
    readonly data: string;
    readonly from: DatabasePlace;
    readonly to: DatabasePlace;
    readonly onProgress?: OnCopyProgress;
}
export interface CopiedStore {
    /** The last number of the journal that the copy has. */
    readonly number: number;
    readonly rows: number;
    /** An earlier run had copied some of them. */
    readonly isResumed: boolean;
    /** In words for people. */
    readonly from: string;
    readonly to: string;
}
export declare function copyStore({ data, from, to, onProgress }: StoreCopy): Promise<CopiedStore>;

// data/data-directory.d.ts
/** The data directory of a hub. */
export declare function prepareDataDirectory(data: string, { create }: {
    create: boolean;
}): readonly string[];

// data/demo-mark.d.ts
/** Demo data and real data never share a directory. */
import type { Directory, Reading } from '../tables/directory.js';
export declare function claimForDemo(directory: Directory, data: string): Promise<void>;
export declare function refuseDemoData(directory: Pick<Directory, 'read'>, data: string): Promise<void>;
export declare function refuseRealData(directory: Directory, data: string): Promise<void>;
export declare function isDemoData(tables: Reading): Promise<boolean>;

// data/demo-tokens.d.ts
/** Security boundary: the secrets of the demo's hub tokens, derived from its master key so that a restart keeps them. */
import type { Secret, UnixSeconds } from '@latchkey/protocol';
import type { SealedUnder } from '../keys/stored-verifying-keys.js';
import type { Reading } from '../tables/directory.js';
export interface DemoToken {
    readonly token: Secret<'hub-token'>;
    /** What the token is made of. */
    readonly bytes: Buffer;
    /** Undefined where no hub token has this secret yet. */
    readonly id: string | undefined;
    /** An earlier one of this name was revoked, or has expired. */
    readonly isReplacement: boolean;
// backup/hub-backup.d.ts
/** The hub in the folder of a backup. */
import type { Store } from '../stores/store.js';
/** While others read and write. A copy that is there is replaced. */
export declare function backUpHub(store: Pick<Store, 'backup'>, folder: string): Promise<void>;
export interface HubInBackup {
    /** The name of the file. */
    readonly database: string;
    /** The number of the journal's last entry. */
    readonly journal: number;
}
/** Undefined where the backup has no hub. */
export declare function hubIn(folder: string): Promise<HubInBackup | undefined>;
/** The uids of the repositories that the directory of the backup has. */
export declare function repositoryUidsIn(folder: string): Promise<ReadonlySet<string>>;
/** Before anything is written: this program cannot open the backup of a newer one. */
export declare function refuseNewerHub(folder: string): void;
/** The database of a lost hub, by its data directory or by the file itself. */
export declare function lostDatabase(place: string): string;

// backup/index.d.ts
/** A hub's part of a backup: what to copy, and how it comes back. */
export { databaseIn } from '../data/data-directory.js';
export { masterKeyFile } from '../keys/master-key.js';
export type { RepeatedEntry } from '../restore/repeat-narrowing.js';
export { type HubRestore, type RestoreDeps, type RestoredHub, restoredDatabase, restoreHub, } from '../restore/restore-hub.js';
export type { Usable } from '../restore/usable.js';
export { type OpenJournal, openJournal } from '../stores/sqlite/open-journal.js';
export { backUpHub, type HubInBackup, hubIn, lostDatabase, refuseNewerHub, repositoryUidsIn, } from './hub-backup.js';

// checks/data-directory.d.ts
/** Whether the data belong to one user, and no other can read them. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from './installation.js';
export declare const dataDirectory: Check<HubInstallation>;

// checks/database.d.ts
/** Whether the database of the hub opens, and is one that this program can work with. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from './installation.js';
export declare const database: Check<HubInstallation>;

// checks/index.d.ts
/** The health checks of a hub. */
export { dataDirectory } from './data-directory.js';
export { database } from './database.js';
export type { HubInstallation } from './installation.js';
export { journal } from './journal.js';
export { masterKey } from './master-key.js';
export { clock } from './postgres/clock.js';
export { durability } from './postgres/durability.js';
export { knownServer } from './postgres/known-server.js';
export { notifications } from './postgres/notifications.js';
export { rights } from './postgres/rights.js';
export { schema } from './postgres/schema.js';
export { server } from './postgres/server.js';
export { staleness } from './postgres/staleness.js';
export { type JournalReading, withJournal, withRepositoryUids } from './readings.js';
export { rollback } from './rollback.js';
export { signingKeys } from './signing-keys.js';

// checks/installation.d.ts
/** The hub of an installation, for its checks. */
import type { DatabaseAnswer } from '@latchkey/service/checks';
import type { HubSettings } from '../start/settings.js';
import type { InspectedPostgres } from '../stores/postgres/inspect-store.js';
export interface HubInstallation {
    readonly settings: HubSettings;
    readonly databaseKind: 'sqlite' | 'postgres';
    /** The file of an SQLite database; empty for PostgreSQL. */
    readonly file: string;
    /** Names of files in the data directory that hold keys of other parts. */
    readonly otherKeyFiles: readonly string[];
    /** Tokens are refused where clocks are further apart. */
    readonly leewaySeconds: number;
    /** By this machine's clock, in milliseconds since 1970. */
    readonly nowMs: () => number;
    /** Whether a hub answers at the address of these settings. */
    readonly isRunning: () => Promise<boolean>;
    /** Of a PostgreSQL, once for all checks. */
    readonly database: () => Promise<DatabaseAnswer<InspectedPostgres>>;
}
export interface DemoSecrets extends SealedUnder {
    readonly hubTokenPrefix: string;
    readonly now: UnixSeconds;
}
interface Named {
    /** The account's name. */
    readonly account: string;
    readonly name: string;
}
/**
 * Only in a directory with the demo mark. Undefined without the account. The account's id is random and part of the derivation: the token opens no other
 * demo with the same master key, nor an account that was deleted and made again. A secret that was revoked never comes back: the next one is taken.
 */
export declare function findDemoToken(tables: Reading, { data, masterKey, hubTokenPrefix, now }: DemoSecrets, { account, name }: Named): Promise<DemoToken | undefined>;
export {};

// data/inspect-postgres.d.ts
/** The store in PostgreSQL for commands that look and change nothing: the driver is loaded when one is asked for. */
import type { PostgresSettings } from '@latchkey/service/postgres';
import type { InspectedPostgres } from '../stores/postgres/inspect-store.js';
export declare function inspectPostgres(settings: PostgresSettings): Promise<InspectedPostgres>;

// data/migrate-store.d.ts
/** Brings a database to this program's version, or says what that would do. */
import type { MigrationResult } from '@latchkey/service/postgres';
import { type DataPlace } from './open-store.js';
/** The schema, or the file. */
export declare function storeName({ data, database }: DataPlace): string;
export declare function migrateStore(place: DataPlace): Promise<MigrationResult>;
/** The SQL that `migrateStore` would run; empty where there is nothing to do. Changes nothing. */
export declare function pendingMigrations({ data, database }: DataPlace): Promise<string>;

// data/open-store.d.ts
/** Opens the store that the settings name, in a data directory that is fit for it. */
import type { PostgresSettings } from '@latchkey/service/postgres';
import type { PostgresStoreOptions } from '../stores/postgres/open-store.js';
import type { Store } from '../stores/store.js';
/** Where the data are, as the settings say it. */
export interface DataPlace {
    readonly data: string;
    readonly database: DatabasePlace;
}
/** `sqlite:FILE`, where a relative file lies in the data directory; or how a PostgreSQL is reached. */
export type DatabasePlace = string | PostgresSettings;
export interface OpenStoreOptions extends Pick<PostgresStoreOptions, 'hub' | 'listenAt' | 'staleness' | 'tell'> {
    /** Make the data directory and the database where there are none. */
    readonly create: boolean;
    /** What to do where there is no database, and none is to be made. */
    readonly ifMissing?: string;
    readonly busyTimeoutMs?: number;
    /** Milliseconds since 1970, for the numbers of the journal. */
    readonly nowMs?: () => number;
}
/** A PostgreSQL that is named counts as one: whether it is there shows when it is opened. */
export declare function hasStore({ data, database }: DataPlace): boolean;
export declare function openStore({ data, database }: DataPlace, { create, ifMissing, ...options }: OpenStoreOptions): Promise<Store>;
export declare function refuseMissing(file: string, ifMissing: string): void;
/** The name of the database until a restore has finished it: there from the restore's first step to its last. */
export declare function restoringFile(file: string): string;
/** Where the database is not there, and something else says that it was. */
export declare function refuseLostStore(data: string, file: string): void;
/** For what is done with a file alone. */
export declare function sqliteFile(data: string, database: DatabasePlace): string;

// checks/journal.d.ts
/** Whether the journal is whole at its end, and of the time that this machine's clock shows. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from './installation.js';
export declare const journal: Check<HubInstallation>;

// checks/master-key.d.ts
/** Whether the master key is there, and opens every signing key. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from './installation.js';
export declare const masterKey: Check<HubInstallation>;

// checks/postgres/clock.d.ts
/** Whether the database and this machine agree about the time, and with it all hubs of the database. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from '../installation.js';
export declare const clock: Check<HubInstallation>;

// checks/postgres/durability.d.ts
/** Whether what the hub acknowledges survives a crash of the server, and the loss of it. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from '../installation.js';
export declare const durability: Check<HubInstallation>;

// checks/postgres/known-server.d.ts
/** Whether this is the server on which hubs last worked, or another one took its place. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from '../installation.js';
export declare const knownServer: Check<HubInstallation>;

// checks/postgres/notifications.d.ts
/** Whether hubs hear of a change at once, or find it by asking. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from '../installation.js';
export declare const notifications: Check<HubInstallation>;

// checks/postgres/rights.d.ts
/** Whether the role can do what a hub does, and not much more. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from '../installation.js';
export declare const rights: Check<HubInstallation>;

// checks/postgres/schema.d.ts
/** Whether the tables of the hub are there, whole, and of this program's version. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from '../installation.js';
export declare const schema: Check<HubInstallation>;

// checks/postgres/server.d.ts
/** Whether PostgreSQL can be reached and used, and takes changes. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from '../installation.js';
export declare const server: Check<HubInstallation>;

// checks/postgres/staleness.d.ts
/** How long access that was withdrawn can still be used, by these settings. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from '../installation.js';
export declare const staleness: Check<HubInstallation>;

// checks/readings.d.ts
/** Facts of the directory that the checks of other parts need. */
import type { Finding } from '@latchkey/service/checks';
import type { HubInstallation } from './installation.js';
/** The journal of the hub, as far as it concerns somebody who follows it. */
export interface JournalReading {
    /** The number of its last entry. */
    head(): Promise<number>;
    countAfter(number: number): Promise<number>;
}
export declare function withJournal(installation: HubInstallation, run: (journal: JournalReading) => Promise<readonly Finding[]>): Promise<readonly Finding[]>;
/** The uids of all repositories. */
export declare function withRepositoryUids(installation: HubInstallation, run: (uids: ReadonlySet<string>) => readonly Finding[]): Promise<readonly Finding[]>;

// checks/rollback.d.ts
/** Whether an older copy of the database was put back, and which hub tokens may work again since then. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from './installation.js';
export declare const rollback: Check<HubInstallation>;

// checks/signing-keys.d.ts
/** Whether there is a key of each use that signs, and the rotation takes its steps in time. */
import { type Check } from '@latchkey/service/checks';
import type { HubInstallation } from './installation.js';
export declare const signingKeys: Check<HubInstallation>;

// data/copy-store.d.ts
/** Copies the directory of one database into another one. */
import type { OnCopyProgress } from '@latchkey/service/copy/progress';
import { type DatabasePlace } from './open-store.js';
export interface StoreCopy {
    /** Files with relative names lie in it. */
    readonly data: string;
    readonly from: DatabasePlace;
    readonly to: DatabasePlace;
    readonly onProgress?: OnCopyProgress;
}
export interface CopiedStore {
    /** The last number of the journal that the copy has. */
    readonly number: number;
    readonly rows: number;
    /** An earlier run had copied some of them. */
    readonly isResumed: boolean;
    /** In words for people. */
    readonly from: string;
    readonly to: string;
}
export declare function copyStore({ data, from, to, onProgress }: StoreCopy): Promise<CopiedStore>;

// data/data-directory.d.ts
/** The data directory of a hub. */
/** Where the database lies in a backup, and in a data directory unless its operator says otherwise. */
export declare function databaseIn(folder: string): string;
export declare function prepareDataDirectory(data: string, { create }: {
    create: boolean;
}): readonly string[];

// data/demo-mark.d.ts
/** Demo data and real data never share a directory. */
import type { Directory, Reading } from '../tables/directory.js';
export declare function claimForDemo(directory: Directory, data: string): Promise<void>;
export declare function refuseDemoData(directory: Pick<Directory, 'read'>, data: string): Promise<void>;
export declare function refuseRealData(directory: Directory, data: string): Promise<void>;
export declare function isDemoData(tables: Reading): Promise<boolean>;

// data/demo-tokens.d.ts
/** Security boundary: the secrets of the demo's hub tokens, derived from its master key so that a restart keeps them. */
import type { Secret, UnixSeconds } from '@latchkey/protocol';
import type { SealedUnder } from '../keys/stored-verifying-keys.js';
import type { Reading } from '../tables/directory.js';
export interface DemoToken {
    readonly token: Secret<'hub-token'>;
    /** What the token is made of. */
    readonly bytes: Buffer;
    /** Undefined where no hub token has this secret yet. */
    readonly id: string | undefined;
    /** An earlier one of this name was revoked, or has expired. */
    readonly isReplacement: boolean;
}
export interface DemoSecrets extends SealedUnder {
    readonly hubTokenPrefix: string;
    readonly now: UnixSeconds;
}
interface Named {
    /** The account's name. */
    readonly account: string;
    readonly name: string;
}
/**
 * Only in a directory with the demo mark. Undefined without the account. The account's id is random and part of the derivation: the token opens no other
 * demo with the same master key, nor an account that was deleted and made again. A secret that was revoked never comes back: the next one is taken.
 */
export declare function findDemoToken(tables: Reading, { data, masterKey, hubTokenPrefix, now }: DemoSecrets, { account, name }: Named): Promise<DemoToken | undefined>;
export {};

// data/inspect-postgres.d.ts
/** The store in PostgreSQL for commands that look and change nothing: the driver is loaded when one is asked for. */
import type { PostgresSettings } from '@latchkey/service/postgres';
import type { InspectedPostgres } from '../stores/postgres/inspect-store.js';
export declare function inspectPostgres(settings: PostgresSettings): Promise<InspectedPostgres>;

// data/migrate-store.d.ts
/** Brings a database to this program's version, or says what that would do. */
import type { MigrationResult } from '@latchkey/service/postgres';
import { type DataPlace } from './open-store.js';
/** The schema, or the file. */
export declare function storeName({ data, database }: DataPlace): string;
export declare function migrateStore(place: DataPlace): Promise<MigrationResult>;
/** The SQL that `migrateStore` would run; empty where there is nothing to do. Changes nothing. */
export declare function pendingMigrations({ data, database }: DataPlace): Promise<string>;

// data/open-store.d.ts
/** Opens the store that the settings name, in a data directory that is fit for it. */
import type { PostgresSettings } from '@latchkey/service/postgres';
import type { PostgresStoreOptions } from '../stores/postgres/open-store.js';
import type { Store } from '../stores/store.js';
/** Where the data are, as the settings say it. */
export interface DataPlace {
    readonly data: string;
    readonly database: DatabasePlace;
}
/** `sqlite:FILE`, where a relative file lies in the data directory; or how a PostgreSQL is reached. */
export type DatabasePlace = string | PostgresSettings;
export interface OpenStoreOptions extends Pick<PostgresStoreOptions, 'hub' | 'listenAt' | 'staleness' | 'tell'> {
    /** Make the data directory and the database where there are none. */
    readonly create: boolean;
    /** What to do where there is no database, and none is to be made. */
    readonly ifMissing?: string;
    readonly busyTimeoutMs?: number;
    /** Milliseconds since 1970, for the numbers of the journal. */
    readonly nowMs?: () => number;
}
/** A PostgreSQL that is named counts as one: whether it is there shows when it is opened. */
export declare function hasStore({ data, database }: DataPlace): boolean;
export declare function openStore({ data, database }: DataPlace, { create, ifMissing, ...options }: OpenStoreOptions): Promise<Store>;
export declare function refuseMissing(file: string, ifMissing: string): void;
/** The name of the database until a restore has finished it: there from the restore's first step to its last. */
export declare function restoringFile(file: string): string;
/** Where the database is not there, and something else says that it was. */
export declare function refuseLostStore(data: string, file: string): void;
/** For what is done with a file alone. */
export declare function sqliteFile(data: string, database: DatabasePlace): string;

// identity/caller.d.ts
/** The caller of a request: an account, identified by one of its hub tokens. */
import { type AccountId, type HubTokenGrant, type HubTokenId, type HubTokenKind, type UnixSeconds } from '@latchkey/protocol';
/** A hub token and its account, as the directory holds them. */
export interface CallerRecord {
    readonly accountId: AccountId;
    readonly accountName: string;
    readonly accountDisabled: boolean;
    readonly administrator: boolean;
    readonly hubTokenId: HubTokenId;
    readonly kind: HubTokenKind;
    readonly grants: readonly HubTokenGrant[];
    /** For an `admin` token: the verb groups it is limited to, if it is. */
    readonly verbGroups?: readonly string[];
    readonly expiresAt?: UnixSeconds;
    readonly revokedAt?: UnixSeconds;
}
/** A caller whose hub token and account are valid now. */
export interface Caller {
    readonly accountId: AccountId;
    readonly accountName: string;
    readonly administrator: boolean;
    readonly hubTokenId: HubTokenId;
    readonly kind: HubTokenKind | 'anonymous';
    readonly grants: readonly HubTokenGrant[];
    readonly verbGroups?: readonly string[];
    readonly expiresAt?: UnixSeconds;
}
export declare const anonymous: Caller;

// identity/embedded-credential.d.ts
/** The credential of the storage that a hub runs beside itself: made at every start, kept in memory only. */
import type { Secret } from '@latchkey/protocol';
import type { RandomBytes } from '@latchkey/service/machine/random';
export interface EmbeddedCredential {
    readonly credential: Secret<'hub-token'>;
    isSame(given: Secret<'hub-token'>): boolean;
}
/** It has the form of a hub token, so that logs scrub it; no directory has its hash, so only `isSame` accepts it. */
export declare function makeEmbeddedCredential(randomBytes: RandomBytes): Secret<'hub-token'>;
export declare function embeddedCredential(credential: Secret<'hub-token'>): EmbeddedCredential;

// identity/hub-token.d.ts
/** The hub token's format: how one is made, checked without a lookup, and stored as a hash. */
import { Secret } from '@latchkey/protocol';
import type { RandomBytes } from '@latchkey/service/machine/random';
export declare const defaultPrefix = "lk_";
export declare function makeHubToken(prefix: string, randomBytes: RandomBytes): Secret<'hub-token'>;
/** Undefined unless the prefix is one of ours and the checksum is right. */
export declare function parseHubToken(text: string, prefixes: ReadonlySet<string>): Secret<'hub-token'> | undefined;
/** What is stored in place of the token. */
export declare function hashHubToken(token: Secret<'hub-token'>): string;
/** The last four characters of the random part, to tell tokens apart in a list. */
export declare function hintOf(token: Secret<'hub-token'>): string;

// index.d.ts
/** The hub: accounts, repositories, refs and hub tokens in; storage tokens out. */
export type * from './as-caller/answers.js';
export { type ForgeRules, usualForgeRules } from './as-caller/forge-rules.js';
export { makeEmbeddedCredential } from './identity/embedded-credential.js';
export { parseMasterKey } from './keys/master-key.js';
export * from './management.js';
export { whatItSees } from './permission/what-it-sees.js';
export type { Forge, ForgeSurroundings, OpenForge } from './start/hub-context.js';
export type { HubSettings } from './start/settings.js';
export { type Embedded, type RunningHub, startHub } from './start/start-hub.js';

// issue/authenticate.d.ts
/** Authenticates a request: reads its credential, looks up the caller and the repository, judges and counts. */
import { type HubTokenId, type Refusal, type RepoRef, type UnixSeconds } from '@latchkey/protocol';
import type { Access } from '../access/find-access.js';
import type { AccessFacts } from '../access/look-up.js';
import { type Caller } from '../identity/caller.js';
import type { WantedRevision } from '../permission/access-facts.js';
import type { KnownAccounts } from './known-accounts.js';
import type { RequestLimits } from './request-limits.js';
export interface Credentials {
    /** Every Authorization header of the request. */
    readonly authorization: readonly string[];
    /** The hash of the one bearer credential among them, where it was computed before. */
    readonly hubTokenHash?: string | undefined;
    /** Where failures are counted; asked only when there is one. */
    readonly address: () => string;
    readonly now: UnixSeconds;
}
/** The repository of the request: it is looked up together with the caller. */
export interface About {
    readonly repo: RepoRef | undefined;
    readonly revision: WantedRevision;
}
export interface Authenticating extends Omit<Access, 'cacheOf' | 'currentVersion'> {
    readonly limits: RequestLimits;
    readonly accounts: KnownAccounts;
    readonly noteUse: (hubTokenId: HubTokenId, now: UnixSeconds) => void;
    /** Whether a request without a credential is let in as `anonymous`. */
    readonly admitsAnonymous: boolean;
}
/** The facts about a valid caller and the repository. */
export interface Facts extends Omit<AccessFacts, 'caller'> {
    readonly caller: Caller;
}
export interface Authenticated {
    readonly facts: Facts;
    /** The same once more, past every cache that may be older than the request. */
    readonly again: () => Promise<Facts | Refusal>;
}
/** The result of a request, and its caller for the log. */
export interface Outcome<Result> {
    readonly result: Result | Refusal;
    readonly caller?: Caller | undefined;
    /** The owner of a hub token that is revoked or has expired, or of a disabled account. For the log alone. */
    readonly refusedCaller?: LoggedCaller | undefined;
}
export type LoggedCaller = Pick<Caller, 'accountId' | 'accountName' | 'hubTokenId'>;
export declare function authenticate({ authorization, hubTokenHash: hashed, address, now }: Credentials, about: About, authenticating: Authenticating): Promise<Outcome<Authenticated>>;

// issue/known-accounts.d.ts
/** Remembers which account a hub token belongs to, for a request that has not been authenticated yet. */
import type { AccountId } from '@latchkey/protocol';
import type { Caller } from '../identity/caller.js';
/** It says only whose turn a request takes: a hub token that was revoked since is still refused. */
export interface KnownAccounts {
    of(hubTokenHash: string): AccountId | undefined;
    isStorage(hubTokenHash: string): boolean;
    /** The hub token was valid just now. */
    learn(hubTokenHash: string, caller: Pick<Caller, 'accountId' | 'kind'>): void;
    forget(hubTokenHash: string): void;
}
export declare function knownAccounts(): KnownAccounts;

// issue/request-limits.d.ts
/** How often one may ask: per hub token, and per address for requests that fail to authenticate. */
import type { HubTokenId, Refusal } from '@latchkey/protocol';
import { type Stopwatch } from '@latchkey/service/limits/limiter';
import type { SharedCounts } from '@latchkey/service/limits/shared-counts';
export interface RequestLimits {
    /** Undefined while the hub token stays within its limit. */
    forHubToken(hubTokenId: HubTokenId): Refusal | undefined;
    /** The same for callers without a name, who are told apart by their address. */
    forAnonymous(address: string): Refusal | undefined;
    /** Counts a failure; the refusal to give instead of the 401 once there are too many. */
    forFailure(address: string): Refusal | undefined;
    /** Whether an address has reached one of both limits; counts nothing. */
    isReached(address: string): boolean;
}
export interface LimitSettings {
    readonly requestsPerMinute: number;
    readonly failuresPerMinute: number;
}
export declare function requestLimits({ requestsPerMinute, failuresPerMinute }: LimitSettings, stopwatch: Stopwatch, counts?: SharedCounts): RequestLimits;

// journal/append-entries.d.ts
/** Appends entries to the journal: numbers rise with every entry, and with the clock. */
import { type JournalNumber } from '@latchkey/protocol';
import type { Change, Origin } from '../tables/change.js';
import type { Tables } from '../tables/directory.js';
/** In milliseconds since 1970. */
export type Now = () => number;
/** When a transaction began. All its entries have the one time, so that no number is below its time. */
export interface Beginning {
    /** The time by the clock, also where journal numbers are ahead of it. */
    readonly milliseconds: number;
    /** The number of its first entry. */
    readonly number: JournalNumber;
}
/**
 * The first statement of every change: it locks the one row, so that no other transaction takes the number. A clock that was
 * set back does not turn it back. Numbers of entries that were lost, up to `above`, are not used again.
 */
export declare function beginNumbers(tables: Tables, now: Now, above: number): Promise<Beginning>;
export declare function appendEntries(tables: Tables, changes: readonly Change[], { origin, beginning }: {
    readonly origin: Origin;
    readonly beginning: Beginning;
}): Promise<void>;
/** Called when the rows of the entries are written. */
export declare function closeJournal(tables: Tables): Promise<void>;

// keys/due-step.d.ts
/** Which step of the rotation is due: decided from the rows and the time alone. */
import type { UnixSeconds } from '@latchkey/protocol';
import type { Algorithm } from '@latchkey/token';
import type { KeyPurpose } from '../tables/schema.js';
import { type KeyFacts } from './key-state.js';
export type Step = {
    readonly do: 'publish';
    readonly purpose: KeyPurpose;
    readonly alg: Algorithm;
    /** When it is to sign; undefined lets it sign at once. */
    readonly activatesAt: number | undefined;
}
/** The key that signed until now retires. */
 | {
    readonly do: 'activate';
    readonly kid: string;
} | {
    readonly do: 'remove';
    readonly kid: string;
} | {
    readonly do: 'raise lifetime';
    readonly kid: string;
    readonly seconds: number;
};
export interface Schedule {
    readonly now: UnixSeconds;
    /** How long a key signs; 0 makes no new key by itself. */
    readonly rotationSeconds: number;
    /** How long what this hub signs lives, by purpose. */
    readonly lifetimes: Readonly<Record<KeyPurpose, number>>;
    /** For the first key of all. */
    readonly firstAlgorithm: Algorithm;
    /**
     * The algorithm that a hub was started with. Only a start asks for one: hubs that were started with different ones would
     * otherwise replace each other's keys for ever.
     */
    readonly wantedAlgorithm?: Algorithm | undefined;
}
/** The first of the steps that are due. A step that was taken can make another one due. */
export declare function dueStep(keys: readonly KeyFacts[], schedule: Schedule): Step | undefined;
/** The moments in the life of a key that signs: when its successor is published, and when that is to sign. */
export declare function lifeOf({ activated_at, created_at }: Pick<KeyFacts, 'activated_at' | 'created_at'>, rotationSeconds: number): {
    readonly publishAt: number;
    readonly activateAt: number;
};

// keys/find-master-key.d.ts
import { type MasterKey } from './master-key.js';
import { type SealedRow } from './seal.js';
/** The master key in the data directory that opens the keys. A rewrap that was cut off leaves two. */
export declare function findMasterKey(data: string, rows: readonly SealedRow[]): Promise<MasterKey>;

// keys/key-ring.d.ts
/** The signing keys of a hub, opened at start; the first ones are made then. */
import { type Refusal, type UnixSeconds } from '@latchkey/protocol';
import type { Store } from '../stores/store.js';
import type { Origin } from '../tables/change.js';
import type { Step } from './due-step.js';
import { type KeySettings, type KeyWork } from './key-work.js';
import { type LiveRing } from './live-ring.js';
import type { MasterKey } from './master-key.js';
import { type StoredKey } from './stored-keys.js';
export interface KeyRing extends LiveRing {
    /** For the verbs that rotate keys. */
    readonly work: KeyWork;
    /** Takes the steps of the rotation that are due now; another hub may have taken them. */
    rotate(now: UnixSeconds): Promise<readonly Step[] | Refusal>;
}
export interface KeyRingOptions extends KeySettings {
    readonly store: Pick<Store, 'directory' | 'readBeside' | 'access'>;
    readonly data: string;
    readonly masterKey: MasterKey | undefined;
    readonly now: UnixSeconds;
    /** Named in the journal as the maker of every step. */
    readonly origin: Origin;
    /** Told of a key that another program has added and this one cannot open. */
    readonly onUnopened?: (row: StoredKey) => void;
}
export declare function openKeyRing(options: KeyRingOptions): Promise<KeyRing>;

// keys/key-state.d.ts
/** The states of a key: published, then signing, then retiring; a removed key has no row. */
import type { KeyPurpose } from '../tables/schema.js';
import type { StoredKey } from './stored-keys.js';
export type KeyState = 'published' | 'signing' | 'retiring';
/** What a decision about a key looks at. */
export type KeyFacts = Omit<StoredKey, 'sealed'>;
export declare const keyPurposes: readonly ["tokens", "revocations"];
export declare function stateOf({ activated_at, retired_at, }: Pick<KeyFacts, 'activated_at' | 'retired_at'>): KeyState;
/** The keys of one purpose by their states. At most one signs. */
export interface KeysInStates<Key extends KeyFacts> {
    readonly all: readonly Key[];
    readonly published: readonly Key[];
    readonly signing: Key | undefined;
    readonly retiring: readonly Key[];
}
export declare function inStates<Key extends KeyFacts>(keys: readonly Key[], purpose: KeyPurpose): KeysInStates<Key>;

// keys/key-work.d.ts
/** What rotating keys needs beside the rows: how long things live here, and how a key is made. */
import type { Schedule } from './due-step.js';
import type { MakeKey } from './make-key.js';
export interface KeyWork extends Pick<Schedule, 'rotationSeconds' | 'lifetimes' | 'firstAlgorithm'> {
    readonly makeKey: MakeKey;
}
/** The settings of a hub that bear on its keys. */
export interface KeySettings {
    readonly token: {
        readonly algorithm: Schedule['firstAlgorithm'];
        readonly lifetimeSeconds: number;
    };
    readonly keys: {
        readonly rotationDays: number;
    };
}
export declare function keyWorkOf({ token, keys }: KeySettings, makeKey: MakeKey): KeyWork;

// keys/live-ring.d.ts
/** The keys of a running hub, as the table has them now: read again when the directory has changed. */
import type { SigningKey } from '@latchkey/token/signing';
import type { AccessStore } from '../access/access-store.js';
import type { StoredKey } from './stored-keys.js';
export interface KeysOfPurpose {
    /** False where this process cannot open any key that may sign: another master key was given to the directory. */
    canSign(): boolean;
    /** To be asked for where it can. */
    readonly signing: SigningKey;
    /** Every key that a verifier must know. */
    readonly published: readonly SigningKey[];
}
/** Every member gives the newest; a caller that keeps one keeps what may have been removed. */
export interface LiveRing extends KeysOfPurpose {
    /** The keys that sign heads of revocation lists; none of them is among the others. */
    readonly revocations: KeysOfPurpose;
    /** The ring has everything that was committed before this call, once the promise settles; at once without one. */
    follow(): void | Promise<void>;
}
export interface RingPorts {
    readonly store: Pick<AccessStore, 'version'>;
    /** What is committed. */
    readonly readKeys: () => Promise<readonly StoredKey[]>;
    /** Undefined for a row that the master key of this process does not open. */
    readonly open: (row: StoredKey) => Promise<SigningKey | undefined>;
    /** Told once of each. */
    readonly onUnopened: (row: StoredKey) => void;
}
export declare function liveRing({ store, readKeys, open, onUnopened }: RingPorts): LiveRing;

// keys/make-key.d.ts
/** Makes a key and seals it under the master key that the other keys are sealed with. */
import { type Refusal } from '@latchkey/protocol';
import type { Algorithm } from '@latchkey/token';
import type { MasterKey } from './master-key.js';
import { type SealedRow } from './seal.js';
/** `beside` are the keys of the transaction that the new one becomes part of. */
export type MakeKey = (alg: Algorithm, beside: readonly SealedRow[]) => Promise<SealedRow | Refusal>;
/** The master key is loaded only when a key is made. */
export declare function keyMaker(load: (beside: readonly SealedRow[]) => MasterKey | Promise<MasterKey>): MakeKey;
export declare function makeSealed(alg: Algorithm, masterKey: MasterKey): Promise<SealedRow>;

// keys/master-key.d.ts
/** The key that encrypts the signing keys: given by the operator, or made once beside the data. */
import { type Secret } from '@latchkey/protocol';
export type MasterKey = Secret<'master-key'>;
/** 32 bytes in base64; undefined for anything else. */
export declare function parseMasterKey(text: string): MasterKey | undefined;
export declare function masterKeyFile(data: string): string;
/** Where `keys rewrap` keeps the next one until the keys are sealed with it. */
export declare function nextMasterKeyFile(data: string): string;
/** The one in use, and the next one, as far as they are there. */
export declare function masterKeysIn(data: string): readonly MasterKey[];
export declare function readMasterKey(file: string): MasterKey;
/** Reads the key file, or makes it while nothing has been encrypted yet. */
export declare function loadMasterKey(data: string, { mayMake }: {
    mayMake: boolean;
}): MasterKey;

// keys/rewrap-files.d.ts
/** The master keys of a rewrap: where the new one comes from, and how it takes the place of the old one. */
import { type MasterKey } from './master-key.js';
export interface RewrapKeys {
    /** Those at hand, one of which should open the keys. */
    readonly old: readonly MasterKey[];
    readonly next: MasterKey;
    /** For when nothing was sealed with the new one: a file that was made for it goes. */
    discard(): void;
    /** For when everything is: the file of the old one makes room. Gives where the old one is kept, if it was a file. */
    putInPlace(): string | undefined;
}
interface Given {
    /** From the environment, where it is not in a file. */
    readonly current: MasterKey | undefined;
    /** Undefined makes one, in a file beside the old one. */
    readonly next: MasterKey | undefined;
}
export declare function rewrapKeysOf(data: string, { current, next }: Given): RewrapKeys;
export {};

// keys/rewrap.d.ts
/** The master key rotates: every private key is sealed anew, in one transaction. */
import { type Refusal, type UnixSeconds } from '@latchkey/protocol';
import type { Origin } from '../tables/change.js';
import type { Directory } from '../tables/directory.js';
import type { MasterKey } from './master-key.js';
export interface Rewrapping {
    /** The master keys at hand, one of which should open the keys. */
    readonly old: readonly MasterKey[];
    readonly next: MasterKey;
    readonly origin: Origin;
    readonly now: UnixSeconds;
}
/** `already`: an earlier attempt came so far, and was cut off after it. */
export interface Rewrapped {
    readonly did: 'rewrapped' | 'replaced' | 'already';
    readonly keys: number;
}
export declare function rewrapKeys(directory: Directory, { old, next, origin }: Rewrapping): Promise<Rewrapped | Refusal>;
/** The old master key is gone, and what was sealed with it: every key is removed, and new ones sign. */
export declare function replaceLostKeys(directory: Directory, { old, next, origin, now }: Rewrapping): Promise<Rewrapped | Refusal>;

// keys/seal.d.ts
/** Private keys at rest: AES-256-GCM under the master key, bound to their `kid` and algorithm. */
import type { Algorithm } from '@latchkey/token';
import { type SigningKey } from '@latchkey/token/signing';
import type { MasterKey } from './master-key.js';
export interface SealedRow {
    readonly kid: string;
    readonly alg: Algorithm;
    readonly sealed: string;
}
export declare function sealKey(key: SigningKey, masterKey: MasterKey): string;
/** Undefined when the master key is another one, or the row has been altered. */
export declare function unsealKey({ kid, alg, sealed }: SealedRow, masterKey: MasterKey): Promise<SigningKey | undefined>;
/** Whether the master key opens every one of them as the key that the row names. */
export declare function opensAll(rows: readonly SealedRow[], masterKey: MasterKey): Promise<boolean>;

// keys/stored-keys.d.ts
/** The rows of the keys, oldest first, with an algorithm that this program knows. */
import { type Algorithm } from '@latchkey/token';
import type { Reading } from '../tables/directory.js';
import type { KeyRow } from '../tables/rows.js';
export interface StoredKey extends KeyRow {
    readonly alg: Algorithm;
}
export declare function storedKeys(tables: Reading): Promise<readonly StoredKey[]>;

// keys/stored-verifying-keys.d.ts
/** The public halves of the stored keys, for a command on the machine that verifies a token and signs nothing. */
import type { KeySet } from '@latchkey/token';
import type { Reading } from '../tables/directory.js';
import type { MasterKey } from './master-key.js';
export interface SealedUnder {
    readonly data: string;
    /** Undefined is the one in the data directory. */
    readonly masterKey: MasterKey | undefined;
}
/** A key that cannot be opened is an error: without it, the hub's own tokens would look like those of another hub. */
export declare function storedVerifyingKeys(tables: Reading, { data, masterKey }: SealedUnder): Promise<KeySet>;

// link/repository-names.d.ts
/** The names of repositories, for commands that know them by uid. */
import { type RepoRef, type RepositoryUid } from '@latchkey/protocol';
import type { Store } from '../stores/store.js';
export interface LinkedRepositoryNames {
    uidOf(repo: RepoRef): Promise<RepositoryUid | undefined>;
    /** `models/acme/bert`; uids that the directory does not have are left out. */
    pathsOf(uids: readonly RepositoryUid[]): Promise<ReadonlyMap<RepositoryUid, string>>;
}
export declare function repositoryNames({ readBeside }: Pick<Store, 'readBeside'>): LinkedRepositoryNames;

// link/store-link.d.ts
/** The link of a storage straight to the hub's database, for commands on the hub's own machine. */
import { type JournalNumber, type RefUid, type RepositoryUid } from '@latchkey/protocol';
import type { Store } from '../stores/store.js';
import type { Origin } from '../tables/change.js';
type PlaceUid = RepositoryUid | RefUid;
/** The same answers as over HTTP, which the routes of the link give. */
export interface StoreLink {
    changes(question: {
        readonly after?: JournalNumber;
    }): Promise<StoreChanges | LostCursor>;
    raiseEpochs(repositories: readonly RepositoryUid[]): Promise<void>;
    /** Gives how many repositories there are. */
    raiseAllEpochs(): Promise<number>;
    findUnknown(uids: readonly PlaceUid[]): Promise<ReadonlySet<PlaceUid>>;
}
interface StoreChanges {
    readonly kind: 'changes';
    readonly number: JournalNumber;
    readonly removed: readonly PlaceUid[];
    readonly isComplete: boolean;
}
interface LostCursor {
    readonly kind: 'unknown cursor';
    /** The journal's last number. */
    readonly number: JournalNumber;
}
export declare function storeLink({ directory, readBeside }: Pick<Store, 'directory' | 'readBeside'>, origin: Origin): StoreLink;
export {};

// management.d.ts
/** The directory for those who manage it: its verbs and its store, and nothing that listens. */
export { accessOf } from './access/find-access.js';
export { repositoryFinder } from './access/find-repository.js';
export { type CopiedStore, copyStore } from './data/copy-store.js';
export { prepareDataDirectory } from './data/data-directory.js';
export { claimForDemo, refuseDemoData, refuseRealData } from './data/demo-mark.js';
export { type DemoSecrets, type DemoToken, findDemoToken } from './data/demo-tokens.js';
export { inspectPostgres } from './data/inspect-postgres.js';
export { migrateStore, pendingMigrations, storeName } from './data/migrate-store.js';
export { type DatabasePlace, hasStore, type OpenStoreOptions, openStore, refuseLostStore, restoringFile, sqliteFile, } from './data/open-store.js';
export { findMasterKey } from './keys/find-master-key.js';
export { inStates, keyPurposes } from './keys/key-state.js';
export { keyWorkOf } from './keys/key-work.js';
export { keyMaker } from './keys/make-key.js';
export type { MasterKey } from './keys/master-key.js';
export { nextOf } from './keys/next-of.js';
export { openEveryKey } from './keys/open-key.js';
export { type DatabasePlace, hasStore, type OpenStoreOptions, openStore, sqliteFile, } from './data/open-store.js';
export { findMasterKey } from './keys/find-master-key.js';
export { keyWorkOf } from './keys/key-work.js';
export { keyMaker } from './keys/make-key.js';
export type { MasterKey } from './keys/master-key.js';
export { type Rewrapped, replaceLostKeys, rewrapKeys } from './keys/rewrap.js';
export { type RewrapKeys, rewrapKeysOf } from './keys/rewrap-files.js';
export { storedVerifyingKeys } from './keys/stored-verifying-keys.js';
export { type LinkedRepositoryNames, repositoryNames } from './link/repository-names.js';
export { type StoreLink, storeLink } from './link/store-link.js';
export { refuseLongAddresses } from './minting/refuse-long-addresses.js';
export { type AdminCall, changesIn, endOf, logAdminCall, type Target, targetOf, } from './operations/admin-call.js';
export { levelOf } from './operations/log-events.js';
export { endEveryToken, removeEveryKey } from './restore/end-every-token.js';
export { findRemovedContent } from './restore/removed-content.js';
export { type RepeatedEntry, repeatNarrowing } from './restore/repeat-narrowing.js';
export { openPartnerKeys } from './revocation/report/partner-keys.js';
export { type VerifyOwnToken, verifyOwnToken } from './revocation/report/verify-own-token.js';
export { type InspectedRollback, inspectRollback, rollbackAdvice, } from './rollback/answer-rollback.js';
export { noteLastNumber, readKeptNumber, writeKeptNumber } from './rollback/kept-number.js';
export { liveHubTokens } from './rollback/live-hub-tokens.js';
export { runVerb } from './run-verb/run-verb.js';
export type { VerbDeps } from './run-verb/verb-deps.js';
export type { InspectedPostgres } from './stores/postgres/inspect-store.js';
export { type InspectedStore, inspectStore } from './stores/sqlite/inspect-store.js';
export { type OpenJournal, openJournal } from './stores/sqlite/open-journal.js';
export { openPartnerKeys } from './revocation/report/partner-keys.js';
export { type VerifyOwnToken, verifyOwnToken } from './revocation/report/verify-own-token.js';
export { noteLastNumber } from './rollback/kept-number.js';
export { runVerb } from './run-verb/run-verb.js';
export type { VerbDeps } from './run-verb/verb-deps.js';
export type { Store } from './stores/store.js';
export type { Origin, Put } from './tables/change.js';
export * from './tables/directory.js';
export type { RepositoryRow } from './tables/rows.js';
export { raiseEpochs } from './verbs/epochs.js';

// minting/refuse-long-addresses.d.ts
/** Keeps a hub from starting with addresses that would make its tokens too long. */
export declare function refuseLongAddresses({ publicUrl, casUrl }: Addresses): void;
interface Addresses {
    readonly publicUrl: string;
    readonly casUrl: string;
}
export {};

// operations/admin-call.d.ts
/** One use of a verb as the log keeps it: who did what to what, by which hub token, and how it ended. */
import { type AccountId, type HubTokenId, type RefusalCode } from '@latchkey/protocol';
import type { LoggedCaller } from '../issue/authenticate.js';
import type { HubLog } from './log-events.js';
export interface AdminCall {
    readonly verb: string;
    readonly actor: Actor;
    readonly target: Target;
    readonly outcome: 'done' | 'refused' | 'failed';
    readonly code: RefusalCode | undefined;
    /** What a directory file or a push has changed, one after the other. */
    readonly changes?: readonly Target[];
    /** The client's; a command on the machine has none. */
    readonly address?: string;
    readonly requestId?: string;
    readonly milliseconds: number;
}
export interface Actor {
    /** The id of the account that asked; undefined when the caller was not recognised. */
    readonly subject?: AccountId | undefined;
    readonly account?: string | undefined;
    /** The id of the hub token that it asked with. */
    readonly hubToken?: HubTokenId | undefined;
    /** The operating system's user that ran a command on the machine. */
    readonly user?: string | undefined;
}
export type Target = Readonly<Record<string, string | boolean>>;
/** What a verb is about: as it was asked, and as it is after that. */
export declare function targetOf(input: unknown, answer?: unknown): Target;
/** What a verb says it has changed that can change several things; every other one changes its target alone. */
export declare function changesIn(answer: unknown): readonly Target[] | undefined;
export declare function actorOf({ accountId, accountName, hubTokenId }: LoggedCaller): Actor;
export declare function endOf(answer: unknown): Pick<AdminCall, 'outcome' | 'code'>;
export declare function logAdminCall(log: HubLog, { actor, changes, ...call }: AdminCall): void;

// operations/forge-metrics.d.ts
/** What a forge beside the hub counts and measures. */
import type { MetricsKit } from '@latchkey/service/observe/metrics';
export interface ForgeMetrics {
    /** The kind of a request is one of a few. */
    answered(kind: string, status: number, seconds: number): void;
    watchGit(processes: () => GitProcesses): void;
    watchCommits(underWay: () => number): void;
}
interface GitProcesses {
    readonly running: number;
    readonly waiting: number;
    readonly killed: number;
}
/** Registered with the first request: a hub without a forge shows none of them. */
export declare function forgeMetrics({ counter, histogram, gauge }: MetricsKit): ForgeMetrics;
export {};

// operations/last-use.d.ts
/** When hub tokens were last used, kept in memory and written down once in a while. */
import type { HubTokenId, UnixSeconds } from '@latchkey/protocol';
import type { Directory } from '../tables/directory.js';
export interface LastUse {
    note(hubTokenId: HubTokenId, now: UnixSeconds): void;
    /** Writes what was noted since the last time, in one transaction. */
    writeDown(): Promise<void>;
}
export declare function lastUse(directory: Directory): LastUse;

// operations/link-call.d.ts
/** One question of a storage as the log keeps it. */
import { type RefusalCode } from '@latchkey/protocol';
import type { Actor, AdminCall } from './admin-call.js';
import type { HubLog } from './log-events.js';
export type LinkRoute = 'changes' | 'epochs' | 'places';
export interface LinkCall {
    readonly route: LinkRoute;
    readonly actor: Actor;
    readonly outcome: AdminCall['outcome'];
    readonly code: RefusalCode | undefined;
    readonly address: string;
    readonly requestId: string;
    readonly milliseconds: number;
}
/** The storage of the hub's own process has no account. */
export declare const embeddedActor: Actor;
export declare function logLinkCall(log: HubLog, { actor, ...call }: LinkCall): void;

// operations/log-events.d.ts
/** Every event that a hub logs, and how loud it is. */
import type { Log } from '@latchkey/service/observe/log';
export declare const levelOf: {
    readonly hub_started: 'info';
    readonly hub_stopping: 'info';
    readonly hub_stopped: 'info';
    readonly token_issued: 'info';
    readonly token_checked: 'info';
    readonly token_refused: 'info';
    readonly whoami_asked: 'info';
    readonly admin_called: 'info';
    readonly admin_changed: 'info';
    readonly link_called: 'info';
    readonly forge_changed: 'info';
    readonly revoke_posted: 'info';
    readonly tokens_revoked: 'info';
    readonly request_failed: 'error';
    readonly overloaded: 'warn';
    readonly database_away: 'error';
    readonly database_back: 'info';
    readonly database_replaced: 'error';
    readonly database_rolled_back: 'error';
    readonly rollback_report_ignored: 'warn';
    readonly journal_number_not_kept: 'warn';
    readonly notifications_lost: 'warn';
    readonly notifications_back: 'info';
    readonly last_use_not_recorded: 'warn';
    readonly journal_pruned: 'info';
    readonly journal_not_pruned: 'warn';
    readonly keys_rotated: 'info';
    readonly keys_not_rotated: 'warn';
    readonly key_not_opened: 'error';
    readonly cut_offs_pruned: 'info';
    readonly cut_offs_not_pruned: 'warn';
};
export type HubLog = Log<keyof typeof levelOf>;

// operations/metrics.d.ts
/** What a hub counts and measures, in the format Prometheus reads. */
import type { RefusalCode, Scope } from '@latchkey/protocol';
import { type MetricsKit } from '@latchkey/service/observe/metrics';
import { type ForgeMetrics } from './forge-metrics.js';
import type { LinkRoute } from './link-call.js';
export interface Metrics extends Pick<MetricsKit, 'text' | 'contentType' | 'registry'> {
    tokenIssued(scope: Scope, seconds: number): void;
    tokenRefused(code: RefusalCode, seconds: number): void;
    tokenChecked(seconds: number): void;
    whoamiAsked(outcome: 'told' | RefusalCode): void;
    adminCalled(verb: string, outcome: string): void;
    linkCalled(route: LinkRoute, outcome: 'done' | RefusalCode): void;
    revokePosted(outcome: 'accepted' | RefusalCode): void;
    requestOverloaded(): void;
    readonly forge: ForgeMetrics;
    /** Looked up whenever the metrics are read. */
    countWaiting(waiting: () => number): void;
}
export declare function createMetrics(): Metrics;

// permission/access-facts.d.ts
/** What the directory knows of a repository that bears on one token request. */
import { type CommitHash, type JournalNumber, type NoCommit, type RefName, type RefUid, type RepositoryUid, type Revision, type Role } from '@latchkey/protocol';
/** A revision, or the repository's default branch, whatever it is called. */
export type WantedRevision = Revision | {
    readonly kind: 'default';
};
export interface RepositoryFacts {
    readonly uid: RepositoryUid;
    /** Goes up when content is removed that clients may remember as uploaded. */
    readonly epoch: number;
    readonly visibility: 'public' | 'private';
    readonly defaultBranch: RefName;
    /** The stronger of the account's namespace role and collaborator role. */
    readonly role: Role | undefined;
    readonly refRules: readonly RefRule[];
    readonly ref: RefFacts | undefined;
}
/** A private repository in which the account has no role: nothing else is told of it, not even its uid. */
export declare const closedRepository: RepositoryFacts;
/** Which role writing a matching ref needs. */
export interface RefRule {
    readonly pattern: string;
    readonly write: 'write' | 'admin';
}
export interface RefFacts {
    /** The full ref name, or the hash when the revision is a commit. */
    readonly name: RefName | CommitHash;
    readonly uid: RefUid;
    readonly commit: CommitHash | NoCommit;
    /** For a branch or other moving ref: where it was made from, nearest first. */
    readonly ancestry: readonly Ancestor[];
    /** For a tag or commit: the moving refs that hold it, in the order of `sees`. */
    readonly holders: readonly Holder[];
    /**
     * For a tag or commit: the names of deleted refs that held it. If the list has the ref's own name, the commit was once
     * held by no known ref.
     */
    readonly pastHolders: readonly string[];
}
export interface Ancestor {
    readonly uid: RefUid;
    /** The number of the fork: content with a stamp below it is inherited. */
    readonly before: JournalNumber;
}
export interface Holder {
    readonly name: RefName;
    readonly uid: RefUid;
    /** The number under which the commit was recorded on it: content with a stamp below it belongs to the commit. */
    readonly recordedNumber: JournalNumber;
    readonly ancestry: readonly Ancestor[];
}

// permission/decide-permission.d.ts
/** Decides whether a caller may have a storage token: the account's access ∩ what its hub token carries. */
import { type JournalNumber, type Refusal, type RepoRef, type Scope } from '@latchkey/protocol';
import type { Caller } from '../identity/caller.js';
import { type RepositoryFacts, type WantedRevision } from './access-facts.js';
import { type Permit } from './permit.js';
import { type Tell } from './tell.js';
export interface Wanted {
    readonly caller: Caller;
    readonly repo: RepoRef | undefined;
    /** How new the facts are at least. */
    readonly asOf: JournalNumber;
    readonly repository: RepositoryFacts | undefined;
    readonly scope: Scope;
    readonly revision: WantedRevision;
    /** Whether the revision is a pull request of the caller's own, or the ref into which it uploads for one. */
    readonly asProposer?: boolean | undefined;
}
export interface Policy {
    /** Answer "does not exist" for a private repository that the caller may not read. */
    readonly hidePrivateRepositories: boolean;
}
/** Permission is judged before existence: a caller without permission does not learn which refs exist. */
export declare function decidePermission({ caller, repo, asOf, repository: found, scope, revision, asProposer }: Wanted, { hidePrivateRepositories }: Policy, tell?: Tell): Permit | Refusal;

// permission/permit.d.ts
/** Proof that the permission decision said yes; minting demands one. */
import type { CommitHash, JournalNumber, NoCommit, RefName, RefUid, RepoRef, RepositoryUid, Scope } from '@latchkey/protocol';
import type { SeenRef } from '@latchkey/token';
import type { Caller } from '../identity/caller.js';
export interface Permitted {
    readonly caller: Caller;
    readonly scope: Scope;
    readonly repo: RepoRef;
    readonly repositoryUid: RepositoryUid;
    readonly epoch: number;
    readonly ref: {
        readonly name: RefName | CommitHash;
        readonly uid: RefUid;
    };
    readonly commit: CommitHash | NoCommit;
    /** How new the view of the directory was at least. */
    readonly asOf: JournalNumber;
    readonly sees: readonly SeenRef[];
}
declare class PermitProof {
    #private;
    constructor(permitted: Permitted);
    get permitted(): Permitted;
}
/** Nominal: nothing but `permit` makes one. */
export type Permit = PermitProof;
/** For `decidePermission` alone; a test lists who imports it. */
export declare function permit(permitted: Permitted): Permit;
export declare function isPermit(value: unknown): value is Permit;
export {};

// permission/tell.d.ts
/** The steps of a decision, told to whoever explains it; the hot path listens to none. */
export interface Step {
    readonly step: string;
    readonly passed: boolean;
    readonly detail: string;
}
/** Details are made only when somebody listens. */
export type Tell = (step: string, passed: boolean, detail: () => string) => void;
export declare const silent: Tell;

// permission/what-it-sees.d.ts
/** Which other refs' content belongs to a revision, and below which journal number. */
import { type SeenRef } from '@latchkey/token';
import type { Holder, RefFacts } from './access-facts.js';
/** A fork inherits up to the fork; a tag or commit, from the readable refs that hold it. */
export declare function whatItSees({ ancestry, holders }: RefFacts, mayRead: (holder: Holder) => boolean): readonly SeenRef[];

// restore/end-every-token.d.ts
/** After a restore cut-offs may be lost, so every storage token that was issued before it ends. */
import type { Origin } from '../tables/change.js';
import type { Directory } from '../tables/directory.js';
/**
 * Without the old journal nobody knows which keys were removed after the backup. One that leaked must not sign again, and
 * whoever has it writes any number into a token: so every key goes, and the next start makes new ones.
 */
export declare function removeEveryKey(directory: Directory, origin: Origin): Promise<void>;
export declare function endEveryToken(directory: Directory, origin: Origin): Promise<void>;

// restore/removed-content.d.ts
/** Which repositories of a restored directory lost content after its backup, as the old journal tells it. */
import type { Directory, Reading } from '../tables/directory.js';
/** Their paths, in order. The storage's backup has the content again, and no entry says which content it was. */
export declare function findRemovedContent(directory: Directory, { old, after }: {
    readonly old: Reading;
    readonly after: number;
}): Promise<readonly string[]>;

// restore/repeat-narrowing.d.ts
/** Repeats in a restored directory what was taken away after its backup, as the old journal tells it. */
import type { JournalEntry } from '@latchkey/admin-api';
import { type Refusal } from '@latchkey/protocol';
import type { Origin } from '../tables/change.js';
import type { Directory, Reading, Work } from '../tables/directory.js';
import { type Repetition } from './told.js';
export interface RepeatedEntry extends Repetition {
    readonly entry: JournalEntry;
}
interface Repeating extends Pick<Work, 'now' | 'randomBytes'> {
    /** The journal as it was when the directory was lost. */
    readonly old: Reading;
    /** The last entry that the backup has. */
    readonly after: number;
    readonly origin: Origin;
}
/** In the order in which it was taken away, each with an entry of its own; or why this journal cannot be used. */
export declare function repeatNarrowing(directory: Directory, { old, after, origin, ...work }: Repeating): Promise<readonly RepeatedEntry[] | Refusal>;
export {};

// restore/restore-hub.d.ts
/** Brings a hub back from a backup, without what was taken away after it. */
import { type Refusal, type UnixSeconds } from '@latchkey/protocol';
import { type RestoredFile } from '@latchkey/service/backup/database-file';
import type { RandomBytes } from '@latchkey/service/machine/random';
import type { Origin } from '../tables/change.js';
import type { Reading } from '../tables/directory.js';
import { type RepeatedEntry } from './repeat-narrowing.js';
import { type Usable } from './usable.js';
export interface HubRestore {
    /** The backup. */
    readonly folder: string;
    readonly data: string;
    /** The file that the database will be; its draft is there. */
    readonly file: string;
    /** The last entry of the journal that the backup has. */
    readonly journal: number;
    /** The journal as it was when the directory was lost. */
    readonly old: Reading | undefined;
    /** The highest number that a storage has heard of. */
    readonly heard: number;
    /** False where the content stays as it is. */
    readonly hasContent: boolean;
}
export interface RestoreDeps {
    readonly origin: Origin;
    readonly now: UnixSeconds;
    readonly nowMs: () => number;
    readonly randomBytes: RandomBytes;
}
export interface RestoredHub {
    /** Undefined without an old journal. */
    readonly repeated: readonly RepeatedEntry[] | undefined;
    /** Repositories whose refs have new addresses. */
    readonly repositories: number;
    /** Without an old journal. */
    readonly usable: Usable | undefined;
    /** Repositories whose content was removed after the backup and is back, where the old journal tells. */
    readonly returnedContent: readonly string[] | undefined;
}
/** The name of the hub's database, and its name until the restore is done. */
export declare function restoredDatabase(file: string): RestoredFile;
/** A restore that is cut off or refused leaves no database, so that no hub can be started on it for a moment. */
export declare function restoreHub(restore: HubRestore, deps: RestoreDeps): Promise<RestoredHub | Refusal>;

// restore/told.d.ts
/** An entry of another journal, as a restore reads it: what it is about, and the values before and after. */
import type { ChangeWork } from '../tables/directory.js';
import type { JournalRow } from '../tables/rows.js';
export type Image = Readonly<Record<string, unknown>>;
export interface Told extends Omit<JournalRow, 'detail'> {
    readonly before: Image;
    readonly after: Image;
}
/**
 * What became of an entry:
 * - repeated: what it took away is taken away here too;
 * - made safe: the entry does not say enough, so that more is taken away;
 * - not needed: what it is about is not in the backup, or had no more than it was left with;
 * - not repeated: an operator has to look at it.
 */
export type Outcome = 'repeated' | 'made safe' | 'not needed' | 'not repeated';
export interface Repetition {
    readonly outcome: Outcome;
    /** A sentence for the operator; undefined where the entry says it all. */
    readonly detail?: string;
}
/** Repeats what one entry took away. Never gives anything that the restored directory does not have. */
export type Repeat = (work: ChangeWork, told: Told) => Promise<Repetition>;
export declare const repeated: Repetition;
export declare const notThere: Repetition;
export declare const hadNoMore: Repetition;
/** What is left where the entry has another list: the entry may have added what the backup does not allow. */
export declare function narrowedTo(left: unknown, told: unknown): Repetition;
export declare function toldBy({ detail, ...entry }: JournalRow): Told;
/** Puts a change of a row unless the row has these values already. */
export declare function isSame<Row extends object>(before: Row, after: Row): boolean;

// restore/usable.d.ts
/** The accounts and hub tokens that work in a restored directory. */
import type { UnixSeconds } from '@latchkey/protocol';
import type { Directory } from '../tables/directory.js';
export interface Usable {
    readonly accounts: readonly {
        readonly name: string;
    }[];
    readonly hubTokens: readonly {
        readonly id: string;
        readonly account: string;
        readonly name: string;
        readonly kind: string;
    }[];
}
export declare function findUsable(directory: Directory, now: UnixSeconds): Promise<Usable>;

// revocation/report/partner-keys.d.ts
/** The keys of a secret-scanning partner, from a file in the form of GitHub's `/meta/public_keys/secret_scanning`. */
import type { Stopwatch } from '@latchkey/service/limits/limiter';
export interface Signed {
    readonly identifier: string;
    /** Base64 of a DER signature, as the header has it. */
    readonly signature: string;
    readonly body: Uint8Array;
}
export type VerifyPartner = (signed: Signed) => boolean;
export declare function openPartnerKeys(file: string, stopwatch: Stopwatch): VerifyPartner;

// revocation/report/verify-own-token.d.ts
/** Whether a storage token is one that this hub signed and that a gate may still accept. */
import type { Secret, UnixSeconds } from '@latchkey/protocol';
import { type KeySet, type Verified } from '@latchkey/token';
import type { Reading } from '../../tables/directory.js';
export interface OwnKeys {
    /** The public halves of the hub's own keys; where no hub runs, read from the tables. */
    readonly keys: (tables: Reading) => Promise<KeySet>;
    /** The hub's public URL. Undefined compares no issuer: the data directory does not hold the URL. */
    readonly issuer: string | undefined;
}
export type VerifyOwnToken = (token: Secret<'access-token'>, at: {
    readonly tables: Reading;
    readonly now: UnixSeconds;
}) => Promise<Verified>;
export declare function verifyOwnToken({ keys, issuer }: OwnKeys): VerifyOwnToken;
export interface Against extends Pick<OwnKeys, 'issuer'> {
    readonly keys: KeySet;
    readonly now: UnixSeconds;
}
/** The audience is the token's own: a token for an address that the storage had before is as alive there as any other. */
export declare function verifyAgainst(token: Secret<'access-token'>, { issuer, ...against }: Against): Promise<Verified>;

// rollback/answer-rollback.d.ts
/** Ends every storage token after a rollback, because revocations may be lost, and reports which hub tokens may work again. */
import { type UnixSeconds } from '@latchkey/protocol';
import type { HubLog } from '../operations/log-events.js';
import type { Origin } from '../tables/change.js';
import type { Directory, Reading } from '../tables/directory.js';
import { type Loss } from './find-loss.js';
import { type LiveAgain } from './live-hub-tokens.js';
export interface RollbackWork {
    readonly directory: Directory;
    readonly log: HubLog;
    readonly now: UnixSeconds;
}
export interface KnownNumber {
    /** The journal had an entry with this number. */
    readonly known: number;
    /** The source of the number: `data directory`, or the id of a storage's hub token. */
    readonly knownBy: string;
    /** A storage is trusted, but its credential may be stolen: the hub acts on few of its reports. */
    readonly isOfStorage?: boolean;
    readonly origin: Omit<Origin, 'verb'>;
}
/** Ends every storage token if there was a rollback that no hub has answered. One of several hubs does it. */
export declare function answerRollback({ directory, log, now }: RollbackWork, { known, knownBy, isOfStorage, origin }: KnownNumber): Promise<void>;
export declare const rollbackAdvice = "Revocations, disabled accounts and removed keys of that time may be undone, so any of these hub tokens may be live again. Look at all of them with \"latchkey hub-token list --all\" and revoke again what was revoked; if a signing key was removed because it leaked, run \"latchkey keys rotate --compromised\".";
export interface AnsweredRollback {
    readonly number: number;
    readonly at_milliseconds: number;
    readonly lost: Loss;
}
export declare function lastRollbackIn(tables: Reading): import("kysely").SelectQueryBuilder<import("../tables/schema.js").Schema, "journal", {
    at_milliseconds: number;
    detail: string;
    number: number;
}>;
/** For `latchkey doctor`. */
export declare function inspectRollback(tables: Reading, { kept, nowMs }: {
    readonly kept: number | undefined;
    readonly nowMs: number;
}): Promise<InspectedRollback>;
export interface InspectedRollback {
    /** That no hub has answered yet. */
    readonly lost: Loss | undefined;
    readonly answered: AnsweredRollback | undefined;
    readonly hubTokens: LiveAgain;
}

// rollback/find-loss.d.ts
/** Whether the journal has lost entries that somebody knows of: an older copy of the database was put back. */
import type { Reading } from '../tables/directory.js';
/** The verb of the entry by which a hub has answered a rollback. */
export declare const rollbackVerb = "rollback";
export interface Loss {
    /** Entries above this number are lost. */
    readonly after: number;
    /** Entries up to this number are lost: the highest that is known of. */
    readonly through: number;
}
/**
 * `known` is the number of an entry that the journal had once. Retention may have removed it, or a hub or a restore may have
 * answered its loss already: then nothing was lost.
 */
export declare function findLoss(tables: Reading, known: number): Promise<Loss | undefined>;
/** The entries by which hubs and restores have answered. Written out, so that their own index is used. */
export declare function answersIn(tables: Reading): import("kysely").SelectQueryBuilder<import("../tables/schema.js").Schema, "journal", {}>;

// rollback/kept-number.d.ts
/**
 * Keeps the journal's last number in the data directory, outside the database. A copy of the database that somebody puts
 * back has a lower number: so the hub notices that changes were lost.
 */
import { type JournalNumber } from '@latchkey/protocol';
import type { Store } from '../stores/store.js';
export declare function keptNumberFile(data: string): string;
/** Undefined where no hub has kept one yet, or something else has written to the file. */
export declare function readKeptNumber(data: string): JournalNumber | undefined;
export declare function writeKeptNumber(data: string, number: number): Promise<void>;
/** For a command that has changed the directory. After a rollback the number stays, so that the next hub notices it. */
export declare function noteLastNumber(data: string, { readBeside }: Store): Promise<void>;
export interface NumberKeeping {
    readonly data: string;
    readonly store: Pick<Store, 'access'>;
    /** Called once until the file can be written again. */
    readonly onFailure: (error: unknown) => void;
}
/** Gives the function that ends it, once the last number is written. */
export declare function keepNumber({ data, store, onFailure }: NumberKeeping): () => Promise<void>;

// rollback/live-hub-tokens.d.ts
/** The hub tokens that work: after a rollback, revoked ones may be among them. */
import type { UnixSeconds } from '@latchkey/protocol';
import type { Reading } from '../tables/directory.js';
/** Hub tokens of accounts that are not disabled; neither revoked nor expired. */
export declare function liveHubTokens(tables: Reading, now: UnixSeconds): import("kysely").SelectQueryBuilder<import("../tables/schema.js").Schema, "accounts" | "hub_tokens", {}>;
export interface LiveAgain {
    readonly count: number;
    /** Some of them as `account/name (id)`, in the order of their accounts. */
    readonly some: readonly string[];
}
/** Live hub tokens that were made before the rollback: a revocation of any of them may be lost. */
export declare function findLiveAgain(tables: Reading, { now, madeUntil }: {
    readonly now: UnixSeconds;
    readonly madeUntil: UnixSeconds;
}): Promise<LiveAgain>;

// run-verb/run-verb.d.ts
/** Runs one verb on the directory, whoever asked for it. */
import { type Verb } from '@latchkey/admin-api';
import type { z } from 'zod';
import type { VerbDeps } from './verb-deps.js';
/** The verb's answer as data with new secrets as text, or a refusal. */
export declare function runVerb(verb: Verb, input: z.output<Verb['input']>, surroundings: VerbDeps): Promise<unknown>;

// run-verb/run-verb.d.ts
/** Runs one verb on the directory, whoever asked for it. */
import { type Verb } from '@latchkey/admin-api';
import type { z } from 'zod';
import type { VerbDeps } from './verb-deps.js';
/** The verb's answer as data with new secrets as text, or a refusal. */
export declare function runVerb(verb: Verb, input: z.output<Verb['input']>, surroundings: VerbDeps): Promise<unknown>;

// run-verb/verb-deps.d.ts
import type { Refusal } from '@latchkey/protocol';
import type { Caller } from '../identity/caller.js';
import type { Directory } from '../tables/directory.js';
import type { Changing, Looking } from '../verbs/does.js';
/** What a verb works with, and the directory that it works on. */
export interface VerbDeps extends Omit<Looking, 'tables' | 'actor'> {
    readonly directory: Directory;
    /** Finds the caller when the verb runs; undefined for the machine itself. */
    readonly actor: () => Promise<Caller | Refusal | undefined>;
    /** The operating system's user, where the machine itself acts. */
    readonly user?: string | undefined;
    readonly requestId?: string | undefined;
    /** Done in the same transaction before the verb. */
    readonly first?: (work: Changing) => Promise<Refusal | undefined>;
}
/** The part that is the same for every call of a running hub. */
export type VerbWork = Omit<VerbDeps, 'actor' | 'now' | 'user' | 'requestId' | 'first'>;

// start/hub-context.d.ts
/** What the parts of a running hub share. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@latchkey/protocol';
import type { Companion } from '@latchkey/service/http/operations-routes';
import type { Stopwatch } from '@latchkey/service/limits/limiter';
import type { SharedCounts } from '@latchkey/service/limits/shared-counts';
import type { RandomBytes } from '@latchkey/service/machine/random';
import type { ForgePort } from '../as-caller/answers.js';
import type { EmbeddedCredential } from '../identity/embedded-credential.js';
import type { KeyRing } from '../keys/key-ring.js';
import type { ForgeMetrics } from '../operations/forge-metrics.js';
import type { LastUse } from '../operations/last-use.js';
import type { HubLog } from '../operations/log-events.js';
import type { Metrics } from '../operations/metrics.js';
import type { VerifyPartner } from '../revocation/report/partner-keys.js';
import type { Store } from '../stores/store.js';
import type { HubSettings } from './settings.js';
/** Serves the rest of a hub beside it, on the same port. */
export interface Forge {
    /** False, and nothing done, for a target that it does not serve. */
    serve(request: IncomingMessage, response: ServerResponse): boolean;
    /** Whether it would serve such a request. */
    has(method: string, target: string): boolean;
    /** For a request to arrive whole. */
    readonly longestUploadMs: number;
    /** Once no request is under way. */
    close(): Promise<void>;
}
/** What a forge shares with its hub. */
export interface ForgeSurroundings {
    readonly clock: Clock;
    readonly randomBytes: RandomBytes;
    readonly logFailure: (error: unknown, requestId: string) => void;
    readonly corsHeadersFor: (request: IncomingMessage) => readonly string[];
    readonly metrics: ForgeMetrics;
}
export type OpenForge = (hub: ForgePort, around: ForgeSurroundings) => Promise<Forge | undefined>;
export interface HubContext {
    readonly settings: HubSettings;
    readonly store: Store;
    /** Makes the store ask for its version again in the same turn of the event loop. */
    readonly forgetVersion: () => void;
    readonly keys: KeyRing;
    readonly embedded: EmbeddedCredential;
    readonly uses: LastUse;
    readonly log: HubLog;
    readonly metrics: Metrics;
    readonly clock: Clock;
    readonly stopwatch: Stopwatch;
    readonly randomBytes: RandomBytes;
    /** Undefined where no partner's keys are configured. */
    readonly verifyPartner: VerifyPartner | undefined;
    /** Processes that run beside the hub, for `/readyz` and `/metrics`. */
    readonly companions: Readonly<Record<string, Companion>>;
    /** Undefined where no forge runs beside the hub. */
    readonly openForge: OpenForge | undefined;
    /** With other hubs; undefined for a process alone. */
    readonly counts: SharedCounts | undefined;
}

// start/settings.d.ts
/** Everything an operator can decide about a hub, already checked. */
import type { OptionTypes, Secret } from '@latchkey/protocol';
import type { LogLevel } from '@latchkey/service/observe/log';
import type { PostgresSettings } from '@latchkey/service/postgres';
import type { Algorithm } from '@latchkey/token';
import type { ForgeRules } from '../as-caller/forge-rules.js';
import type { DatabasePlace } from '../data/open-store.js';
export interface HubSettings {
    readonly host: string;
    readonly port: number;
    /** The tokens' `iss`; never taken from a request. */
    readonly publicUrl: string;
    /** Where clients find the storage; may hold `{repo}` and `{ref}`. */
    readonly casUrl: string;
    readonly data: string;
    readonly database: DatabasePlace;
    /** The server itself, where `database` leads through a pooler. */
    readonly directDatabase: PostgresSettings | undefined;
    /** How old what a hub knows of the directory may be when it signs a token. */
    readonly stalenessSeconds: number;
    readonly demo: boolean;
    readonly masterKey: Secret<'master-key'> | undefined;
    readonly token: {
        readonly lifetimeSeconds: number;
        readonly algorithm: Algorithm;
    };
    /** How many days a key signs; 0 makes no new key by itself. */
    readonly keys: {
        readonly rotationDays: number;
    };
    readonly hubTokenPrefix: string;
    readonly hidePrivateRepositories: boolean;
    readonly anonymousPublicRead: boolean;
    readonly compat: {
        readonly huggingface: boolean;
    };
    readonly cors: {
        readonly origins: readonly string[];
        readonly allowAnonymousAnyOrigin: boolean;
    };
    /** Host names that requests may come under beside that of `publicUrl`; `*` is every one. */
    readonly allowedHosts: readonly string[];
    /** Proxies, as addresses or CIDR ranges, whose `X-Forwarded-For` is believed. */
    readonly trustedProxies: readonly string[];
    readonly limits: {
        /** Token requests a minute for one hub token; 0 is no limit. */
        readonly requestsPerMinute: number;
        /** Requests a minute with a missing or invalid hub token from one address; 0 is no limit. */
        readonly failuresPerMinute: number;
        readonly connections: number;
    };
    /** A listener of its own for `/healthz`, `/readyz` and `/metrics`; undefined serves them beside the rest. */
    readonly operations: {
        readonly port: number | undefined;
        readonly host: string;
    };
    /** How many days the journal keeps its entries; 0 keeps them all. */
    readonly journal: {
        readonly retentionDays: number;
    };
    /** The public route for leaked tokens, and the file with the keys of those who sign lists of them. */
    readonly revoke: {
        readonly enabled: boolean;
        readonly partnerKeys: string | undefined;
    };
    /** The usual rules, where undefined. */
    readonly forge?: ForgeRules | undefined;
    readonly log: {
        readonly level: LogLevel;
    };
    readonly stopDeadlineSeconds: number;
}
export declare function settingTypesFor(settings: HubSettings): OptionTypes<HubSettings>;

// start/start-hub.d.ts
/** The entry point: settings become a running hub. */
import { type Secret } from '@latchkey/protocol';
import type { Companion } from '@latchkey/service/http/operations-routes';
import { type Surroundings } from '@latchkey/service/machine/surroundings';
import type { OpenForge } from './hub-context.js';
import { type HubSettings } from './settings.js';
export interface RunningHub {
    readonly url: string;
    readonly operationsUrl: string | undefined;
    /** In-flight requests finish; the promise settles within the deadline of the settings. */
    stop(): Promise<void>;
    readonly embedded: Embedded;
}
/** What the storage of the same machine is given at its start, and no other program. */
export interface Embedded {
    /** Taken by the routes of the link alone, for as long as this process runs. */
    readonly credential: Secret<'hub-token'>;
}
export interface HubSurroundings extends Surroundings {
    /** Processes that run beside the hub, for `/readyz` and `/metrics`. */
    readonly companions: Readonly<Record<string, Companion>>;
    /** Opens what serves the rest of a hub; undefined where the hub serves tokens alone. */
    readonly openForge: OpenForge | undefined;
}
export declare function startHub(settings: HubSettings, given?: Partial<HubSurroundings>): Promise<RunningHub>;

// stores/postgres/inspect-store.d.ts
/** The store in PostgreSQL for somebody who looks after it, and changes nothing. */
import { type InspectedSchema, type PostgresSettings } from '@latchkey/service/postgres';
import type { Reading } from '../../tables/directory.js';
import type { Schema } from '../../tables/schema.js';
export interface InspectedPostgres extends Omit<InspectedSchema<Schema>, 'ask' | 'read'> {
    /** Undefined where a notification is heard; otherwise why not. */
    tryNotification(): Promise<string | undefined>;
    /** Where a hub last used the directory: system identifier, timeline, and more; undefined before the first. */
    lastServer(): Promise<readonly string[] | undefined>;
    /** Of a schema of the newest version, also on a replica. */
    read<Result>(work: (tables: Reading) => Promise<Result>): Promise<Result>;
}
/** Throws `CannotStart` where the server cannot be reached or used. */
export declare function inspectPostgresStore(settings: PostgresSettings): Promise<InspectedPostgres>;

// stores/postgres/open-store.d.ts
/** PostgreSQL as a store: connections for changes and reads, others for the hot path, one each to ask and to hear of changes. */
import { type PostgresSettings } from '@latchkey/service/postgres';
import type { Staleness } from '../../access/moment.js';
import type { Now } from '../../journal/append-entries.js';
import type { Store, StoreTell } from '../store.js';
export interface PostgresStoreOptions {
    /** Make the schema where there is none. */
    readonly create: boolean;
    readonly nowMs?: Now;
    readonly staleness?: Staleness;
    /** The name of the hub that this process serves for: it hears of changes at once, and counts with other hubs. */
    readonly hub?: string | undefined;
    /** The server itself, where the settings lead through a pooler, through which notifications do not come. */
    readonly listenAt?: PostgresSettings | undefined;
    readonly tell?: StoreTell;
}
export declare function openPostgresStore(settings: PostgresSettings, { create, nowMs, staleness, hub, listenAt, tell, }: PostgresStoreOptions): Promise<Store>;

// stores/sqlite/inspect-store.d.ts
/** The store for somebody who looks after it, and changes nothing. */
import { type InspectedDatabase } from '@latchkey/service/database';
import type { Reading } from '../../tables/directory.js';
export interface InspectedStore extends Omit<InspectedDatabase, 'database'> {
    /** The version that this program brings a database to. */
    readonly newestVersion: number;
    /** Of a database of the newest version. */
    readonly tables: Reading;
}
export declare function inspectStore(file: string): InspectedStore;

// stores/sqlite/open-journal.d.ts
/** The journal in a database file that nothing is written to: of a hub that was lost, or of a backup. */
import type { Reading } from '../../tables/directory.js';
export interface OpenJournal {
    readonly tables: Reading;
    close(): void;
}
export declare function openJournal(file: string): OpenJournal;

// stores/store.d.ts
/** What every store offers, whatever database is behind it. */
import type { SharedCounts } from '@latchkey/service/limits/shared-counts';
import type { AccessStore } from '../access/access-store.js';
import type { Directory, Tables } from '../tables/directory.js';
/** What a store tells the log of its own accord. */
export type StoreTell = (event: 'database_away' | 'database_back' | 'database_replaced' | 'notifications_lost' | 'notifications_back', fields: {
    readonly reason?: string;
}) => void;
export interface Store {
    readonly directory: Directory;
    /** Reads what is committed, on another connection than changes. */
    readonly readBeside: <Result>(work: (tables: Tables) => Promise<Result>) => Promise<Result>;
    /** Also answered on another connection than changes, so no token request waits for one. */
    readonly access: AccessStore;
    /** How this hub and others on the same database count together; undefined where there is one hub alone. */
    readonly counts: SharedCounts | undefined;
    /** Whether the database answers; does not wait for changes either. */
    isReady(): Promise<boolean>;
    /** Writes a consistent copy of everything while others read and write. */
    backup(file: string): Promise<void>;
    close(): Promise<void>;
}

// tables/change.d.ts
/** One change of one thing in the directory: what it was, what it becomes, and the names around it. */
import type { AccountId, HubTokenId, JournalNumber } from '@latchkey/protocol';
import type { CutOffPlace } from '@latchkey/token';
import type { AccountRow, CollaboratorRow, CommitRow, HubTokenRow, KeyRow, MemberRow, NamespaceRow, NewRefRow, PrefixRow, RepositoryRow } from './rows.js';
/** Created without `before`, deleted without `after`. */
interface RowChange<Thing extends string, Row> {
    readonly thing: Thing;
    readonly before?: Row | undefined;
    readonly after?: Row | undefined;
}
interface MemberChange extends RowChange<'member', MemberRow> {
    readonly namespace: NamespaceRow;
    readonly account: AccountRow;
}
interface CollaboratorChange extends RowChange<'collaborator', CollaboratorRow> {
    readonly repository: RepositoryRow;
    readonly account: AccountRow;
}
export interface RefChange extends RowChange<'ref', NewRefRow> {
    readonly repository: RepositoryRow;
}
/** A commit goes on record once, and gets holders then and later. */
export interface CommitChange {
    readonly thing: 'commit';
    readonly repository: RepositoryRow;
    /** Undefined when the commit is on record already. */
    readonly created: CommitRow | undefined;
    readonly commit: CommitRow;
    /** The moving refs that hold it from now on. */
    readonly holders: readonly Pick<NewRefRow, 'uid' | 'name'>[];
    /** Since when they do: the time for people, and the transaction's number. */
    readonly now: number;
    readonly number: JournalNumber;
}
interface HubTokenChange extends RowChange<'hub-token', HubTokenRow> {
    readonly account: Pick<AccountRow, 'id' | 'name'>;
}
/** Storage tokens are taken back; no other row changes. */
export interface CutOffChange {
    readonly thing: 'cut-off';
    readonly cuts: readonly CutOffPlace[];
    /** After a rollback: entries of the journal with numbers above `after`, up to `through`, are lost. */
    readonly lost?: {
        readonly after: number;
        readonly through: number;
    };
    /** What the entry names beside the ids that are cut. */
    readonly about?: CutOffSubject | undefined;
}
export interface CutOffSubject {
    readonly account?: Pick<AccountRow, 'id' | 'name'> | undefined;
    readonly repository?: RepositoryRow | undefined;
    readonly ref?: Pick<NewRefRow, 'uid' | 'name'> | undefined;
}
/** A hub has opened its database: nothing in the tables changes. */
interface HubOpened {
    readonly thing: 'hub';
}
export type Change = RowChange<'account', AccountRow> | RowChange<'namespace', NamespaceRow> | MemberChange | RowChange<'repository', RepositoryRow> | CollaboratorChange | RefChange | CommitChange | HubTokenChange | RowChange<'key', KeyRow> | RowChange<'prefix', PrefixRow> | CutOffChange | HubOpened;
/** The caller or process that makes a change, and the verb or command by which it does. */
export interface Origin {
    readonly verb: string;
    readonly actor?: Actor | undefined;
    /** The operating system's user, where a command or the hub itself acts. */
    readonly user?: string | undefined;
    readonly requestId?: string | undefined;
}
interface Actor {
    readonly accountId: AccountId;
    readonly accountName: string;
    readonly hubTokenId: HubTokenId;
}
/** Makes the changes in the tables and appends an entry to the journal for each, in this order. */
export type Put = (changes: readonly Change[]) => Promise<void>;
export {};

// tables/directory.d.ts
/** The directory's port: reads, and changes that happen whole or not at all, each with its journal entry. */
import type { JournalNumber, RefUid, Refusal, UnixSeconds } from '@latchkey/protocol';
import type { RandomBytes } from '@latchkey/service/machine/random';
import type { Kysely } from 'kysely';
import type { Origin, Put } from './change.js';
import type { Schema } from './schema.js';
/** The tables with every statement, for the journal, for bookkeeping, and for connections that cannot write. */
export type Tables = Kysely<Schema>;
/** The tables for those who only look. */
export type Reading = Pick<Tables, 'selectFrom'>;
export interface Transaction {
    readonly tables: Reading;
    /** The number of its first entry, if it makes one: the moment of everything that it changes. */
    readonly number: JournalNumber;
    /** The one way to change the tables: with an entry for each change. */
    putAs(origin: Origin): Put;
}
/**
 * What may be written without a journal entry, because it changes nothing that anybody may do. The journal's number stays,
 * and so do the caches that depend on it. A test has the list of files that use each kind.
 */
export type Bookkeeping = 'last use' | 'demo mark' | 'forge mark' | 'database server' | 'journal retention' | 'cut-off retention';
export interface BookkeepingTransaction extends Transaction {
    readonly tables: Tables;
}
export interface NumbersAbove {
    /** Somebody knows an entry with this number, which the journal may have lost: new entries get larger ones. */
    readonly above?: number;
}
export interface Directory {
    read<Result>(work: (tables: Reading) => Promise<Result>): Promise<Result>;
    /** Waits for no writer, and no writer waits for it; changes of others may come between its statements. */
    readBeside<Result>(work: (tables: Reading) => Promise<Result>): Promise<Result>;
    /** One transaction, one at a time, also across processes; a refusal or an exception undoes it. */
    change<Result>(work: (transaction: Transaction) => Promise<Result | Refusal>, numbers?: NumbersAbove): Promise<Result | Refusal>;
    note<Result>(what: Bookkeeping, work: (transaction: BookkeepingTransaction) => Promise<Result | Refusal>, numbers?: NumbersAbove): Promise<Result | Refusal>;
}
/** What an operation that only looks works with. */
export interface Work {
    readonly tables: Reading;
    readonly now: UnixSeconds;
    readonly randomBytes: RandomBytes;
    readonly hubTokenPrefix: string;
    /** Where the secrets of new hub tokens come from, if not from `randomBytes`: the demo derives its own. */
    readonly secretBytes?: RandomBytes;
    /** The uid of the ref that is made, where content was stored under it before. */
    readonly newRefUid?: RefUid | undefined;
}
/** Rows that carry a moment have the number of the transaction that makes them. */
export interface NumberedWork extends Work, Pick<Transaction, 'number'> {
}
export interface ChangeWork extends NumberedWork {
    readonly put: Put;
}

// tables/rows.d.ts
/** The rows of the directory's tables. */
import type { Insertable, Selectable } from 'kysely';
import type { Schema } from './schema.js';
export type AccountRow = Selectable<Schema['accounts']>;
export type NamespaceRow = Selectable<Schema['namespaces']>;
export type MemberRow = Selectable<Schema['members']>;
export type RepositoryRow = Selectable<Schema['repositories']>;
export type CollaboratorRow = Selectable<Schema['collaborators']>;
export type RefRow = Selectable<Schema['refs']>;
export type NewRefRow = Insertable<Schema['refs']>;
export type CommitRow = Selectable<Schema['commits']>;
export type HubTokenRow = Selectable<Schema['hub_tokens']>;
export type KeyRow = Selectable<Schema['signing_keys']>;
export type PrefixRow = Selectable<Schema['hub_token_prefixes']>;
export type JournalRow = Selectable<Schema['journal']>;

// tables/schema.d.ts
/** The tables of the directory, as every store has them. Lists that are replaced whole are JSON text. */
import type { AccountId, HubTokenId, JournalNumber, RefUid, RepositoryUid } from '@latchkey/protocol';
import type { CutOffKind } from '@latchkey/token';
import type { Generated } from 'kysely';
/** What a key signs: storage tokens, or the heads of revocation lists. Never both. */
export type KeyPurpose = 'tokens' | 'revocations';
export interface Schema {
    settings: {
        name: string;
        value: string;
    };
    hub_token_prefixes: {
        prefix: string;
        first_used_at: number;
    };
    signing_keys: {
        kid: string;
        purpose: KeyPurpose;
        alg: string;
        sealed: string;
        /** Since when it is published. */
        created_at: number;
        /** When it is to begin to sign. */
        activates_at: number;
        /** When it began to sign; null before. */
        activated_at: number | null;
        /** When another key took its place; null before. */
        retired_at: number | null;
        /** In seconds, of all that any hub signed with it. */
        longest_lifetime: number;
    };
    accounts: {
        id: AccountId;
        name: string;
        kind: string;
        administrator: number;
        disabled: number;
        created_at: number;
    };
    namespaces: {
        id: string;
        name: string;
        created_at: number;
    };
    members: {
        namespace_id: string;
        account_id: AccountId;
        role: string;
    };
    repositories: {
        uid: RepositoryUid;
        namespace_id: string;
        /** `models/acme/bert` */
        path: string;
        visibility: string;
        default_branch: string;
        /** RefRule[] */
        ref_rules: string;
        created_at: number;
        /** The number of the transaction that last removed stored content, or may have; 0 while none has. */
        epoch: number;
    };
    collaborators: {
        repository_uid: RepositoryUid;
        account_id: AccountId;
        role: string;
    };
    refs: {
        /** Creation order, which settles who is older within a second. */
        position: Generated<number>;
        uid: RefUid;
        repository_uid: RepositoryUid;
        name: string;
        commit_hash: string;
        /** The ref it was made from: the name for people, the uid while that ref lives. */
        from_name: string | null;
        from_uid: RefUid | null;
        /** For people; content is compared with the number. */
        forked_at: number | null;
        /** The number of the transaction that made it. */
        forked_number: JournalNumber | null;
        created_at: number;
    };
    /** A commit stays on record when every ref that held it has moved on or is gone. */
    commits: {
        uid: RefUid;
        repository_uid: RepositoryUid;
        hash: string;
        recorded_at: number;
    };
    commit_holders: {
        position: Generated<number>;
        repository_uid: RepositoryUid;
        hash: string;
        ref_uid: RefUid;
        /** For people; content is compared with the number. */
        recorded_at: number;
        /** The number of the transaction that recorded it. */
        recorded_number: JournalNumber;
    };
    /** Deleted refs that held a commit, by name; the database keeps this table by itself. */
    past_holders: {
        repository_uid: RepositoryUid;
        hash: string;
        name: string;
    };
    hub_tokens: {
        id: HubTokenId;
        account_id: AccountId;
        name: string;
        kind: string;
        secret_hash: string;
        hint: string;
        /** Grant[] */
        grants: string;
        /** string[], or null for all */
        verb_groups: string | null;
        created_at: number;
        expires_at: number | null;
        revoked_at: number | null;
        last_used_at: number | null;
    };
    /** What is cut off, and below which number; `made` is the number of the transaction that cut. */
    cut_offs: {
        kind: CutOffKind;
        id: string;
        number: JournalNumber;
        made: JournalNumber;
    };
    /** One row: where the next journal number comes from. */
    journal_head: {
        only_row: number;
        number: number;
        pruned_through: number;
        mark: number;
        is_open: number;
    };
    /** What changed, by whom; names stand beside ids, because an entry outlives what it is about. */
    journal: {
        number: number;
        previous: number;
        at_milliseconds: number;
        verb: string;
        thing: string;
        did: string;
        actor_account_id: AccountId | null;
        actor_account: string | null;
        actor_hub_token: HubTokenId | null;
        actor_user: string | null;
        request_id: string | null;
        account_id: AccountId | null;
        account: string | null;
        hub_token_id: HubTokenId | null;
        namespace_id: string | null;
        namespace: string | null;
        repository_uid: RepositoryUid | null;
        repository: string | null;
        ref_uid: RefUid | null;
        ref: string | null;
        narrows: number;
        /** { before?, after? } */
        detail: string;
    };
}

// verbs/does.d.ts
/** What a verb does, by the words of the verb that says it. */
import type { VerbTable, Words } from '@latchkey/admin-api';
import type { Refusal } from '@latchkey/protocol';
import type { z } from 'zod';
import type { FindRepository } from '../access/find-repository.js';
import type { Caller } from '../identity/caller.js';
import type { KeyWork } from '../keys/key-work.js';
import type { Policy } from '../permission/decide-permission.js';
import type { VerifyOwnToken } from '../revocation/report/verify-own-token.js';
import type { ChangeWork, Work } from '../tables/directory.js';
export interface Looking extends Work {
    /** The administrator who acts; undefined for a command on the machine itself. */
    readonly actor: Caller | undefined;
    readonly findRepository: FindRepository;
    readonly policy: Policy;
    readonly keys: KeyWork;
    readonly verifyOwnToken: VerifyOwnToken;
}
export interface Changing extends Looking, ChangeWork {
}
/** Only a verb that is no GET gets the means to change something. */
export type Does<Verb extends Words> = (work: VerbTable[Verb]['method'] extends 'GET' ? Looking : Changing, input: z.output<VerbTable[Verb]['input']>) => Promise<z.input<VerbTable[Verb]['output']> | Refusal>;

// verbs/epochs.d.ts
/** Epochs: a repository that may have lost stored content gets addresses that it never had. */
import { type JournalNumber, type RepositoryUid } from '@latchkey/protocol';
import type { Change, Origin } from '../tables/change.js';
import type { Directory, Transaction } from '../tables/directory.js';
import type { RepositoryRow } from '../tables/rows.js';
/**
 * The changes of one repository, and its new epoch where they delete a ref. Clients may remember content of the ref as
 * uploaded; the hub does not know whether the ref had any.
 */
export declare function withNewEpoch(changes: readonly Change[], repository: RepositoryRow, number: JournalNumber): Change[];
/** Raises the epochs of these repositories, or of all. Gives how many there are; unknown uids are left out. */
export declare function raiseEpochs(directory: Directory, origin: Origin, uids: readonly RepositoryUid[] | 'all'): Promise<number>;
/** The same within a transaction. */
export declare function raiseEpochsIn({ tables, number, putAs }: Transaction, origin: Origin, uids: readonly RepositoryUid[] | 'all'): Promise<number>;
