// What gate declares, written by `npm run api`.
// . is index.d.ts
// ./bundle is index.d.ts
// ./fetch is adapters/fetch.d.ts
// ./node is adapters/node.d.ts
// ./fastify is adapters/fastify.d.ts
// ./hono is adapters/hono.d.ts
// ./authenticate is adapters/authenticate.d.ts
// ./headers is headers.d.ts
// ./hub-keys is keys/hub-keys.d.ts
// ./testing is testing/index.d.ts
// ./hub-link is hub-link/index.d.ts

// adapters/authenticate.d.ts
/**
 * Common part of all adapters, before their handler: preflights answered, requests checked,
 * refusals turned into responses.
 */
import { type Answer, type Cors, type OptionTypes, type Refusal } from '@latchkey/protocol';
import type { Admission, Gate } from '../check/create-gate.js';
import type { Grant } from '../grant/grant.js';
import { type GateRequest, type RawRequest } from '../request/read-request.js';
export { withRawHeaders } from '../request/read-request.js';
export interface AuthenticatorOptions {
    /**
     * Web origins whose pages may use the storage; `*` is every one.
     *
     * @default []
     */
    readonly origins?: readonly string[];
    /**
     * Called when `locate`, `isRevoked` or the platform failed; the request is then refused with 500.
     * By default the error is printed.
     *
     * @default console.error
     */
    readonly onFailure?: (error: unknown) => void;
}
export declare const authenticatorTypes: OptionTypes<AuthenticatorOptions>;
export type AuthenticationResult = {
    readonly ok: true;
    readonly admitted: Admission;
    readonly requestId: string;
    /** Goes with the handler's answer, names and values in turn. */
    readonly headers: readonly string[];
} | {
    readonly ok: false;
    readonly answer: Answer;
    readonly requestId: string;
    /** Undefined for a preflight, which is answered without being judged. */
    readonly refusal: Refusal | undefined;
    readonly grant?: Grant | undefined;
};
export type Authenticator = (request: GateRequest) => Promise<AuthenticationResult>;
/** The CORS rules of a storage for pages of these origins. */
export declare function storageCors(origins: readonly string[]): Cors;
/** A request for a public route, which has no grant. */
export interface PublicResult {
    readonly ok: true;
    readonly admitted: undefined;
    readonly requestId: string;
    readonly headers: readonly string[];
}
/** Every request needs a token, also for a public route. */
export declare function authenticator(gate: Gate, options?: AuthenticatorOptions): Authenticator;
/** Like `authenticator`, but the token of a request for a public route is neither needed nor read. */
export declare function publicAuthenticator(gate: Gate, options?: AuthenticatorOptions): (request: GateRequest) => Promise<AuthenticationResult | PublicResult>;
/** A refusal as the storage's side of the protocol answers it. */
export declare function answerFor(refusal: Refusal, request: RawRequest, requestId: string): Answer;
export interface AdmittedRequest extends Admission {
    /**
     * Aborted when the token is revoked while the request runs, or the gate can no longer know whether it is. Pass it to
     * whatever the handler waits for. Its reason is a `RequestAbortedError`.
     */
    readonly signal: AbortSignal;
}
/** Why the gate ended a request that it had admitted. */
export declare class RequestAbortedError extends Error {
    readonly name = "RequestAbortedError";
    readonly refusal: Refusal;
    constructor(refusal: Refusal);
}
interface RequestWatch {
    readonly admitted: AdmittedRequest;
    /** To be called when the request is over. */
    end(): void;
}
/** `onCut` is called after the signal was aborted. */
export declare function watchRequest(gate: Gate, admitted: Admission, onCut: (refusal: Refusal) => void): RequestWatch;

// adapters/fastify.d.ts
/** The gate as a fastify plugin: every route of the instance it is registered on is guarded. */
import type { FastifyInstance } from 'fastify';
import type { Gate } from '../check/create-gate.js';
import { type AdmittedRequest, type AuthenticatorOptions } from './authenticate.js';
declare module 'fastify' {
    interface FastifyRequest {
        /** The gate's admission of this request. Throws for a request of a public route, which has none. */
        readonly admitted: AdmittedRequest;
    }
}
export interface FastifyGateOptions extends AuthenticatorOptions {
    readonly gate: Gate;
}
/**
 * @example
 * ```ts
 * const app = fastify()
 * await app.register(fastifyGate, { gate })
 * app.get('/v1/files/:hash', (request) => `for ${request.admitted.grant.subject}`)
 * ```
 */
export declare function fastifyGate(app: FastifyInstance, options: FastifyGateOptions): Promise<void>;

// adapters/fetch.d.ts
/** The gate for handlers that turn a Request into a Response: Hono, Bun, Deno, workers. */
import { type Answer } from '@latchkey/protocol';
import type { Gate } from '../check/create-gate.js';
import { type RawRequest } from '../request/read-request.js';
import { type AdmittedRequest, type AuthenticatorOptions } from './authenticate.js';
import { type ProblemOptions } from './problem.js';
export interface FetchGuardOptions<Rest extends readonly unknown[] = []> extends AuthenticatorOptions {
    /**
     * Where forged tokens are counted: the address of the client, as the runtime or a trusted proxy
     * tells it.
     *
     * @default no address: all share one count
     */
    readonly addressOf?: (request: Request) => string | undefined;
    /** Handles requests for the `publicRoutes` of the gate; required if it has any. */
    readonly publicHandler?: PublicHandler<Rest>;
}
/** A handler that is called for admitted requests only; `rest` is what the runtime passes beside the request. */
type GuardedHandler<Rest extends readonly unknown[]> = (request: Request, admitted: AdmittedRequest, ...rest: Rest) => Response | Promise<Response>;
/** A handler of requests that have no grant. */
type PublicHandler<Rest extends readonly unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>;
/**
 * A request whose token is revoked while it runs is cut: before the handler has responded the client gets the refusal,
 * and afterwards the body of the response fails. The body of the request fails for the handler in both cases, also when
 * the handler reads on after its response. Cancel a body that you have begun to read and do not need: its watch ends then.
 *
 * @example
 * ```ts
 * export const handler = guardFetch(gate, (request, { grant, path }) =>
 *   new Response(`${grant.subject} may ${grant.scope} ${path}`),
 * )
 * ```
 */
export declare function guardFetch<Rest extends readonly unknown[] = []>(gate: Gate, handler: GuardedHandler<Rest>, options?: FetchGuardOptions<Rest>): (request: Request, ...rest: Rest) => Promise<Response>;
/** The URL of a Request has been normalised already; the router sees the same one. */
export declare function gateRequestOf(request: Request, address?: string): RawRequest;
/**
 * An error response of your storage in the form of the gate's own.
 *
 * @example
 * ```ts
 * return problem({ code: 'entry_not_found', detail: 'There is no such file. List the files for their names.' })
 * ```
 */
export declare function problem(options: ProblemOptions): Response;
export declare function responseOf({ status, headers, body }: Answer): Response;
export {};

