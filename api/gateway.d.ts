// What gateway declares, written by `npm run api`.
// . is gateway/start-gateway.d.ts
// ./assertion is gateway/assertion.d.ts
// ./forward-auth is forward-auth/index.d.ts

// forward-auth/forward-auth.d.ts
/** The forward-auth endpoint: a proxy asks whether a request may pass, and hears who is let in. */
import type { Gate, GateRequest, Grant, RawRequest } from '@latchkey/gate';
import { type Answer, type Refusal } from '@latchkey/protocol';
import { type ForwardAuthProxy } from './original-request.js';
export interface ForwardAuthOptions {
    /**
     * For how long a proxy may keep a yes; never beyond the token's `exp`, nor beyond the bound of
     * revocations.
     *
     * @default 10
     */
    readonly cacheSeconds?: number;
    /** @default the system's time */
    readonly clock?: () => number;
}
interface ForwardAuthResult {
    readonly answer: Answer;
    /** The request that the proxy asks about, as far as it could be read. */
    readonly request: RawRequest;
    readonly requestId: string;
    readonly grant?: Grant | undefined;
    readonly refusal?: Refusal;
}
export type ForwardAuthEndpoint = (question: GateRequest) => Promise<ForwardAuthResult>;
/** The endpoint for one proxy, as a function of what was asked. */
export declare function forwardAuthEndpoint(gate: Gate, proxy: ForwardAuthProxy, options?: ForwardAuthOptions): ForwardAuthEndpoint;
/** The same as a handler of Requests, for proxies that name the original request in headers. */
export declare function forwardAuth(gate: Gate, proxy: ForwardAuthProxy, options?: ForwardAuthOptions & {
    readonly addressOf?: (request: Request) => string | undefined;
}): (request: Request) => Promise<Response>;
export {};

// forward-auth/index.d.ts
/** The forward-auth endpoint as a handler, for a program that asks a gate of its own. */
export { type ForwardAuthEndpoint, type ForwardAuthOptions, forwardAuth, forwardAuthEndpoint, } from './forward-auth.js';
export { type ForwardAuthProxy, forwardAuthProxies } from './original-request.js';

// forward-auth/original-request.d.ts
import type { RawRequest } from '@latchkey/gate';
import { type Refusal } from '@latchkey/protocol';
export declare const forwardAuthProxies: readonly ['nginx', 'caddy', 'traefik', 'envoy'];
export type ForwardAuthProxy = (typeof forwardAuthProxies)[number];
export declare function originalRequest(proxy: ForwardAuthProxy, question: RawRequest): RawRequest | Refusal;

// gateway/assertion.d.ts
/** A signed statement of who is let in, bound to one request, for a storage that others than the gateway can reach. */
import type { Grant } from '@latchkey/gate';
import { Secret } from '@latchkey/protocol';
export interface GrantedRequest {
    readonly grant: Grant;
    readonly method: string;
    /** Path and query as the storage gets them. */
    readonly target: string;
}
/** The content of an assertion; its names are those of the identity headers. */
export interface Assertion {
    readonly method: string;
    readonly target: string;
    readonly subject: string;
    readonly repository: string;
    readonly repositoryUid: string;
    readonly ref: string;
    readonly refUid: string;
    readonly scope: string;
    readonly exp: number;
}
/** A JWS (HS256) under the key that gateway and storage share. jose would cost four times as much, for every request. */
export declare function signAssertion({ grant, method, target }: GrantedRequest, key: Secret<'assertion-key'>, now: number): string;
/**
 * For storages in Node: the assertion, if it is the gateway's, for this very request, and not over.
 * `text` is the header as Node has it.
 *
 * @example
 * ```ts
 * const text = headers['latchkey-assertion']
 * const asserted = readAssertion(text, { method, target }, key, Math.floor(Date.now() / 1000))
 * if (asserted === undefined) response.writeHead(403).end()
 * ```
 */
