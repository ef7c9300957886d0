// What client declares, written by `npm run api`.
// . is index.d.ts
// ./token-client is token-client.d.ts
// ./parts is parts.d.ts

// client-over.d.ts
/**
 * Common part of all clients: the tokens of one repository and revision, for one identity, and
 * requests that carry them.
 */
import type { Scope } from '@latchkey/protocol';
import type { StorageToken } from './hub/read-token-answer.js';
import { type ClientOptions, type Fetch, type FetchAnswer } from './options/resolve-options.js';
import type { HeaderPairs } from './storage/request-body.js';
import { type RequestBase } from './storage/storage-request.js';
export interface ClientOver<Answer, Init> {
    /** The token that is held, or a new one. */
    token(scope: Scope, options?: {
        readonly signal?: AbortSignal | undefined;
    }): Promise<StorageToken>;
    /** Below casUrl, with the least token that will do. Gives the storage's answer, whatever its status. */
    send(path: string, init: Init): Promise<Answer>;
    /** Ends all that is under way and forgets the tokens. */
    close(): void;
}
export declare function clientOver<Answer extends FetchAnswer, Init extends RequestBase>(options: ClientOptions, fetch: Fetch<Answer>, readHeaders: (init: Init) => HeaderPairs): ClientOver<Answer, Init>;

// clock/client-clock.d.ts
/** Time as the client needs it: how much has passed, and something to do later. */
import type { Moment } from '@latchkey/protocol';
export interface ClientClock {
    /** The machine's own time, in milliseconds; may be wrong, and may be set. */
    wallMs(): number;
    /** Milliseconds since any fixed moment; never set, but may stand still while the machine sleeps. */
    monotonicMs(): number;
    /** Gives back how to call it off. What is done in the background keeps no process alive. */
    later(ms: number, act: () => void, options?: {
        readonly background?: boolean;
    }): () => void;
}
export declare const systemClock: ClientClock;
export declare function momentOf(clock: ClientClock): Moment;

// error/latchkey-error.d.ts
/** The one error of the client: what a person needs to know, and nothing that a log must not hold. */
import { type OptionType, type OtherNames, type RefusalCode } from '@latchkey/protocol';
/** Codes of errors on the client's side of the wire; every other error has the code of the hub. */
export declare const clientCodes: readonly ['bad_option', 'path_refused', 'hub_unreachable', 'storage_unreachable', 'answer_invalid', 'redirected', 'body_not_repeatable', 'closed'];
export type ClientCode = (typeof clientCodes)[number];
/** The codes that this version knows, and any other text: a newer hub or storage may have more. */
export type ErrorCode = RefusalCode | ClientCode | (string & {});
export interface ErrorFacts {
    readonly status?: number | undefined;
    readonly requestId?: string | undefined;
    readonly method?: string | undefined;
    /** Without its query, which may hold anything. */
    readonly path?: string | undefined;
    readonly retryAfterSeconds?: number | undefined;
    /** The permission that is missing. Only the admin client tells this and the next two. */
    readonly missing?: string | undefined;
    /** Where in the input the mistake is: `updates[3].ref`. */
    readonly inputPath?: string | undefined;
    /** The words of the command that leads on. */
    readonly next?: readonly string[] | undefined;
}
export declare class LatchkeyError extends Error {
    readonly name = "LatchkeyError";
    readonly code: ErrorCode;
    readonly status: number | undefined;
    readonly requestId: string | undefined;
    readonly method: string | undefined;
    readonly path: string | undefined;
    readonly retryAfterSeconds: number | undefined;
    readonly missing: string | undefined;
    readonly inputPath: string | undefined;
    readonly next: readonly string[] | undefined;
    constructor(code: ErrorCode, message: string, facts?: ErrorFacts);
}
/**
 * Why the network failed, as one word of the system's; messages of the platform can hold header values. A browser tells
 * a page nothing: the other origin may not list the page's.
 */