// adapters/hono.d.ts
/** The gate as middleware for Hono. */
import type { Context, MiddlewareHandler } from 'hono';
import type { Gate } from '../check/create-gate.js';
import type { Grant } from '../grant/grant.js';
import { type AdmittedRequest, type AuthenticatorOptions } from './authenticate.js';
/** The variables of an app behind `honoGate`. Public routes have neither. */
export interface GateEnv {
    readonly Variables: {
        readonly grant: Grant;
        /** The gate's admission of this request. */
        readonly admitted: AdmittedRequest;
    };
}
export interface HonoGateOptions extends AuthenticatorOptions {
    /**
     * Where forged tokens are counted: the address of the client, as the runtime or a trusted proxy tells it.
     *
     * @default () => undefined
     */
    readonly addressOf?: (context: Context) => string | undefined;
}
/**
 * Middleware that calls the next handler for admitted requests and for public routes, and responds to the others. Use it
 * before all other middleware and routes. If the token of a request is revoked, the request ends as with `guardFetch`.
 *
 * @example
 * ```ts
 * const app = new Hono<GateEnv>()
 * app.use(honoGate(gate))
 * app.get('/r/:repo/:ref/whoami', (context) => context.text(context.get('grant').subject))
 * ```
 */
export declare function honoGate(gate: Gate, options?: HonoGateOptions): MiddlewareHandler<GateEnv>;

// adapters/node.d.ts
/** The gate for `node:http` servers and for connect and express, whose handlers take the same two objects. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admission, Gate } from '../check/create-gate.js';
import type { RawRequest } from '../request/read-request.js';
import { type AdmittedRequest, type AuthenticatorOptions } from './authenticate.js';
import { type ProblemOptions } from './problem.js';
export interface NodeGuardOptions extends AuthenticatorOptions {
    /**
     * Where forged tokens are counted: the socket's address unless a trusted proxy tells better.
     *
     * @default the socket's address
     */
    readonly addressOf?: (request: IncomingMessage) => string | undefined;
}
export type Next = (error?: unknown) => void;
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: Next) => void;
/**
 * Sends an error response of your storage in the form of the gate's own.
 *
 * @example
 * ```ts
 * sendProblem(response, { code: 'entry_not_found', detail: 'There is no such file. List the files for their names.' })
 * ```
 */
export declare function sendProblem(response: ServerResponse, options: ProblemOptions): void;
/**
 * Middleware that calls `next` for admitted requests and answers the others; put it before all that
 * serves.
 *
 * @example
 * ```ts
 * const app = express()
 * app.use(guardNode(gate))
 * ```
 */
export declare function guardNode(gate: Gate, options?: NodeGuardOptions): Middleware;
/**
 * Resets the connection of a request whose token is revoked, because only the handler may respond. A handler may respond
 * before the upload has arrived, and read on.
 */
export declare function abortWhenRevoked(gate: Gate, admitted: Admission, response: ServerResponse): AdmittedRequest;
/** For adapters on top of `node:http`: `admittedOf` finds it. */
export declare function admit(request: IncomingMessage, admitted: AdmittedRequest): void;
/**
 * The gate's admission of this request. Throws for a request of a public route, which has none.
 *
 * @example
 * ```ts
 * app.get('/{*path}', (request, response) => {
 *   const { grant, path } = admittedOf(request)
 *   response.send(`${grant.subject} may ${grant.scope} ${path}`)
 * })
 * ```
 */
export declare function admittedOf(request: IncomingMessage): AdmittedRequest;
export declare function gateRequestOf(request: IncomingMessage, address: string | undefined): RawRequest;

// adapters/problem.d.ts
/** Error responses of a storage in the form of the gate's own: problem documents (RFC 9457) with the error codes. */
import { type Answer, type RefusalCode } from '@latchkey/protocol';
export interface ProblemOptions {
    /** It decides the status. */
    readonly code: RefusalCode;
    /** One sentence for the client: what happened, what was expected, what to do. Tokens in it are replaced. */
    readonly detail: string;
    /**
     * The id under which your log has the request.
     *
     * @default a new id
     */
    readonly requestId?: string;
    /**
     * Seconds for the header `Retry-After`.
     *
     * @default no header
     */
    readonly retryAfterSeconds?: number;
}
/** The parts of the response, for `node:http` and for adapters of your own. */
export declare function problemAnswer(options: ProblemOptions): Answer;

// check/create-gate.d.ts
/** The gate: one storage request in, a grant or a refusal out. */
import { type NormalPath, type Refusal, type Scope } from '@latchkey/protocol';
import type { Grant } from '../grant/grant.js';
import { type GateRequest } from '../request/read-request.js';
import { type RevocationChecker } from '../revocations/revocation-checker.js';
import type { RevocationSource } from '../revocations/revocation-source.js';
import { type GateOptions } from './options.js';
import { type PublicRoute } from './public-routes.js';
/** A request that may pass: with which grant, to which path of the storage, wanting which scope. */
export interface Admission {
    readonly ok: true;
    readonly grant: Grant;
    /** Without the prefix that named repository and ref. */
    readonly path: NormalPath;
    readonly prefix: string;
    /** With its question mark, or empty. */
    readonly query: string;
    readonly requiredScope: Scope;
}
export interface Rejection {
    readonly ok: false;
    readonly refusal: Refusal;
    /** The grant of a rejected request, if its token was valid. */
    readonly grant?: Grant;
}
export type CheckResult = Admission | Rejection;
export interface Gate {
    /** A request for a public route needs a token here too: call `isPublic` before. */
    check(request: GateRequest): Promise<CheckResult>;
    /** Whether the request is for one of the public routes, and has nothing that `check` would refuse before its token. */
    isPublic(request: GateRequest): boolean;
    readonly publicRoutes: readonly PublicRoute[];
    /**
     * Verifies a token that a request brings in addition to its own, as strictly as one in
     * Authorization. It opens no path: the caller compares repository, ref and scope.
     */
    verifyToken(token: string, address: string | undefined): Promise<Grant | Refusal>;
    /** Whether there are keys to verify with, and the revocation list is known. */
    isReady(): boolean;
    /** The refusal, if the token of a grant is revoked by the newest list, or that list is too old. Never waits. */
    checkGrant: RevocationChecker['check'];
    /** The same as for a request: if the list is late, it waits for a newer one from the hub. */
    checkGrantFresh: RevocationChecker['checkFresh'];
    /** Calls `cut` once, when a request under way must end because its token was taken back. */
    watch: RevocationChecker['watch'];
    /** Which tokens the hub has taken back, as far as this gate knows. */
    readonly revocations: RevocationSource;
    /** Looks for newer keys, at most once a second; never fails. */
    refreshKeys(): Promise<unknown>;
    /** The storage's own URL, which every token must name. */
    readonly audience: string;
    /**
     * Stops asking the hub at intervals, which a gate with a `hubUrl` does from its creation. Requests are checked as before,
     * and wait for the hub when the revocation list is late. An open gate keeps no process running.
     */
    close(): void;
}
/**
 * @example
 * ```ts
 * const gate = createGate({
 *   hubUrl: 'https://hub.example',
 *   casUrl: 'https://cas.example/r/{repo}/{ref}',
 * })
 * const checked = await gate.check({ method: 'GET', target, headers })
 * ```
 */
export declare function createGate(options: GateOptions): Gate;

