// What protocol declares, written by `npm run api`.
// . is index.d.ts

// cors.d.ts
/** Which other origins may read a service's answers in a browser. */
export interface CorsRules {
    /** `*` opens the answers to every origin; an empty list to none. */
    readonly origins: readonly string[];
    readonly methods: readonly string[];
    /** Headers that a request from another origin may send in addition to the browser's own. */
    readonly requestHeaders: readonly string[];
    /** Headers that a page may read in addition to the browser's own. */
    readonly exposed: readonly string[];
}
export interface Cors {
    /** Header lines for an answer to a request of this origin, name and value in turn. */
    headersFor(origin: string | undefined): readonly string[];
    /** The same for the answer to a preflight. */
    preflightHeadersFor(origin: string | undefined): readonly string[];
}
export declare function createCors({ origins, methods, requestHeaders, exposed }: CorsRules): Cors;
export interface MaybePreflight {
    readonly method: string | undefined;
    readonly origin: string | undefined;
    /** The value of `Access-Control-Request-Method`. */
    readonly requestMethod: string | undefined;
}
export declare function isPreflight({ method, origin, requestMethod }: MaybePreflight): boolean;

// ids.d.ts
/** The ids of repositories, refs, accounts and hub tokens: a type for each kind, and every spelling an id can have. */
export type RepositoryUid = string & {
    readonly brand: 'repository-uid';
};
/** A commit has one too, because a storage token names a commit as it names a ref. */
export type RefUid = string & {
    readonly brand: 'ref-uid';
};
export type AccountId = string & {
    readonly brand: 'account-id';
};
export type HubTokenId = string & {
    readonly brand: 'hub-token-id';
};
export type AnyId = RepositoryUid | RefUid | AccountId | HubTokenId;
/** An id is made of this many random bytes, one for each letter. */
export declare const idLength = 26;
/** The form of every id that a hub makes. The special ids below have another form, so none of them is ever made. */
export declare const idPattern: RegExp;
/** The form of every uid that a hub makes for a ref. */
export declare const refUidPattern: RegExp;
/** Five bits of each byte, so 130 random bits: safe in paths, arguments and file names. */
export declare function idFromBytes<Id extends AnyId>(bytes: Uint8Array): Id;
/** A claim may hold any id but the empty one: another hub may make ids of another form. */
export declare function isId(value: unknown): value is AnyId;
export declare function parseHubTokenId(text: string): HubTokenId | undefined;
/** Text that nobody has parsed yet, so no id of another kind. */
type Text = string & {
    readonly brand?: never;
};
/**
 * Security boundary: these four take any text from outside as an id, the empty text too, and never give undefined. A
 * gate compares the id with the one in the token, and it compares nothing where a place has no id.
 */
export declare const asRepositoryUid: (text: Text) => RepositoryUid;
export declare const asRefUid: (text: Text) => RefUid;
export declare const asAccountId: (text: Text) => AccountId;
export declare const asHubTokenId: (text: Text) => HubTokenId;
/** The empty id belongs to nothing and sorts before every other id. */
export declare const noRepositoryUid: RepositoryUid;
export declare const noAccountId: AccountId;
export declare const noHubTokenId: HubTokenId;
/** In the tokens of every caller without a hub token. */
export declare const anonymousAccountId: AccountId;
export declare const anonymousHubTokenId: HubTokenId;
/** The id that the hub logs for the storage that it starts itself. */
export declare const embeddedHubTokenId: HubTokenId;
/** For a question about an account that names no hub token. */
export declare const supposedHubTokenId: HubTokenId;
/**
 * Security boundary: the ref uid of a token that must not open what was written under its tag or commit. No ref and no
 * commit has this uid, because ids have no dot. Only tokens to read carry it, and the storage takes no write for it.
 */
export declare function unwrittenUid(uid: RefUid): RefUid;
export declare function isUnwritten(uid: RefUid): boolean;
/** The ref or commit behind such a uid; every other uid as it is. */
export declare function writtenUid(uid: RefUid): RefUid;
/**
 * The uid of a ref that is filled by an account without the role `write`. Those of one repository sort beside each other, so
 * that a storage counts together what they hold. No other id has this form, because ids have no dot.
 */