export declare function causeOf(error: unknown, url: string): string;
/** The value is not repeated: it may be a secret in the wrong place. */
export declare function badOption(name: string, rule: string): LatchkeyError;
/** `of` is what takes the options, as a sentence names it: `a storage client`. */
export declare function refuseOptions(of: string, value: unknown, types: Readonly<Record<string, OptionType>>, otherNames?: OtherNames): void;

// hub/ask-hub.d.ts
/** One request to a hub: bounded in time and size, never redirected. What goes wrong is a value. */
import type { RefusalCode, Secret } from '@latchkey/protocol';
import { type ErrorFacts, LatchkeyError } from '../error/latchkey-error.js';
import type { FetchInit, ResolvedClientOptions } from '../options/resolve-options.js';
import type { AnswerHeaders } from '../patience/worth-a-retry.js';
export interface HubQuestion extends Pick<FetchInit, 'method' | 'body'> {
    /** Begins with a slash. */
    readonly path: string;
    readonly token: Secret<'hub-token'> | undefined;
    readonly headers?: FetchInit['headers'];
    readonly timeoutMs: number;
    readonly maxBytes: number;
}
export interface HubAnswer {
    readonly status: number;
    readonly headers: AnswerHeaders;
    /** Undefined for a body that goes on beyond the limit. */
    readonly text: string | undefined;
}
export declare function askHub({ hubUrl, fetch, clock }: Pick<ResolvedClientOptions, 'hubUrl' | 'fetch' | 'clock'>, { path, token, headers, timeoutMs, maxBytes, ...init }: HubQuestion, facts: ErrorFacts, ending: AbortSignal): Promise<HubAnswer | LatchkeyError>;
export declare function redirectError(hubUrl: string, facts: ErrorFacts): LatchkeyError;
/** Also a code of a hub that is newer than this client. */
export declare function isCode(code: string): boolean;
/** For what stands in front of a hub and knows nothing of its codes. */
export declare function codeBy(status: number): RefusalCode;
/** One line of bounded length; whatever a hub repeats of the token is cut out. */
export declare function clean(text: string, secret: string | undefined, maxLength?: number): string;

// hub/read-token-answer.d.ts
/** The answer to a token request, believed only as far as it is checked. */
import { type Scope, Secret } from '@latchkey/protocol';
import { type ErrorFacts, LatchkeyError } from '../error/latchkey-error.js';
export interface StorageToken {
    readonly scope: Scope;
    readonly accessToken: Secret<'access-token'>;
    /** By the clock of the hub. */
    readonly exp: number;
    readonly casUrl: string;
}
interface TokenExpectation {
    readonly scope: Scope;
    readonly hubUrl: string;
    readonly allowPlainHttp: boolean;
    /** By the clock of the hub. */
    readonly nowSeconds: number;
    /** About the request, for the error. */
    readonly facts: ErrorFacts;
}
export declare function readTokenAnswer(text: string, expected: TokenExpectation): StorageToken | LatchkeyError;
export declare function membersOf(text: string): Readonly<Record<string, unknown>>;
export {};

// identity/credential.d.ts
/** The hub token: given once, or asked for and asked for again when the hub no longer takes it. */
import { Secret } from '@latchkey/protocol';
type HubToken = string | Secret<'hub-token'>;
export type HubTokenSource = HubToken | (() => HubToken | Promise<HubToken>);
export interface HubTokenInUse {
    readonly token: Secret<'hub-token'> | undefined;
    /** Another number for another token: what was got with one is not used with the next. */
    readonly identity: number;
    /** Whether it was asked for just now, so that asking again would bring nothing better. */
    readonly isNew: boolean;
}
export interface Credential {
    identity(): number;
    get(): Promise<HubTokenInUse>;
    /** Says that the hub did not take it. */
    reject(tokenInUse: HubTokenInUse): void;
}
export declare function credentialOf(source: HubTokenSource | undefined): Credential;
export {};