// check/options.d.ts
import { type Clock, type ScopeRules, type SlashForm } from '@latchkey/protocol';
import type { KeySet } from '@latchkey/token';
import type { Grant } from '../grant/grant.js';
import { type KeySource } from '../keys/key-source.js';
import { type Isolation, type Locator, type PlaceResolver } from '../place/locate.js';
import type { WhenStale } from '../revocations/revocation-checker.js';
import { type RevocationSource } from '../revocations/revocation-source.js';
import type { PublicRoute } from './public-routes.js';
export type GateOptions = TrustOptions & PlaceOptions & OtherOptions;
/** Whose tokens are accepted: those of a hub, whose keys are fetched, or those signed with given keys. */
type TrustOptions = {
    /** Where the keys are; https, unless it is a loopback address. */
    readonly hubUrl: string;
    /**
     * The tokens' `iss`; the hub's URL unless the hub calls itself otherwise.
     *
     * @default hubUrl
     */
    readonly issuer?: string;
    /**
     * Fetches keys over a network on which others could replace them.
     *
     * @default false
     */
    readonly allowPlainHttp?: boolean;
    /**
     * Told why keys could not be fetched; the gate goes on with those it has. By default it is
     * printed.
     *
     * @default console.error
     */
    readonly onKeyFailure?: (error: unknown) => void;
    /**
     * How often the gate asks the hub which tokens were revoked, from its creation to `close()`:
     * 1 to 30, by default 5.
     *
     * @default 5
     */
    readonly pollSeconds?: number;
    /**
     * Told why that could not be asked, and again only when the reason changes. By default it is
     * printed.
     *
     * @default console.error
     */
    readonly onRevocationFailure?: (error: unknown) => void;
} | {
    readonly keys: KeySet | KeySource;
    readonly issuer: string;
    /**
     * Which tokens have been taken back; left out, a token is good until it expires.
     *
     * @default noRevocations
     */
    readonly revocations?: RevocationSource;
};
/** For which storage, and how its requests say what they address. */
export type PlaceOptions = 
/** As the hub has it; with `{repo}` and `{ref}` every request names both. */
{
    readonly casUrl: string;
    readonly isolation?: Isolation;
} | {
    readonly audience: string;
    readonly locate: Locator;
} | {
    readonly audience: string;
    readonly isolation: Isolation;
};
export interface OtherOptions {
    /** @default {} */
    readonly rules?: ScopeRules;
    /**
     * Slashes in keys that pass on unchanged: `%2F`, and one at the end. By default such paths are
     * refused.
     *
     * @default []
     */
    readonly allowPaths?: readonly SlashForm[];
    /**
     * Routes that need no token, such as a health check. Their requests carry no grant, whatever token they bring.
     *
     * @default []
     */
    readonly publicRoutes?: readonly PublicRoute[];
    /**
     * How far the clocks of hub and gate may be apart, and how long after `exp` a request may still
     * begin: 0 to 60.
     *
     * @default 30
     */
    readonly leewaySeconds?: number;
    /**
     * Forged tokens a minute from one address, after which its unseen tokens are verified in a queue;
     * 0 is no limit.
     *
     * @default 300
     */
    readonly failuresPerMinute?: number;
    /**
     * The reaction to a hub that has been silent for a minute: the gate rejects requests (by
     * default), or allows them.
     *
     * @default 'reject'
     */
    readonly whenStale?: WhenStale;
    /**
     * A check of your own, called for every request, also for tokens that were seen before.
     * Everything but `false` rejects.
     *
     * @default () => false
     */
    readonly isRevoked?: (grant: Grant) => boolean | Promise<boolean>;
    /**
     * In whole Unix seconds. By default the time of the system.
     *
     * @default the system's time
     */
    readonly clock?: () => number;
}
export interface ResolvedGateOptions {
    readonly issuer: string;
    readonly audience: string;
    readonly keys: KeySource;
    readonly revocations: RevocationSource;
    /** Whether the gate itself asks the hub at intervals. The owner of a source that was passed in polls it. */
    readonly pollsHub: boolean;
    readonly placeOf: PlaceResolver;
    readonly leewaySeconds: number;
}
export declare function resolveOptions(options: GateOptions, clock: Clock): ResolvedGateOptions;
export {};

// check/public-routes.d.ts
/** Routes of a storage that need no token, and the requests that are for them. */
import { type RequiredScope } from '@latchkey/protocol';
import type { ReadRequest } from '../request/read-request.js';
/** A route that everyone may use without a token. */
export interface PublicRoute {
    /**
     * The whole path as clients send it: `/healthz`. `/**` at the end stands for one or more segments, none of which has a
     * percent sign.
     */
    readonly path: string;
    /**
     * In upper case. A method that needs a write token cannot be public.
     *
     * @default ['GET', 'HEAD']
     */
    readonly methods?: readonly string[];
}
/** Security boundary: what it takes for public reaches the handler without a token. */
export type IsPublic = (request: ReadRequest) => boolean;
/** `casUrl` is undefined if a rule of the storage finds repository and ref. */
export declare function publicRoutes(routes: readonly PublicRoute[], scopeWanted: RequiredScope, casUrl: string | undefined): IsPublic;

// grant/grant.d.ts
import type { Scope } from '@latchkey/protocol';
import { type Claims, type Revocable, type SeenRef } from '@latchkey/token';
export interface Grant extends Revocable {
    readonly scope: Scope;
    /** As people write it: `models/acme/bert`. A repository made again has the same name and another uid. */
    readonly repository: string;
    readonly repositoryUid: string;
    /** A full ref name or a commit hash. */
    readonly ref: string;
    readonly refUid: string;
    /** The commit that the revision named when the token was issued. */
    readonly commit: string;
    /** The last entry of the hub's journal that certainly counted in the decision. */
    readonly asOf: number;
    /** Other refs whose content belongs to this revision, each as far as its stamp is below a journal number. */
    readonly sees: readonly SeenRef[];
    /** The account that asked, or `anonymous`. */
    readonly subject: string;
    /** The id of the hub token that asked. */
    readonly hubToken: string;
    readonly tokenId: string;
    readonly issuedAt: number;
    readonly expiresAt: number;
}
export declare function grantOf(claims: Claims, kid: string): Grant;
/** Names and values in turn. A value is ASCII; anything else in it, and `%`, is percent-encoded. */
export declare function identityHeaders(grant: Grant): readonly string[];

// grant/visibility.d.ts
import type { Grant } from './grant.js';
/** The part of a stored row that decides which tokens read it. Store it beside your content. */
export interface Row {
    readonly repositoryUid: string;
    readonly refUid: string;
    /** Unix milliseconds, or the journal number of the writing token if that is higher. */
    readonly writtenAt: number;
}
/**
 * Returns the row to store with content that this grant writes.
 *
 * `writtenAt` is the higher of the clock and the journal number of the token. So a clock that runs
 * slow does not show content to a fork that was created before the token was issued. If the same
 * content is written again under the same ref, keep the row with the lower `writtenAt`.
 *
 * @example
 * ```ts
 * rows.set(name, [...(rows.get(name) ?? []), { ...rowFor(grant), bytes }])
 * ```
 *
 * @param nowMilliseconds The current time; by default `Date.now()`.
 */
export declare function rowFor(grant: Pick<Grant, 'repositoryUid' | 'refUid' | 'asOf'>, nowMilliseconds?: number): Row;
/**
 * Whether a token with this grant reads the row: the row belongs to its repository, and either to
 * its ref or to a ref in `sees`, with a `writtenAt` below `before`. Answer 404 for all other rows.
 *
 * @example
 * ```ts
 * const newest = rows.get(name)?.findLast((row) => visible(grant, row))
 * ```
 */