export declare function proposalUid(repositoryUid: RepositoryUid, uid: RefUid): RefUid;
export declare function isProposalUid(repositoryUid: RepositoryUid, uid: RefUid): boolean;
/** All such uids of a repository are between these two. A slash sorts next after a dot. */
export declare function proposalUidRange(repositoryUid: RepositoryUid): readonly [RefUid, RefUid];
/**
 * Security boundary: an absent repository is looked up for this id, so that it takes as long as a hidden one. No account
 * has the id, because ids have no dash. It sorts beside the account's own id, so both take the same steps in an index.
 */
export declare function idOfNoAccount(accountId: AccountId): AccountId;
/** The value for `{ref}` in the storage's URL: each URL version of the ref has another one. */
export declare function refSegment(refUid: RefUid, epoch: number): string;
/** The uid in such a segment, of whatever epoch: URLs of earlier epochs go on working. It can be empty, as in `-1`. */
export declare function refUidIn(segment: string): RefUid;
export declare const accountKinds: readonly ['user', 'service'];
export type AccountKind = (typeof accountKinds)[number];
export declare const hubTokenKinds: readonly ['read', 'write', 'fine-grained', 'admin', 'storage', 'forge'];
export type HubTokenKind = (typeof hubTokenKinds)[number];
/** How a hub token came to be: by an administrator, its own account, a sign-in, a device login, or for a CI job. */
export declare const hubTokenOrigins: readonly ['admin', 'self', 'session', 'device', 'ci'];
export type HubTokenOrigin = (typeof hubTokenOrigins)[number];
/** One line of a fine-grained hub token. */
export interface HubTokenGrant {
    /** `models/acme/bert`, `acme/*` or `*`. */
    readonly on: string;
    /** Write includes read. */
    readonly contents: 'read' | 'write';
    /** Ref patterns; without them, every ref. */
    readonly refs?: readonly string[];
}
export {};

// index.d.ts
/** The words that hub, gate and client share. No I/O, no clock, no dependencies. */
export * from './cors.js';
export * from './ids.js';
export * from './option-fault.js';
export * from './path-flaw.js';
export * from './problem.js';
export * from './ref-pattern.js';
export * from './refusal.js';
export * from './refusal-answer.js';
export * from './revision.js';
export * from './scope-rules.js';
export * from './secret.js';
export * from './service-url.js';
export * from './storage-name.js';
export * from './storage-path.js';
export * from './time.js';
export * from './token-path.js';
export * from './token-shape.js';
export * from './turns.js';

// option-fault.d.ts
/** Compares the options of a call with those that it takes: a mistyped name must not silently change what the call does. */
/** The result of `typeof` for the values of an option; `|` separates several, `any` is for values checked elsewhere. A group has a table of its own. */
export type OptionType = string | {
    readonly [name: string]: OptionType;
};
/** The names of all options, each with its type. */
export type OptionTypes<Options> = {
    readonly [Name in keyof Options]-?: string | GroupTypes<NonNullable<Options[Name]>>;
};
type GroupTypes<Group> = Group extends readonly unknown[] | ((...args: never[]) => unknown) ? never : Group extends object ? OptionTypes<Group> : never;
/** Names that other libraries use, each with ours. */
export type OtherNames = Readonly<Record<string, string>>;
/**
 * A sentence about the first option that the call does not take, or takes with another type; undefined when all are right.
 * `of` names the call, as in `createGate`. No value is repeated: it may be a secret in the wrong place.
 */
export declare function optionFault(of: string, options: unknown, types: Readonly<Record<string, OptionType>>, otherNames?: OtherNames): string | undefined;
/** Throws the sentence of `optionFault`, if there is one. */
export declare function refuseOptions(of: string, options: unknown, types: Readonly<Record<string, OptionType>>, Failure?: new (message: string) => Error): void;
/** How a sentence names the type of a value. */
export declare function kindOf(value: unknown): string;
/** Undefined when nothing is close enough to be worth suggesting. A word that another one contains is close: `token`, `hubToken`. */
export declare function nearest(word: string, words: readonly string[]): string | undefined;
/** ` Did you mean …?`, or nothing. */
export declare function didYouMean(word: string, words: readonly string[]): string;
export {};

// path-flaw.d.ts
/**
 * Checks the path of a file: it must name one place below a folder, and none where git keeps its
 * own files.
 */