// index.d.ts
/** The client: get a token, use it, never think about it again. */
import { type ClientOver } from './client-over.js';
import { type ClientOptions } from './options/resolve-options.js';
import { type StorageRequestInit } from './storage/storage-request.js';
export { Secret } from '@latchkey/protocol';
export type { ClientClock } from './clock/client-clock.js';
export { type ClientCode, type ErrorCode, LatchkeyError } from './error/latchkey-error.js';
export type { StorageToken } from './hub/read-token-answer.js';
export type { HubTokenSource } from './identity/credential.js';
export type { ClientOptions } from './options/resolve-options.js';
export type { RequestBody } from './storage/request-body.js';
export type { StorageRequestInit } from './storage/storage-request.js';
export interface StorageClientOptions extends ClientOptions {
    /** @default globalThis.fetch */
    readonly fetch?: typeof globalThis.fetch;
}
export interface StorageClient extends Pick<ClientOver<Response, StorageRequestInit>, 'token' | 'close'> {
    /** Below casUrl, with the least token that will do. Gives the storage's answer, whatever its status. */
    fetch(path: string, init?: StorageRequestInit): Promise<Response>;
}
/**
 * @example
 * ```ts
 * const client = createStorageClient({
 *   hubUrl: 'https://hub.example',
 *   hubToken: 'lk_…',
 *   repo: 'models/acme/bert',
 * })
 * const response = await client.fetch('/v1/files/0123…')
 * ```
 */
export declare function createStorageClient(options: StorageClientOptions): StorageClient;

// options/resolve-options.d.ts
/** Checks a developer's options once, before the client sends a request. */
import { type Scope } from '@latchkey/protocol';
import { type ClientClock } from '../clock/client-clock.js';
import type { HubTokenSource } from '../identity/credential.js';
import type { AnswerHeaders } from '../patience/worth-a-retry.js';
export interface ClientOptions {
    readonly hubUrl: string;
    /**
     * Left out, nobody asks: for the public repositories of a hub that allows it.
     *
     * @default no token
     */
    readonly hubToken?: HubTokenSource | undefined;
    /** `models/acme/bert` */
    readonly repo: string;
    /** @default 'main' */
    readonly revision?: string;
    /** @default the system's clock */
    readonly clock?: ClientClock;
    /**
     * From 0 to 1: spreads what many clients would otherwise do at once.
     *
     * @default Math.random
     */
    readonly random?: () => number;
    /** @default 30 */
    readonly refreshBufferSeconds?: number;
    /**
     * How long one call may go on trying after a first failure.
     *
     * @default 60
     */
    readonly retryTimeoutSeconds?: number;
    /**
     * Speaks to other machines without https: whoever listens on the way has the tokens.
     *
     * @default false
     */
    readonly allowPlainHttp?: boolean;
    /** Closes the client. */
    readonly signal?: AbortSignal | undefined;
}
/** Before anything else is read of them. */
export declare function checkOptions(options: unknown): void;
/** The part of a response that the client reads. */
export interface FetchAnswer extends Pick<Response, 'status' | 'body'> {
    readonly headers: AnswerHeaders;
}
/** Redirects are not to be followed. */
export interface FetchInit extends Omit<RequestInit, 'headers'> {
    readonly headers: [name: string, value: string][];
}
export type Fetch<Answer> = (url: string, init: FetchInit) => Promise<Answer>;
export interface ResolvedClientOptions<Answer = FetchAnswer> extends Required<Omit<ClientOptions, 'hubToken' | 'signal' | 'repo' | 'revision'>> {
    readonly fetch: Fetch<Answer>;
    tokenPath(scope: Scope): string;
}
export declare function resolveOptions<Answer>({ hubUrl: givenUrl, repo: givenRepo, revision, clock, random, refreshBufferSeconds, retryTimeoutSeconds, allowPlainHttp, }: ClientOptions, fetch: Fetch<Answer>): ResolvedClientOptions<Answer>;
export declare function checkedHubUrl(urlText: string, allowPlainHttp: boolean): string;
export declare function checkSeconds(durations: Readonly<Record<string, number>>): void;