export declare function visible(grant: Pick<Grant, 'repositoryUid' | 'refUid' | 'sees'>, row: Row): boolean;

// headers.d.ts
/** The headers by which a gate tells a storage who is admitted, and those that it accepts from nobody. */
export { identityHeaders } from './grant/grant.js';
export { namesIdentity, refuseHeader } from './request/header-rules.js';

// hub-link/failed-question.d.ts
/** Why the hub could not be asked, in words without a secret: nothing that the hub sent is repeated but a code. */
import { HubLinkError } from './hub-link.js';
interface FailedQuestion {
    readonly hubUrl: string;
    readonly patienceMs: number;
    /** Whether the caller has aborted the question. */
    readonly isGivenUp: boolean;
}
export declare function failedQuestion(error: unknown, { hubUrl, patienceMs, isGivenUp }: FailedQuestion): HubLinkError;
/** The hub has answered with a status that this question does not have. */
export declare function refusedQuestion({ status, value }: HubAnswer): HubLinkError;
export declare function oddAnswer({ path }: HubAnswer): HubLinkError;
/** The code in a problem document (RFC 9457). */
export declare function codeOf(value: unknown): string | undefined;
export interface HubAnswer {
    readonly path: string;
    readonly status: number;
    /** Undefined where the body is no JSON. */
    readonly value: unknown;
}
export {};

// hub-link/http-hub-link.d.ts
/** The hub-link over HTTP: how a storage follows a hub that is another process or another machine. */
import { type Clock, type JournalNumber, type Secret } from '@latchkey/protocol';
import type { EntryKeeper } from '../revocations/kept-entries.js';
import { type HubAnswer } from './failed-question.js';
import type { HubChanges, HubLink, PlaceUid, UnknownCursor } from './hub-link.js';
export interface HttpHubLinkOptions {
    readonly hubUrl: string;
    /** A hub token of kind `storage`, or the embedded storage's credential. */
    readonly credential: Secret<'hub-token'>;
    readonly clock: Clock;
    /**
     * The `aud` of the storage's tokens: the hub refuses the credential of another storage.
     *
     * @default the hub compares nothing
     */
    readonly audience?: string;
    /** @default false */
    readonly allowPlainHttp?: boolean;
    /**
     * The hub's `publicUrl`, where the storage reaches it at another address.
     *
     * @default hubUrl
     */
    readonly issuer?: string;
    /** @default 30 */
    readonly leewaySeconds?: number;
    /**
     * Seconds between two requests for the revocation list.
     *
     * @default 5
     */
    readonly pollSeconds?: number;
    /** Told why the hub's keys could not be fetched. */
    readonly onKeyFailure?: (error: unknown) => void;
    /** Told why the hub could not be asked what it has taken back, and again only when the reason changes. */
    readonly onRevocationFailure?: (error: unknown) => void;
    /**
     * Keeps revocation entries beyond the life of this process.
     *
     * @default none
     */
    readonly keeper?: EntryKeeper | undefined;
}
export declare function httpHubLink(options: HttpHubLinkOptions): HubLink;
export declare function readChanges(answer: HubAnswer, after: JournalNumber | undefined): HubChanges | UnknownCursor;
/** How many repositories have a new epoch. */
export declare function readRaisedCount(answer: HubAnswer, maxCount: number): number;
/** Uids that were not asked for are no answer: the storage would remove what belongs to them. */
export declare function readUnknown(answer: HubAnswer, places: readonly PlaceUid[]): readonly PlaceUid[];

// hub-link/hub-link.d.ts
/** The port through which a storage follows its hub: keys, removals, logical time. */
import type { JournalNumber, RefUid, RepositoryUid } from '@latchkey/protocol';
import type { KeySource } from '../keys/key-source.js';
import type { RevocationSource } from '../revocations/revocation-source.js';
/** Every method rejects with `HubLinkError` when the hub cannot be reached or refuses the credential. */
export interface HubLink {
    /** The keys that the hub signs storage tokens with. */
    readonly keys: KeySource;
    /** Which storage tokens the hub has taken back. */
    readonly revocations: RevocationSource;
    /**
     * The entries of the journal after a number. The hub reads them by a statement that begins after
     * the request has arrived. With `waitSeconds` the response comes as soon as there is an entry, or
     * after that time.
     */
    changes(question: ChangesQuestion): Promise<HubChanges | UnknownCursor>;
    /** The repositories of the storage by uid, a page at a time, with their namespaces and quotas. */
    quotas(question: QuotasQuestion): Promise<QuotaPage>;
    /** Gives repositories new addresses, because content was removed that clients may remember as uploaded. */
    raiseEpochs(repositories: readonly RepositoryUid[]): Promise<void>;
    /** The uids among these that the hub's database does not have. */
    findUnknown(uids: readonly PlaceUid[]): Promise<ReadonlySet<PlaceUid>>;
}
/** A repository, a ref or a commit. */
export type PlaceUid = RepositoryUid | RefUid;
export interface ChangesQuestion {
    /** Left out by a storage that has not asked before: it gets the removals for which tokens can still be in use. */
    readonly after?: JournalNumber;
    /** The highest number that the storage has learned from the hub, if it is above `after`: a hub that lacks it has lost entries. */
    readonly known?: JournalNumber;
    /** Whole seconds, up to 60. */
    readonly waitSeconds?: number;
    readonly signal?: AbortSignal;
}
export interface HubChanges {
    readonly kind: 'changes';
    /** Every removal up to this number is in this answer or was in an earlier one. */
    readonly number: JournalNumber;
    /** Deleted repositories and refs, oldest first. A deleted repository stands for its refs and commits. */
    readonly removed: readonly PlaceUid[];
    /** False: ask again from `number`, there is more. */
    readonly isComplete: boolean;
    /** The quotas of changed repositories and namespaces, as they are now; left out if none changed. */
    readonly quotas?: QuotaStates;
}
export interface QuotasQuestion {
    /** The `next` of the page before. */
    readonly after?: string;
    readonly signal?: AbortSignal;
}
export interface QuotaStates {
    /** The journal's number when they were read: a state with a lower one is older. */
    readonly number: number;
    readonly repositories: readonly {
        /** Its uid. */
        readonly repository: string;
        /** The id of its namespace, which it keeps. */
        readonly namespace: string;
        /** Null is no quota. */
        readonly bytes: number | null;
    }[];
    readonly namespaces: readonly {
        readonly namespace: string;
        readonly bytes: number | null;
    }[];
}
export interface QuotaPage extends QuotaStates {
    /** Left out on the last page. */
    readonly next?: string;
}
/** The journal does not have the number: the hub was restored from a backup, or has pruned its journal. */
export interface UnknownCursor {
    readonly kind: 'unknown cursor';
    /** The journal's last number. */
    readonly number: JournalNumber;
}
/** The hub could not be asked; the message names no secret. */
export declare class HubLinkError extends Error {
    readonly name: string;
}
/** The hub was asked, and refuses the credential: asking again soon does not help. */
export declare class CredentialError extends HubLinkError {
    readonly name = "CredentialError";
}