/** Completes a sentence that begins with the path; undefined for a path that may stand in a manifest or a commit. */
export declare function pathFlaw(path: string): string | undefined;
export interface TreeFlaw {
    readonly path: string;
    readonly flaw: string;
}
/** Paths that cannot stand beside each other in one folder. None of them may have a flaw of its own. */
export declare function treeFlaw(paths: readonly string[]): TreeFlaw | undefined;
/** The name without the characters that macOS leaves out. */
export declare function asMacReads(name: string): string;
/** As git itself refuses them in a commit: in any case, and as Windows and macOS read other names. */
export declare function isGitName(part: string): boolean;

// problem.d.ts
/** A refusal as it goes over the wire: a problem document (RFC 9457) that real clients can read too. */
import { type Refusal, type RefusalCode } from './refusal.js';
import type { JournalNumber } from './time.js';
export interface Problem {
    readonly type: string;
    readonly title: string;
    readonly status: number;
    readonly detail: string;
    readonly code: RefusalCode;
    readonly requestId: string;
    /** The sentence of `detail` again: the member that Hugging Face clients show. */
    readonly error: string;
    readonly missing?: string;
    readonly path?: string;
    readonly next?: readonly string[];
    readonly number?: JournalNumber;
}
export declare const titleOf: Record<RefusalCode, string>;
export declare function problemOf(refusal: Refusal, requestId: string): Problem;
/** Text made safe for a header: printable ASCII, anything else percent-encoded. */
export declare function headerText(text: string): string;

// ref-pattern.d.ts
/** Patterns over ref names: byte for byte, `*` within a segment, `**` across segments. */
/** A pattern that does not begin with `refs/` speaks of branches. */
export declare function canonicalPattern(pattern: string): string;
export declare function matchesRef(pattern: string, name: string): boolean;
/** How much of the pattern stands before its first wildcard: the longer, the more specific. */
export declare function literalPrefixLength(pattern: string): number;
/** At most this many wildcards, so that matching cannot be made slow. */
export declare const maxWildcards = 4;
export declare function isRefPattern(pattern: string): boolean;

// refusal-answer.d.ts
import { type Refusal } from './refusal.js';
export interface Answer {
    readonly status: number;
    /** Names and values in turn. */
    readonly headers: readonly string[];
    readonly body: string;
    /** `latin1` is the quicker way to send a text known to be ASCII. */
    readonly encoding: 'utf8' | 'latin1';
}
export interface RefusalContext {
    readonly requestId: string;
    /** `application/json` instead of `application/problem+json`. */
    readonly plainJson?: boolean;
    /** Whether bearers are for every request, so that a bad one is theirs too (RFC 6750 §3.1). */
    readonly everyRequestHasBearer?: boolean;
}
export declare function answerRefusal(original: Refusal, context: RefusalContext): Answer;