// parts.d.ts
/** Parts of every client of a hub, for the admin client and the storage alone: they may change in any release. */
export { type ClientClock, systemClock } from './clock/client-clock.js';
export { badOption, LatchkeyError, refuseOptions } from './error/latchkey-error.js';
export { askHub, clean, type HubAnswer, type HubQuestion, isCode, redirectError, } from './hub/ask-hub.js';
export { credentialOf, type HubTokenSource } from './identity/credential.js';
export { checkedHubUrl, checkSeconds, type Fetch, type FetchAnswer, type FetchInit, } from './options/resolve-options.js';
export { retry } from './patience/retry.js';
export { isTransient, readRetryAfter } from './patience/worth-a-retry.js';

// patience/retry.d.ts
/** Tries again what may succeed later: ever more slowly, never all clients at once, not for ever. */
import type { ClientClock } from '../clock/client-clock.js';
export interface Patience {
    readonly clock: ClientClock;
    readonly random: () => number;
    readonly retryTimeoutSeconds: number;
    readonly signal?: AbortSignal | undefined;
}
export interface RetriedWork<Outcome> {
    attempt(): Promise<Outcome>;
    /** How many seconds the other side wants to be left alone; undefined for an outcome that is final. */
    againAfter(outcome: Outcome): number | undefined;
    /** Frees what an outcome holds that nobody will see. */
    letGo?(outcome: Outcome): void;
}
/** Gives the first outcome that is final, or the last one when patience has run out. */
export declare function retry<Outcome>({ attempt, againAfter, letGo }: RetriedWork<Outcome>, { clock, random, retryTimeoutSeconds, signal }: Patience): Promise<Outcome>;
/** Doubles with every failure, and begins when the other side wants to be asked again. */
export declare function waitAfter(failures: number, afterSeconds: number, random: () => number): number;
/** Half of it is chance, so that clients that began together do not go on together. */
export declare function spread(ms: number, random: () => number): number;

// patience/worth-a-retry.d.ts
/** Which answers may be better the next time, and how long the other side asks to wait. */
/** The part of a response's headers that the client reads. */
export type AnswerHeaders = Pick<Headers, 'get'>;
/** 501 says that it never will be. */
export declare function isTransient(status?: number): boolean;
/** RFC 9110 §10.2.3: seconds, or a date, which is read by the clock of the one who wrote it. */
export declare function readRetryAfter(headers: AnswerHeaders, nowMs: number): number;
/**
 * The time of the server that made the response; this machine's own if the response has no `Date`.
 */
export declare function dateOf(headers: AnswerHeaders, nowMs: number): number;

// storage/count-bytes.d.ts
export type OnProgress = (bytes: number, total: number | undefined) => void;
export type ByteSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
interface CountedStream {
    readonly stream: ReadableStream<Uint8Array>;
    /** Why the source broke, once it has. */
    failure(): {
        readonly reason: unknown;
    } | undefined;
    /** Breaks the stream off where it is, and lets its source go. */
    stop(reason?: unknown): void;
}
export declare function countBytes(source: ByteSource, total: number | undefined, onProgress?: OnProgress): CountedStream;
export {};

// storage/request-body.d.ts
/** The body of a storage request: whether it can be sent again, and how its way is watched. */
import { type ByteSource, type OnProgress } from './count-bytes.js';
/** Their names are in lower case. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];
type WholeBody = NonNullable<RequestInit['body']>;
type Body = WholeBody | ByteSource | null | undefined;
/** A function makes the body anew for every try, so that a stream can be sent again. */
export type RequestBody = Body | (() => Body | Promise<Body>);
export interface PreparedBody {
    readonly isRepeatable: boolean;
    /** Undefined when it would be a stream that has begun before. */
    make(): Promise<BodyOnTheWay | undefined>;
    /** Lets go of what was made last: nobody waits for it any more. */
    stop(reason?: unknown): void;
}
/** A body as fetch takes it, once. */
export interface BodyOnTheWay {
    readonly init: {
        readonly body?: WholeBody;
        readonly duplex?: 'half';
    };
    /** Headers that fetch cannot derive from a body that is counted. */
    readonly headers?: HeaderPairs;
    /** The storage has answered. */
    arrived?(): void;
    /** Why the body itself could not be read, once that has happened. */
    failure?(): {
        readonly reason: unknown;
    } | undefined;
    stop?(reason?: unknown): void;
}
export declare function prepareBody(requestBody: RequestBody, onProgress: OnProgress | undefined): PreparedBody;
export {};