// hub-link/index.d.ts
/** The link of a gate or storage to its hub: keys, revocations, changes. */
export { keyFailure } from '../keys/fetch-keys.js';
export { entryKeeper, type SharedText } from '../revocations/entry-keeper.js';
export { type HubDocuments, hubDocuments } from '../revocations/head-keys.js';
export { type HubRevocationsOptions, hubRevocations } from '../revocations/hub-revocations.js';
export type { EntryKeeper, KeptEntries, KeptEntry } from '../revocations/kept-entries.js';
export { noRevocations, type RevocationBounds, type RevocationSource, type Snapshot, } from '../revocations/revocation-source.js';
export { type RevocationStatus, revocationMetrics, revocationState, withheldBound, } from '../revocations/show-revocations.js';
export { type HttpHubLinkOptions, httpHubLink } from './http-hub-link.js';
export { type ChangesQuestion, CredentialError, type HubChanges, type HubLink, HubLinkError, type PlaceUid, type QuotaPage, type QuotaStates, type QuotasQuestion, type UnknownCursor, } from './hub-link.js';

// index.d.ts
/** The gate in front of a storage: verifies a storage token for one request and answers with a grant or a refusal. */
export { CannotStart } from '@latchkey/service/machine/errors';
export { type KeySet, type Revocable, readKeySet } from '@latchkey/token';
export { type AdmittedRequest, RequestAbortedError } from './adapters/authenticate.js';
export { type FetchGuardOptions, guardFetch, problem } from './adapters/fetch.js';
export type { ProblemOptions } from './adapters/problem.js';
export { type Admission, type CheckResult, createGate, type Gate, type Rejection, } from './check/create-gate.js';
export type { GateOptions } from './check/options.js';
export type { PublicRoute } from './check/public-routes.js';
export type { Grant } from './grant/grant.js';
export { type Row, rowFor, visible } from './grant/visibility.js';
export type { KeySource } from './keys/key-source.js';
export { type Isolation, type Location, type Locator, placeByPrefix } from './place/locate.js';
export { type GateRequest, type RawRequest, type ReadRequest, readRequest, } from './request/read-request.js';
export type { WhenStale } from './revocations/revocation-checker.js';
export { noRevocations, type RevocationBounds, type RevocationSource, type Snapshot, } from './revocations/revocation-source.js';

// keys/fetch-keys.d.ts
import { type KeySet } from '@latchkey/token';
export declare function fetchKeys(hubUrl: string, patienceMs?: number): Promise<KeySet>;
/** Fails when the hub does not answer with at least one key of ours. */
export declare function fetchKeySet(hubUrl: string, publicDocument: PublicDocument, signal: AbortSignal): Promise<KeySet>;
interface PublicDocument {
    /** Below the hub's URL. */
    readonly path: string;
    readonly type: string;
    /** As a sentence names it: `its keys`. */
    readonly name: string;
    readonly maxKiB: number;
}
/** Fails unless the hub answers with 200 and all of the document. */
export declare function fetchDocument(hubUrl: string, { path, type, name, maxKiB }: PublicDocument, signal: AbortSignal): Promise<Buffer>;
export declare function refuseUrl(name: string, url: string, isAllowed: (url: string) => boolean): void;
/** Over plain http others on the way could replace the keys, and read a credential. */
export declare function refuseHubUrl(hubUrl: string, allowPlainHttp: boolean): void;
/** Why a question failed is in the cause of its error. The question has no secret, so neither has the message. */
export declare function keyFailure(error: unknown): {
    readonly reason: string;
};
export {};

// keys/hub-keys.d.ts
/** The hub's keys: held while it is away, and fetched again in the background. */
import type { KeySet } from '@latchkey/token';
import type { KeySource } from './key-source.js';
export { cooldownSeconds, freshSeconds, maxStaleSeconds, unknownKeySeconds, } from '@latchkey/service/http/kept-keys';
export interface HubKeysOptions {
    readonly fetchKeys: () => Promise<KeySet>;
    /** In Unix seconds. */
    readonly clock: () => number;
    /** Told why the keys could not be fetched. */
    readonly onFailure?: (error: unknown) => void;
    /**
     * Waits in real time, whatever the clock says.
     *
     * @default a timer
     */
    readonly wait?: (seconds: number) => Promise<void>;
}
export declare function hubKeys(options: HubKeysOptions): KeySource;

// keys/key-source.d.ts
import type { KeySet } from '@latchkey/token';
export interface KeySource {
    /** The keys to trust now; undefined while there are none. Never waits. */
    known(): KeySet | undefined;
    /** Looks for newer ones as soon as it may; tells whether they were asked for after the call, and came. Never fails. */
    refresh(): Promise<boolean>;
}
/** Keys that were given once and stay. */
export declare function fixedKeys(keys: KeySet): KeySource;

// place/locate.d.ts
/**
 * Finds the repository and ref of a storage request: by the prefix that `casUrl` gives it, or by a
 * rule of the storage.
 */
import { type NormalPath, type RefUid, type RepositoryUid, type SlashForm } from '@latchkey/protocol';
import type { ReadRequest } from '../request/read-request.js';
/** Repository and ref that a request names, as the rule reads them, and the rest of its path if a prefix named them. */
export interface Location {
    readonly repositoryUid: string;
    readonly refUid: string;
    readonly path?: string;
}
/** Undefined when the request names no repository and ref: it is then not served. */
export type Locator = (request: ReadRequest) => Location | undefined;
/** `upstream`: the storage tells repositories apart by the identity headers. `none`: there is one tenant. */
export type Isolation = 'upstream' | 'none';
/** Where a request leads. Without uids nothing is compared, because the operator said who isolates. */
export interface StoragePlace {
    readonly path: NormalPath;
    /** The part of the request's path before that path. */
    readonly prefix: string;
    /** Every path by which the storage may route the request: the scope is what the strictest of them wants. */
    readonly checkedPaths: readonly NormalPath[];
    readonly repositoryUid: RepositoryUid | undefined;
    readonly refUid: RefUid | undefined;
}
export type PlaceResolver = (request: ReadRequest) => StoragePlace | undefined;
export declare function placeByLocate(locate: Locator, allowPaths?: readonly SlashForm[]): PlaceResolver;
/** Reads the path of `casUrl` off a request: its fixed segments must be there, its placeholders are the uids. */
export declare function placeByPrefix(casUrl: string, isolation: Isolation | undefined): PlaceResolver;

// request/header-rules.d.ts
/** Headers that may not come from outside, because somebody behind the gate would believe them. */
import { type Refusal } from '@latchkey/protocol';
/** Refuses a header of this name, whatever its value. */
export declare function refuseHeader(name: string): Refusal | undefined;
/** Whether a list of header names, as in `Trailer`, names one of the gate's own. */
export declare function namesIdentity(list: string): boolean;