// refusal.d.ts
/** Every "no" that the services answer with: a value with a stable code, never an exception. */
import type { JournalNumber } from './time.js';
export declare const statusOf: {
    readonly bad_request: 400;
    readonly content_invalid: 400;
    readonly hub_token_missing: 401;
    readonly hub_token_invalid: 401;
    readonly storage_token_missing: 401;
    readonly storage_token_invalid: 401;
    readonly permission_denied: 403;
    readonly insufficient_scope: 403;
    readonly repository_mismatch: 403;
    readonly ref_mismatch: 403;
    readonly blob_url_invalid: 403;
    readonly signature_invalid: 403;
    readonly not_found: 404;
    readonly repository_not_found: 404;
    readonly revision_not_found: 404;
    readonly resource_not_found: 404;
    readonly entry_not_found: 404;
    readonly method_not_allowed: 405;
    readonly request_timeout: 408;
    readonly conflict: 409;
    readonly upload_offset_mismatch: 409;
    readonly cursor_unknown: 410;
    readonly precondition_failed: 412;
    readonly body_too_large: 413;
    readonly quota_exceeded: 413;
    readonly unsupported_media_type: 415;
    readonly range_not_satisfiable: 416;
    readonly misdirected_request: 421;
    readonly rate_limited: 429;
    readonly headers_too_large: 431;
    readonly internal_error: 500;
    readonly not_implemented: 501;
    readonly upstream_unreachable: 502;
    readonly not_ready: 503;
    readonly gate_not_ready: 503;
    readonly hub_unavailable: 503;
    readonly upstream_timeout: 504;
    readonly storage_full: 507;
    readonly stopping: 503;
};
export type RefusalCode = keyof typeof statusOf;
/** Copies keep it (`{ ...refusal, path }`), JSON cannot hold it, and a second copy of this module knows it too. */
declare const mark: unique symbol;
/** Only `refuse` makes one. */
export interface Refusal {
    readonly [mark]: true;
    readonly code: RefusalCode;
    /** One sentence for the person who asked: what happened, what was expected, what to do. */
    readonly detail: string;
    /** The permission that is missing; sent only to callers that may see the repository. */
    readonly missing?: string;
    /** Where in the input the mistake is: `repositories[2].branches.main`. */
    readonly path?: string;
    /** The command that leads on, by its words after `latchkey`; a word in capitals stands for one to fill in. */
    readonly next?: readonly string[];
    readonly retryAfterSeconds?: number;
    /** Which of the ways to fail it was, for the log of the operator; never sent. */
    readonly reason?: string;
    /** The id of the refused token, where its signature was found to be right; for the log, never sent. */
    readonly tokenId?: string;
    /** The methods that would have been allowed, as the `Allow` header lists them. */
    readonly allow?: string;
    /** The last number of the journal, where the one that was asked for is not in it. */
    readonly number?: JournalNumber;
    /** How long that is of which a part was asked for, as `Content-Range` tells it. */
    readonly wholeBytes?: number;
    /** The byte that an upload goes on from, as `Upload-Offset` tells it. */
    readonly uploadOffset?: number;
}
export declare function refuse(code: RefusalCode, detail: string, more?: RefusalExtra): Refusal;
type RefusalExtra = Pick<Refusal, 'missing' | 'path' | 'next' | 'retryAfterSeconds' | 'allow' | 'number' | 'wholeBytes' | 'uploadOffset' | 'reason' | 'tokenId'>;
/**
 * By its mark alone: a member `code` in data from outside means nothing.
 *
 * @example
 * ```ts
 * const refusal = refuse('not_found', 'There is no such file.')
 * isRefusal(refusal) // true
 * isRefusal({ code: 'not_found' }) // false
 * ```
 */
export declare function isRefusal(value: unknown): value is Refusal;
export {};

// revision.d.ts
/** A revision as a client names it, and the full ref names behind it. */
/** A full ref name that git would accept: `refs/heads/main`, `refs/tags/v1`, `refs/pr/1`. */
export type RefName = string & {
    readonly brand: 'ref-name';
};
/** A full commit hash, 40 or 64 lower-case hex digits, not all of them zero. */
export type CommitHash = string & {
    readonly brand: 'commit-hash';
};
/** In place of a commit hash: 40 zeros, as git writes an object that is missing. */
export type NoCommit = string & {
    readonly brand: 'no-commit';
};
/** The value of a branch that has no commit yet. It is never on record and never a revision. */
export declare const noCommit: NoCommit;
export type Revision = {
    readonly kind: 'commit';
    readonly hash: CommitHash;
} | {
    readonly kind: 'ref';
    readonly name: RefName;
}
/** A bare name: the tag of that name, or the branch. */
 | {
    readonly kind: 'bare';
    readonly branch: RefName;
    readonly tag: RefName;
}
/** No ref can be called so; the text is kept because permission is judged by name. */
 | {
    readonly kind: 'impossible';
    readonly text: string;
};
export type RefKind = 'branch' | 'tag' | 'other';
export declare function parseRevision(text: string): Revision;
/** A revision as people write it; one text for one revision. */
export declare function formatRevision(revision: Revision): string;
export declare function parseCommitHash(text: string): CommitHash | undefined;
/** The same where there may be none, which is written as 40 or 64 zeros. */
export declare function parseCommitOrNone(text: string): CommitHash | NoCommit | undefined;
/** Reads a full name; the only place that makes a `RefName`. */
export declare function parseRefName(text: string): RefName | undefined;
export declare function refKind(name: RefName): RefKind;
/** `main` for `refs/heads/main`; other refs have no shorter name. */
export declare function shortRefName(name: string): string;
export declare function branchName(short: string): RefName | undefined;
export declare function tagName(short: string): RefName | undefined;
/** Where accounts upload what they will propose. No revision names such a ref. */
export declare const uploadFolder = "refs/latchkey/upload/";
export declare function isLongerThan(text: string, bytes: number): boolean;
export declare const repoTypes: readonly ['model', 'dataset', 'space'];
export type RepoType = (typeof repoTypes)[number];
export interface RepoRef {
    readonly type: RepoType;
    readonly namespace: string;
    readonly name: string;
}
/** The words of namespaces, repositories and accounts. */
export declare function isName(text: string): boolean;
export declare function repoRef(type: RepoType, namespace: string, name: string): RepoRef | undefined;
/**
 * Reads `models/acme/bert`.
 *
 * @example
 * ```ts
 * parseRepoRef('models/acme/bert') // { type: 'models', namespace: 'acme', name: 'bert' }
 * parseRepoRef('models/bert') // undefined
 * ```
 */