// storage/storage-request.d.ts
import { type NormalPath, type Scope } from '@latchkey/protocol';
import type { OnProgress } from './count-bytes.js';
import { type HeaderPairs, type PreparedBody, type RequestBody } from './request-body.js';
/** Like the platform's, but redirects are never followed. */
export interface RequestBase extends Omit<RequestInit, 'body' | 'redirect' | 'method' | 'headers' | 'signal' | 'duplex'> {
    readonly method?: string;
    readonly signal?: AbortSignal | null | undefined;
    readonly body?: RequestBody;
    /** Decides what otherwise the scope table does. */
    readonly scope?: Scope;
    readonly onUploadProgress?: OnProgress;
}
export interface TokenRequestInit extends RequestBase {
    /** The Authorization header is the client's own. */
    readonly headers?: Readonly<Record<string, string>>;
}
export interface StorageRequestInit extends RequestBase {
    /** The Authorization header is the client's own. */
    readonly headers?: RequestInit['headers'];
    readonly onDownloadProgress?: OnProgress;
}
export interface StorageRequest {
    readonly path: StoragePath;
    /** The part of a request that an error may show. */
    readonly facts: {
        readonly method: string;
        readonly path: string;
    };
    readonly scope: Scope;
    readonly headers: HeaderPairs;
    /** Begins to read a body that can be read once. */
    prepareBody(): PreparedBody;
    readonly signal: AbortSignal | undefined;
    /** Further options that the platform understands. */
    readonly rest: RequestInit;
}
export declare function readRequest(pathText: string, init: RequestBase, headers: () => HeaderPairs): StorageRequest;
/**
 * Refuses headers that fetch would refuse, in our words: the platform's message would repeat the
 * value.
 */
export declare function readHeaders(init: StorageRequestInit): HeaderPairs;
/** Without the platform. */
export declare function readPlainHeaders({ headers }: TokenRequestInit): HeaderPairs;
interface StoragePath {
    /** The path that the scope table checks. */
    readonly path: NormalPath;
    /** The path with its query, as it was given. */
    readonly target: string;
}
export declare function readStoragePath(pathText: string): StoragePath;
/** threat: a token goes to its own origin and below its own prefix, so the parsed URL must be the written one. */
export declare function storageUrl(casUrl: string, { target }: StoragePath): string;
export {};

// token-client.d.ts
/** The client without the platform's fetch: tokens, and requests with them over a fetch of one's own. */
import { type ClientOver } from './client-over.js';
import { type ClientOptions, type Fetch, type FetchAnswer } from './options/resolve-options.js';
import { type TokenRequestInit } from './storage/storage-request.js';
export { type ErrorCode, LatchkeyError } from './error/latchkey-error.js';
export type { Fetch, FetchAnswer, FetchInit } from './options/resolve-options.js';
export type { TokenRequestInit } from './storage/storage-request.js';
export interface TokenClientOptions<Answer> extends ClientOptions {
    readonly fetch: Fetch<Answer>;
}
export interface TokenClient<Answer> extends Pick<ClientOver<Answer, TokenRequestInit>, 'token' | 'close'> {
    /** Below casUrl, with the least token that will do. Gives the storage's answer, whatever its status. */
    send(path: string, init?: TokenRequestInit): Promise<Answer>;
}
export declare function createTokenClient<Answer extends FetchAnswer>(options: TokenClientOptions<Answer>): TokenClient<Answer>;