// request/read-request.d.ts
/** The parts of a request that the gate judges, read once; what could be read in two ways is refused. */
import { type NormalPath, type Refusal, type SlashForm } from '@latchkey/protocol';
export interface ReadRequest extends RawRequest {
    readonly path: NormalPath;
    /** With its question mark, or empty. */
    readonly query: string;
    /** Every Authorization header. */
    readonly authorization: readonly string[];
}
/** `authority` is the storage's own host and port: the absolute form may name no other. */
export declare function readRequest(gateRequest: GateRequest, authority: string, allowPaths?: readonly SlashForm[]): ReadRequest | Refusal;
export declare function namesMethod(query: string): boolean;
export interface GateRequest {
    readonly method: string;
    /** The request target as it came: path and query, or the absolute form. */
    readonly target: string;
    /**
     * Names and values in turn, repeated headers repeated, as Node has them in `rawHeaders`; or a `Headers` object, which joins
     * repeated headers with commas.
     */
    readonly headers: readonly string[] | Headers;
    /** Where forged tokens are counted; leave it out where it is not known. */
    readonly address?: string | undefined;
}
/** A request whose headers are names and values in turn. */
export interface RawRequest extends GateRequest {
    readonly headers: readonly string[];
}
/** The request itself if its headers are names and values in turn. */
export declare function withRawHeaders(request: GateRequest): RawRequest;

// revocations/entry-keeper.d.ts
/** Keeps revocation entries in a text that several processes share, so that none is lost with a process or a rollback of the hub. */
import type { Clock } from '@latchkey/protocol';
import type { EntryKeeper } from './kept-entries.js';
/** A text that changes only from the version that was read. */
export interface SharedText {
    read(): Promise<{
        readonly text: string;
        readonly version: string;
    } | undefined>;
    /** `false`: it has another version meanwhile. */
    write(text: string, version: string | 'new'): Promise<boolean>;
}
export declare function entryKeeper(shared: SharedText, clock: Clock): EntryKeeper;

// revocations/head-keys.d.ts
/** The keys that may sign heads: those that the hub publishes for that, but for those that its list has cut off. */
import { type Now } from '@latchkey/service/machine/time';
import type { KeySet } from '@latchkey/token';
import { type HeldRevocations } from './kept-entries.js';
export interface HeadKeys {
    /** Asks for them if they are too old; fails if they stay so. */
    freshen(signal: AbortSignal): Promise<void>;
    /** Asks for them, however old they are. */
    fetch(signal: AbortSignal): Promise<void>;
    isPublished(kid: string): boolean;
    /** The keys to verify with, for a gate that holds these news. */
    trusted(held: HeldRevocations | undefined): KeySet;
}
export declare function headKeys(fetchKeys: HubDocuments['keys'], now: Now): HeadKeys;
/** Each fails unless the hub answers with the whole document before the signal. */
export interface HubDocuments {
    /** The head as the hub sent it, not verified yet. */
    head(signal: AbortSignal): Promise<string>;
    /** The keys that heads are signed with, and nothing else. */
    keys(signal: AbortSignal): Promise<KeySet>;
    /** The bytes of a list, by their hash; nothing verified yet. */
    list(hash: string, signal: AbortSignal): Promise<Uint8Array>;
}
export declare function hubDocuments(hubUrl: string): HubDocuments;

// revocations/hub-revocations.d.ts
import { type Clock } from '@latchkey/protocol';
import { type Stopwatch } from '@latchkey/service/machine/time';
import { type HubDocuments } from './head-keys.js';
import { type EntryKeeper } from './kept-entries.js';
import { type RevocationSource } from './revocation-source.js';
export interface HubRevocationsOptions {
    readonly documents: HubDocuments;
    readonly issuer: string;
    readonly clock: Clock;
    /** @default performance.now */
    readonly stopwatch?: Stopwatch;
    /** @default 30 */
    readonly leewaySeconds?: number;
    /** @default 5 */
    readonly pollSeconds?: number;
    /**
     * How long a question may take, all of its documents together.
     *
     * @default 4
     */
    readonly patienceSeconds?: number;
    /** Told why the hub could not be asked, and again only when the reason changes. */
    readonly onFailure?: (error: unknown) => void;
    /** @default Math.random */
    readonly random?: () => number;
    /**
     * Keeps the entries beyond the life of this process. Until it has given those of earlier ones, the source has none.
     *
     * @default none
     */
    readonly keeper?: EntryKeeper | undefined;
}
export declare function hubRevocations(options: HubRevocationsOptions): RevocationSource;
/**
 * The first time after a part of the interval, so that gates that start together do not ask together. Gives the function
 * that ends this; it does not keep the process running.
 */
export declare function poll(ask: () => void, everySeconds: number, random: () => number): () => void;

// revocations/kept-entries.d.ts
/**
 * Keeps revocation entries that a newer list lacks. A hub deletes an entry when it has ended. If it is missing sooner, the
 * hub's database was rolled back, and the hub does not know any more what it has revoked.
 */
import type { Moment } from '@latchkey/protocol';
import { type RevocationHead, type RevocationList } from '@latchkey/token';
export interface KeptEntry {
    readonly number: number;
    /** The id of the key that signed the last head whose list had the entry. */
    readonly kid: string;
}
/** By the hash of what is cut off. */
export type KeptEntries = ReadonlyMap<string, KeptEntry>;
/** Keeps entries beyond the life of a process, for all that follow the same hub with it. */
export interface EntryKeeper {
    /** Adds entries, and gives all that are kept and not over. */
    keep(entries: KeptEntries): Promise<KeptEntries>;
}
interface NewList {
    readonly listed: RevocationList;
    /** When the hub signed the head of the list. */
    readonly at: number;
    /** A withdrawn key may have been a thief's, and so may its entries. */
    readonly isPublished: (kid: string) => boolean;
    /** Entries that an earlier process or another one has accepted. */
    readonly remembered?: KeptEntries | undefined;
}
export interface RevocationLists {
    /** The list that the head names. */
    readonly listed: RevocationList;
    /** Entries of earlier lists that this one lacks, and has to have. */
    readonly entries: KeptEntries;
    /** The gate judges tokens by it: the list and the kept entries. */
    readonly list: RevocationList;
}
/** Gives the same `list` as before where both parts of it are the same. */
export declare function keepEntries(held: (RevocationLists & {
    readonly kid: string;
}) | undefined, { listed, at, isPublished, remembered }: NewList): RevocationLists;
export declare const noEntries: KeptEntries;
/** Every entry that counts by these lists; the key of the head has signed those that are listed. */
export declare function entriesOf({ listed, entries, kid }: RevocationLists & {
    readonly kid: string;
}): Map<string, KeptEntry>;
export interface HeldRevocations extends RevocationLists {
    readonly head: RevocationHead;
    /** The id of the key that signed the head. */
    readonly kid: string;
    /** When the first question was sent that brought the head: from then on its life is counted. */
    readonly since: Moment;
    /** When the last question was sent that brought it, or another one of the same number. */
    readonly confirmed: Moment;
}
/** A cut-off of a key is absolute: its number does not matter. */
export declare function namesKey(list: RevocationList, kid: string): boolean;
export {};

// revocations/revocation-checker.d.ts
/** Judges by the newest snapshot whether a grant is still good: at the start of a request, and while one runs. */
import type { Refusal } from '@latchkey/protocol';
import { type Revocable } from '@latchkey/token';
import { type RevocationSource } from './revocation-source.js';
export interface RevocationChecker {
    /** The refusal, if the grant was taken back or that cannot be known. Never waits. */
    check(revocable: Revocable): Refusal | undefined;
    /** The same by news that are as new as the normal bound promises, if the hub gives them: only then it waits. */
    checkFresh(revocable: Revocable, now?: number): Refusal | undefined | Promise<Refusal | undefined>;
    /** Calls `cut` once, as soon as `judge` would refuse; gives the function that ends the watch. */
    watch(revocable: Revocable, cut: (refusal: Refusal) => void): () => void;
    /** Whether requests can be judged at all. */
    isReady(): boolean;
}
/** The reaction of a gate to a hub that has been silent for longer than its last head lives. */
export type WhenStale = 'reject' | 'allow';
export declare function revocationChecker(source: RevocationSource, whenStale: WhenStale): RevocationChecker;