export declare function parseRepoRef(text: string): RepoRef | undefined;
export declare function formatRepoRef({ type, namespace, name }: RepoRef): string;
/** The `namespace/name` that the protocol calls the repository id. */
export declare function repoId({ namespace, name }: RepoRef): string;

// scope-rules.d.ts
/** Which scope a storage request wants: the table that gate and client share. */
import { type NormalPath } from './storage-path.js';
export declare const scopes: readonly ['read', 'write'];
export type Scope = (typeof scopes)[number];
/** A row that an operator adds; it can demand `write`, never allow less. */
export interface WriteRule {
    /** `unsafe` is every method but GET, HEAD and OPTIONS. */
    readonly methods: 'unsafe' | readonly string[];
    /** `/v1/locks/*`: a star is one segment, two at the end are any further ones; case is ignored. */
    readonly path: string;
}
export interface ScopeRules {
    readonly write?: readonly WriteRule[];
    /** Lets a read token use PUT, PATCH, DELETE and the like outside of shards and xorbs. */
    readonly relaxOtherMethods?: boolean;
    /** Demands `write` for every method but GET, HEAD and OPTIONS, at every path. Excludes `relaxOtherMethods`. */
    readonly everyUnsafeMethodWrites?: boolean;
}
/** Throws for a name that rules do not have: a mistyped rule would demand less than it says. */
export declare function refuseMistypedRules(rules: ScopeRules, Failure?: new (message: string) => Error): void;
/** Reads a rule as operators write it: `POST /v1/locks/*`, or `unsafe /v1/locks/**`. */
export declare function parseWriteRule(text: string): WriteRule | undefined;
/** Whether a rule can match anything: a path in its normal form, with stars for whole segments. */
export declare function isWriteRule({ path }: WriteRule): boolean;
export type RequiredScope = (method: string, path: NormalPath) => Scope;
/**
 * The rules of every storage, whatever its operator adds. POST elsewhere reads: clients send
 * telemetry and queries that way.
 *
 * @example
 * ```ts
 * const path = parseNormalPath('/v1/xorbs/default/4567')
 * if (path !== undefined) standardScope('POST', path) // 'write'
 * ```
 */
export declare const standardScope: RequiredScope;
export declare function scopeRules(rules?: ScopeRules): RequiredScope;
/** spec: Authentication 3. */
export declare function scopeCovers(held: Scope, neededScope: Scope): boolean;
export declare const roles: readonly ['read', 'write', 'admin'];
export type Role = (typeof roles)[number];
export declare function roleCovers(held: Role | undefined, needed: Role | Scope): boolean;
export declare function strongerRole(one: Role | undefined, other: Role | undefined): Role | undefined;

// secret.d.ts
/** A secret that cannot be printed: the only way to its text is `reveal()`. */
export type SecretKind = 'hub-token' | 'client-secret' | 'access-token' | 'id-token' | 'provider-token' | 'device-code' | 'refresh-token' | 'master-key' | 'assertion-key' | 'blob-url-key' | 'storage-master-key' | 'database-password' | 'database-url' | 's3-credentials';
declare const inspect: unique symbol;
export declare class Secret<Kind extends SecretKind> {
    #private;
    readonly kind: Kind;
    constructor(kind: Kind, text: string);
    /** The secret itself. A test lists the files that may call this. */
    reveal(): string;
    toString(): string;
    toJSON(): string;
    [inspect](): string;
}
/** Undefined unless the text is the one base64 spelling of 32 bytes; blanks around it do not matter. */
export declare function parseSecretKey<Kind extends SecretKind>(kind: Kind, text: string): Secret<Kind> | undefined;
export {};