export declare function readAssertion(text: unknown, request: {
    readonly method: string;
    readonly target: string;
}, 
/** As the gateway has it: 32 bytes in base64. */
key: Secret<'assertion-key'> | string, 
/** In Unix seconds. */
now: number): Assertion | undefined;

// gateway/settings.d.ts
/** The settings of a gate that runs as a process, already checked. */
import type { Isolation, WhenStale } from '@latchkey/gate';
import type { OptionTypes, ScopeRules, Secret, SlashForm } from '@latchkey/protocol';
import { type BodyTimeouts } from '@latchkey/service/http/deadlines';
import type { LogLevel } from '@latchkey/service/observe/log';
import type { ForwardAuthProxy } from '../forward-auth/original-request.js';
export interface GatewaySettings {
    readonly host: string;
    readonly port: number;
    readonly hub: string;
    readonly issuer: string;
    readonly casUrl: string;
    /** The part that keeps repositories and refs apart where `casUrl` or `upstream` does not name both. */
    readonly isolation: Isolation | undefined;
    readonly allowPlainHttp: boolean;
    readonly leewaySeconds: number;
    /** How the gate learns about revoked tokens, and its reaction to a stale list. */
    readonly revocations: {
        readonly pollSeconds: number;
        readonly whenStale: WhenStale;
    };
    readonly rules: ScopeRules;
    /** Slashes in keys that reach the storage unchanged. */
    readonly allowPaths: readonly SlashForm[];
    /**
     * The work for admitted requests: the gate forwards them to a storage, or tells a proxy that they
     * may pass.
     */
    readonly work: ForwardingSettings | ForwardAuthSettings;
    readonly cors: {
        readonly origins: readonly string[];
    };
    /** Host names that requests may come under beside that of `casUrl`; `*` is every one. */
    readonly allowedHosts: readonly string[];
    readonly trustedProxies: readonly string[];
    readonly limits: {
        /** Forged tokens a minute from one address; 0 is no limit. */
        readonly failuresPerMinute: number;
        readonly connections: number;
    };
    readonly operations: {
        readonly port: number | undefined;
        readonly host: string;
    };
    readonly log: {
        readonly level: LogLevel;
    };
    readonly stopDeadlineSeconds: number;
}
export interface ForwardingSettings {
    readonly kind: 'forward';
    /**
     * The storage: a URL, or `unix:SOCKET` for a socket of this machine, with a path as in `unix:SOCKET:/path`. The uids of
     * repository and ref take the place of `{repo}` and `{ref}` in the path.
     */
    readonly upstream: string;
    readonly timeouts: BodyTimeouts & {
        /** Until a connection to the storage stands. */
        readonly connectSeconds: number;
        /** From a request sent whole to the first line of its answer. */
        readonly headersSeconds: number;
    };
    /** Signs the grant, for a storage that can be reached without the gate. */
    readonly assertionKey: Secret<'assertion-key'> | undefined;
}
export interface ForwardAuthSettings {
    readonly kind: 'forward-auth';
    readonly proxy: ForwardAuthProxy;
    readonly cacheSeconds: number;
}
/** The gate checks the rest of what is `any` or `object` here. */
export declare function settingTypesFor(settings: GatewaySettings): OptionTypes<GatewaySettings>;

// gateway/start-gateway.d.ts
/** The entry point: settings become a running gate, as a gateway or as a forward-auth endpoint. */
import { type ProcessContext } from '@latchkey/service/machine/process-context';
import { type GatewaySettings } from './settings.js';
export type { GatewaySettings } from './settings.js';
export interface RunningGateway {
    readonly url: string;
    readonly operationsUrl: string | undefined;
    /** Whether there are keys to verify with. */
    isReady(): boolean;
    /** In-flight requests finish; the promise settles within the deadline of the settings. */
    stop(): Promise<void>;
}
export declare function startGateway(settings: GatewaySettings, overrides?: Partial<ProcessContext>): Promise<RunningGateway>;