// revocations/revocation-source.d.ts
import type { RevocationBounds } from '@latchkey/protocol';
import { type RevocationList } from '@latchkey/token';
export type { RevocationBounds } from '@latchkey/protocol';
/** The cut-offs of a hub as of one moment. */
export interface Snapshot {
    /** The last entry of the hub's journal whose cut-offs are in the list. */
    readonly seq: number;
    /** The same object in every snapshot with the same list. */
    readonly list: RevocationList;
    /** `late`: older than the normal bound promises. `over`: the life of its head has ended. `now` is for callers that have just read the clock. */
    state(now?: number): 'current' | 'late' | 'over';
    /** Since the last question was sent that brought it. */
    ageSeconds(): number;
    /** Until its head ends; 0 or less afterwards. */
    secondsLeft(): number;
}
export interface RevocationSource {
    /** The newest snapshot, over or not; undefined before the first. Never waits. */
    latest(): Snapshot | undefined;
    /** Asks the hub. The question is sent after the call, and callers at one time share it; never fails. */
    refresh(): Promise<void>;
    /** Whether the hub was asked in vain within the normal bound: then no request needs to wait for another question. */
    isAskedInVain(): boolean;
    /** Told after every question, whatever came of it; gives the function that ends this. */
    onAnswer(listener: () => void): () => void;
    /** Asks again and again by itself; gives the function that ends this. */
    poll(): () => void;
    readonly bounds: RevocationBounds;
}
/** For a gate whose tokens nobody takes back before they expire. */
export declare const noRevocations: RevocationSource;
/** A failure shows as an uncaught error, after all of them were called. */
export declare function callEach(calls: Iterable<() => void>): void;

// revocations/show-revocations.d.ts
/**
 * Shows the state of the revocation list in `/readyz` and in the metrics of a gate or a storage.
 */
import type { Gauges } from '@latchkey/service/observe/gauges';
import type { WhenStale } from './revocation-checker.js';
import type { RevocationSource } from './revocation-source.js';
export interface RevocationStatus {
    readonly source: RevocationSource;
    readonly whenStale: WhenStale;
}
/** A gate that admits without news has no bound while the hub is silent. */
export declare function withheldBound({ source, whenStale }: RevocationStatus): number | undefined;
export declare function revocationState(status: RevocationStatus): {
    readonly revocations: object;
};
/** `service` is what the names begin with: `latchkey_gate`. */
export declare function revocationMetrics({ gauge, gauges }: Gauges, status: RevocationStatus, service: string): void;

// testing/fake-hub.d.ts
import type { GateOptions } from '../check/options.js';
import { type RevokeRequest } from './hub-revocations.js';
import { type HubClock } from './hub-time.js';
import { type TokenRequest } from './hub-tokens.js';
export interface FakeHubOptions {
    /** The storage's URL as its gate has it, with `{repo}` and `{ref}`. */
    readonly casUrl: string;
    /**
     * The hub's URL, which all tokens name.
     * @default 'https://hub.example'
     */
    readonly issuer?: string;
    /**
     * Unix seconds. Time then stands still until the test advances the clock. By default the hub
     * follows the system's time.
     *
     * @default the system's time
     */
    readonly now?: number;
    /**
     * How long gates may use a revocation list after the hub has served it, in seconds.
     * @default 60
     */
    readonly listSeconds?: number;
}
/** A hub for tests of a storage: it makes any token, and a gate with its options believes it. */
export interface FakeHub {
    /** The issuer of its tokens. */
    readonly url: string;
    /** Options for `createGate`. The gate needs no network, and learns of revocations immediately. */
    readonly gateOptions: Extract<GateOptions, {
        readonly keys: unknown;
        readonly casUrl: string;
    }>;
    /** The time of the hub and of gates with its options. */
    readonly clock: HubClock;
    /**
     * Makes a storage token. Repositories and refs come into being when a token first names them.
     * @example
     * const token = hub.token({ scope: 'write', repository: 'models/acme/bert', ref: 'main' })
     */
    token(request?: TokenRequest): string;
    /** The storage's URL for a repository and ref. */
    casUrl(repository: string, ref: string): string;
    /** The path of that URL: requests of the test begin with it. */
    path(repository: string, ref: string): string;
    /**
     * Revokes tokens that were made before. Gates with `gateOptions` refuse them immediately.
     * @example
     * hub.revoke({ account: 'ada' })
     */
    revoke(request: RevokeRequest): void;
    /** Deletes a repository, and revokes its tokens. The same name is another repository afterwards. */
    deleteRepository(repository: string): void;
    /** Deletes a ref, and revokes its tokens. The same name is another ref afterwards. */
    deleteRef(repository: string, ref: string): void;
    /** Signs with a new key. The old key stays good, unless it is compromised. */
    rotateKey(options?: {
        readonly compromised?: boolean;
    }): Promise<void>;
    /**
     * The hub stops answering: gates do not learn of revocations, and refuse requests with 503. A
     * gate elsewhere does so when its list is older than `listSeconds`.
     */
    withholdRevocations(): void;
    /** The hub answers again. */
    restoreRevocations(): void;
    /**
     * Serves the hub's documents on this machine, for gates in another process. It gives the URL for
     * their `hubUrl`. Their `issuer` is the hub's `url`. A storage of Latchkey can follow the hub, too,
     * with any credential.
     */
    listen(port?: number): Promise<string>;
    /** Stops listening. */
    close(): Promise<void>;
}
/**
 * Opens a hub in memory for the tests of a storage. Its keys are new for each call, so no other
 * gate believes its tokens.
 * @example
 * const hub = await fakeHub({ casUrl: 'https://cas.example/r/{repo}/{ref}' })
 * const gate = createGate(hub.gateOptions)
 */
export declare function fakeHub(options: FakeHubOptions): Promise<FakeHub>;

// testing/hub-places.d.ts
/** Repositories and refs of a fake hub: a name has a uid from its first mention until a test deletes it. */
import { type CommitHash, type JournalNumber, type RefName, type RefUid, type RepoRef, type RepositoryUid } from '@latchkey/protocol';
export interface Place {
    readonly repository: RepoRef;
    readonly repositoryUid: RepositoryUid;
    readonly ref: RefName | CommitHash;
    readonly refUid: RefUid;
}
export interface HubPlaces {
    /** Makes what has no uid yet. */
    placeOf(repository: string, ref: string): Place;
    /** The uid of a repository that a test has named before; otherwise an error. */
    repositoryUid(repository: string): RepositoryUid;
    refUid(repository: string, ref: string): RefUid;
    /** The number at which `ref` was made from another one: the first time that both are named together. */
    forkNumber(place: Place, inherited: Place, number: () => JournalNumber): JournalNumber;
    /** The name has another uid from now on. */
    deleteRepository(repository: string): void;
    deleteRef(repository: string, ref: string): void;
}
export declare function hubPlaces(whenMade: () => void): HubPlaces;