// service-url.d.ts
import { type RefUid, type RepositoryUid } from './ids.js';
/** Leaves room in every client, which must accept far longer ones. */
export declare const maxConfigurableCasUrlLength = 2048;
export declare function isLoopback(host: string): boolean;
/** Compared byte for byte by everyone who reads it, so only the normal form is taken. */
export declare function isServiceUrl(text: string): boolean;
/** Placeholders stand in the path only, each at most once; no gate admits a path that is not normal. */
export declare function isCasUrl(text: string): boolean;
/** Plain http to another machine shows every token on the way. */
export declare function isPlainHttp(url: string): boolean;
export interface StorageAddress {
    /** The tokens' `aud`: what stands before the first placeholder, without a trailing slash. */
    readonly audience: string;
    /** Another epoch is another URL: clients remember by URL what they believe to be stored. */
    urlFor(repositoryUid: RepositoryUid, refUid: RefUid, epoch?: number): string;
}
export declare function storageAddress(casUrl: string): StorageAddress;

// storage-name.d.ts
/** The names of a hub's storages, as configuration, directory and credentials have them. */
export type StorageName = string & {
    readonly brand: 'storage-name';
};
/** The storage at `casUrl`. */
export declare const defaultStorage: StorageName;
/** Ends the sentence "must be …". */
export declare const expectedStorageName = "the name of a storage: 1 to 32 lower-case letters, digits or \"-\", with a letter first and no \"-\" at the end";
export declare function parseStorageName(text: string): StorageName | undefined;
/** A storage beside the one at `casUrl`. */
export interface NamedStorage {
    readonly name: StorageName;
    readonly casUrl: string;
}

// storage-path.d.ts
/** The path of a storage request, taken in its one normal spelling only: routers repair the others, each in its own way. */
/** A path that every router reads alike. */
export type NormalPath = string & {
    readonly brand: 'normal-path';
};
/**
 * Reads the raw path of a request; undefined when it is not already normal.
 *
 * @example
 * ```ts
 * parseNormalPath('/v1/files/0123') // a NormalPath
 * parseNormalPath('/v1/../files/0123') // undefined
 * ```
 */
export declare function parseNormalPath(path: string): NormalPath | undefined;
/** Spellings of slashes that an operator may let through to a storage whose keys hold them. */
export declare const slashForms: readonly ['encoded-slash', 'trailing-slash'];
export type SlashForm = (typeof slashForms)[number];
/**
 * Reads the raw path of a request like `parseNormalPath`, and also takes the given forms of slashes. Read with plain
 * slashes the path must be normal too, so that `a%2F..%2Fb` leads nowhere.
 */
export declare function parseStoragePath(path: string, allowed: readonly SlashForm[]): NormalPath | undefined;
/** The ways in which routers read the slashes of such a path: `%2F` as itself or as `/`, with and without the last one. */
export declare function slashReadings(path: NormalPath): readonly NormalPath[];
/** Undefined when the encoded bytes are no UTF-8. */
export declare function decodeSegment(segment: string): string | undefined;

// time.d.ts
export type UnixSeconds = number & {
    readonly unit: 'unix-seconds';
};
/** Where "now" comes from; only an entry point reads the system's. */
export type Clock = () => UnixSeconds;
export declare function unixSeconds(seconds: number): UnixSeconds;
export declare function formatTime(moment: UnixSeconds): string;
/** A point in time by two clocks: one is never set but may stand still while the machine sleeps, the other runs on. */
export interface Moment {
    readonly steadyMs: number;
    readonly wallMs: number;
}
/** By the clock that has gone further. */
export declare function elapsedMs(since: Moment, now: Moment): number;
/** Rises with every entry, and is never less than the Unix milliseconds at which the entry was made. */
export type JournalNumber = number & {
    readonly unit: 'journal-number';
};
/** Before every entry. */
export declare const noJournalNumber: JournalNumber;
export declare function isJournalNumber(value: unknown): value is JournalNumber;
export declare function journalNumber(value: number): JournalNumber;
/** A follower keeps the highest number it was told: one from a hub whose clock is far ahead would hide later news for years. */
export declare function isFuture(number: number, now: number): boolean;
export interface RevocationBounds {
    /** While the hub answers. */
    readonly normalSeconds: number;
    /** While it does not. */
    readonly withheldSeconds: number;
}
/** A signed revocation head is valid for so long. */
export declare const maxHeadSeconds = 60;
/** How often a gate asks. */
export declare const defaultPollSeconds = 5;
/** A question of a gate is given up after so long. */
export declare const pollPatienceSeconds = 4;
export declare function boundsOf(pollSeconds?: number, patienceSeconds?: number): RevocationBounds;

// token-path.d.ts
/** The path of the token request, read from the raw request target and written back. */
import { type RepoRef, type Revision } from './revision.js';
import type { Scope } from './scope-rules.js';
import type { UnixSeconds } from './time.js';
/** The word in the token segment: ours, or the one that Hugging Face clients build themselves. */
export type TokenWord = 'storage' | 'xet';
export interface TokenPath {
    readonly word: TokenWord;
    /** Undefined when no repository can have this name. */
    readonly repo: RepoRef | undefined;
    readonly scope: Scope;
    readonly revision: Revision;
}
/** Reads a raw request target; undefined when it names no token route or cannot be decoded. */
export declare function parseTokenPath(target: string): TokenPath | undefined;
/**
 * The path of a token request.
 *
 * @example
 * ```ts
 * const repo = parseRepoRef('models/acme/bert')
 * if (repo !== undefined) formatTokenPath(repo, 'read', 'refs/pr/1')
 * // '/api/models/acme/bert/storage-read-token/refs%2Fpr%2F1'
 * ```
 */
export declare function formatTokenPath(repo: RepoRef, scope: Scope, revision: string, word?: TokenWord): string;
/** The path of a request target: without the query, and without the authority of the absolute form. */
export declare function pathOf(target: string): string;
/** Undefined where the text is not printable ASCII, or what it encodes is no UTF-8. */
export declare function decodeOnce(segment: string): string | undefined;
export interface TokenResponse {
    readonly accessToken: string;
    readonly exp: UnixSeconds;
    readonly casUrl: string;
}
/** spec: Limits. What every reader accepts. */
export declare const maxAccessTokenLength = 64000;
export declare const maxCasUrlLength = 64000;
/** spec: Limits. How long before `exp` a client should ask again. */
export declare const refreshBufferSeconds = 30;

// token-shape.d.ts
/** Recognizes hub tokens and storage tokens inside a text. */
/** The prefix of a hub's hub tokens, such as `lk_`. */
export declare function isPrefix(text: string): boolean;
/** A hub token of any prefix, or anything that begins like a JWS, with all that hangs on to it. */
export declare const tokenShape = "(?:_|%(?:25)*5[Ff])[0-9A-Za-z]{49}(?:[0-9A-Za-z_.-]|%(?:25)*(?:5[Ff]|2[Ee]))*|eyJ[0-9A-Za-z-]{8}(?:[0-9A-Za-z_.-]|%(?:25)*(?:5[Ff]|2[Ee]))*";
/**
 * Every character of ASCII as it is, however often it was percent-encoded, and if its escapes were encoded, too. An escape
 * becomes its character as soon as its last digit is there, and that character may end another escape. Each step makes the text
 * shorter, so the time grows with the length of the text alone.
 */
export declare function withoutEncoding(text: string): string;
/**
 * Whether a name is a hub token or a storage token that a client put in the wrong place. No account or repository has such a name, so the hub
 * sends it to no database, whose log of statements would keep it. A long hexadecimal number is no token.
 */
export declare function isTokenAsName(text: string): boolean;
export type Bearer = {
    readonly token: string;
} | 'missing' | 'malformed';
/** `values` are all Authorization headers of the request: two of them are ambiguous, so refused. */
export declare function readBearer(values: readonly string[]): Bearer;
/** Whether a header can carry it as it is. */
export declare function isBearerToken(text: string): boolean;
export declare function scrub(text: string): string;

// turns.d.ts
/** Runs work that must not run twice at a time: one run for all callers, or one after the other. */
/** Callers that come while a run is under way get its result. */
export declare function shareRunning<Input extends readonly unknown[], Result>(run: (...input: Input) => Promise<Result>): (...input: Input) => Promise<Result>;
export type TurnRunner = <Result>(work: () => Promise<Result>) => Promise<Result>;
/** Runs one piece of work at a time, in the order of the calls. The next one begins when this one has also rested. */
export declare function turns(rest?: () => unknown): TurnRunner;