// testing/hub-revocations.d.ts
/** The things that a test can revoke at a fake hub, each as the target of a journal entry. */
import type { RevocationTarget } from '@latchkey/token';
import type { HubPlaces } from './hub-places.js';
/** One token, or all that name a thing and were made before. */
export interface RevokeRequest {
    /** A storage token of this hub. */
    readonly token?: string;
    readonly hubToken?: string;
    /** Alone, or with `repository` or `namespace`. */
    readonly account?: string;
    readonly namespace?: string;
    /** Alone, with `account`, or with `ref`. */
    readonly repository?: string;
    readonly ref?: string;
    readonly all?: boolean;
}
/** Tokens and hub tokens never become good again. */
export interface Revocation {
    readonly target: RevocationTarget;
    readonly isFinal: boolean;
}
export declare function revocationOf(request: RevokeRequest, places: HubPlaces): Revocation;

// testing/hub-time.d.ts
/** The time of a fake hub: the system's, moved on by a test, or a moment that stands still until the test moves it. */
export interface HubClock {
    /** In whole Unix seconds. */
    now(): number;
    /** Moves the time of the hub and of its gates on. */
    advance(seconds: number): void;
}
export interface HubTime {
    readonly clock: HubClock;
    milliseconds(): number;
    /** Whether time passes by itself. */
    readonly isRunning: boolean;
}
export declare function hubTime(start: number | undefined): HubTime;

// testing/hub-tokens.d.ts
/** Storage tokens of a fake hub: right ones, and tokens with one flaw. */
import { type JournalNumber, type Scope } from '@latchkey/protocol';
import { type SigningKey } from '@latchkey/token/signing';
import type { HubPlaces } from './hub-places.js';
/**
 * One mistake each that every gate must refuse.
 *
 * @example
 * ```ts
 * test.each(tokenFlaws)('a token with the flaw %s gets 401', async (flaw) => {
 *   expect((await ask(hub.token({ flaw }))).status).toBe(401)
 * })
 * ```
 */
export declare const tokenFlaws: readonly ['expired', 'not-yet-valid', 'other-issuer', 'other-audience', 'unknown-key', 'forged-signature', 'unsigned', 'other-type', 'critical-header', 'embedded-key'];
export type TokenFlaw = (typeof tokenFlaws)[number];
export interface TokenRequest {
    /** @default 'read' */
    readonly scope?: Scope;
    /** @default 'models/acme/bert' */
    readonly repository?: string;
    /**
     * A branch, a full ref name or a commit hash.
     * @default 'main'
     */
    readonly ref?: string;
    /**
     * Refs whose content the ref inherits, as a fork does. Their content counts up to the first
     * token that names both refs.
     * @default []
     */
    readonly inherited?: readonly string[];
    /**
     * Seconds.
     * @default 900
     */
    readonly expiresIn?: number;
    /** @default 'ada' */
    readonly account?: string;
    /**
     * The id of the hub token that the account asks with.
     * @default 'ada-laptop'
     */
    readonly hubToken?: string;
    /** Makes a token that every gate must refuse, for this one reason. */
    readonly flaw?: TokenFlaw;
}
export interface HubTokensOptions {
    readonly issuer: string;
    readonly audience: string;
    readonly now: () => number;
    readonly places: HubPlaces;
    readonly key: () => SigningKey;
    /** The number of the last entry. */
    readonly number: () => JournalNumber;
    /** The number of a new entry, above the stamp of all content that was written before. */
    readonly numberOfFork: () => JournalNumber;
}
export type MakeToken = (request?: TokenRequest) => string;
export declare function hubTokens(options: HubTokensOptions): Promise<MakeToken>;

// testing/index.d.ts
/** A hub for the tests of a storage. */
export { type FakeHub, type FakeHubOptions, fakeHub } from './fake-hub.js';
export type { RevokeRequest } from './hub-revocations.js';
export type { HubClock } from './hub-time.js';
export { type TokenFlaw, type TokenRequest, tokenFlaws } from './hub-tokens.js';
export { type MemoryRevocations, memoryRevocations } from './memory-revocations.js';
export { type PublishedRevocations, type PublishedRevocationsOptions, publishedRevocations, } from './published-revocations.js';

// testing/memory-revocations.d.ts
/** Revocations in memory: a test decides what the hub revokes, and when a gate learns of it. */
import type { JournalNumber } from '@latchkey/protocol';
import type { RevocationTarget } from '@latchkey/token';
import type { RevocationSource } from '../revocations/revocation-source.js';
import type { PublishedRevocations } from './published-revocations.js';
export interface MemoryRevocations extends RevocationSource {
    /** At the hub. Gates learn of it when they ask. */
    cut(target: RevocationTarget, number?: JournalNumber): JournalNumber;
    /** From now on the hub does not answer, and what it last said is over. */
    withhold(): void;
    /** The hub answers again. */
    give(): void;
    /** How often the hub was asked. */
    readonly asked: number;
    readonly isWithheld: boolean;
}
/** Without a network: the same cut-offs that a verifier elsewhere fetches from `hub`. */
export declare function memoryRevocations(hub: PublishedRevocations): MemoryRevocations;

// testing/published-revocations.d.ts
/** The documents about revoked tokens that a hub publishes, written and signed by a test. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type JournalNumber } from '@latchkey/protocol';
import { type Jwks, type RevocationHead, type RevocationList, type RevocationTarget } from '@latchkey/token';
import { type SigningKey } from '@latchkey/token/signing';
export interface PublishedRevocationsOptions {
    /** In Unix seconds. */
    readonly clock: () => number;
    readonly issuer: string;
    /** Signs heads, and never tokens. */
    readonly key: SigningKey;
    /**
     * The same clock in finer parts, which journal numbers count.
     *
     * @default () => clock() * 1000
     */
    readonly milliseconds?: () => number;
    /**
     * How long a gate may use a head, in seconds.
     *
     * @default 60
     */
    readonly listSeconds?: number;
}
export interface PublishedRevocations {
    /** The number of the last entry. */
    number(): JournalNumber;
    /** Cuts tokens off that were decided before this moment, or before another number; gives the number. */
    cut(target: RevocationTarget, number?: JournalNumber): JournalNumber;
    /** Loses the cut-off, as a hub does whose database was rolled back, and appends an entry. */
    lose(target: RevocationTarget): void;
    /** Appends so many entries to the journal that cut nothing. */
    advance(by?: number): JournalNumber;
    /** The cut-offs of now. */
    entries(): RevocationList;
    /** The head of now, with the changes of a test. */
    head(change?: Partial<RevocationHead>, key?: SigningKey): string;
    /** The bytes of a list that a head has named. */
    list(hash: string): Buffer | undefined;
    keys(): Jwks;
    /** The keys that are published from now on; the first signs. */
    useKeys(...keys: readonly [SigningKey, ...SigningKey[]]): void;
    /** The hub has this URL from now on. */
    useIssuer(url: string): void;
    /** Answers at the hub's three paths, each time with another head; false for any other path. */
    answer(request: IncomingMessage, response: ServerResponse): boolean;
}
export declare function publishedRevocations({ clock, issuer, key: firstKey, milliseconds, listSeconds, }: PublishedRevocationsOptions): PublishedRevocations;
