// What token declares, written by `npm run api`.
// . is index.d.ts
// ./signing is signing.d.ts

// claims.d.ts
import { type RepoType, type Scope } from '@latchkey/protocol';
export interface Claims {
    readonly iss: string;
    readonly aud: string;
    readonly sub: string;
    /** The id of the hub token that asked; never its secret. */
    readonly client_id: string;
    readonly scope: Scope;
    readonly repo: {
        readonly type: RepoType;
        readonly id: string;
        readonly uid: string;
    };
    readonly ref: {
        readonly name: string;
        readonly uid: string;
    };
    /** The commit that the revision named when the token was issued. */
    readonly commit: string;
    /** How new the hub's view of its directory was when it decided: every entry up to this one counted. */
    readonly as_of: number;
    readonly sees: readonly SeenRef[];
    readonly iat: number;
    readonly exp: number;
    readonly jti: string;
}
/** Content of another ref that belongs to this revision: what has a stamp below `before`. */
export interface SeenRef {
    readonly uid: string;
    readonly before: number;
}
export declare const maxSeenRefs = 8;
/** RFC 9068. */
export declare const tokenType = "at+jwt";
/** A token of ours never lives for longer. */
export declare const maxLifeSeconds: number;
/** How long after its `exp` a gate may still accept a token, at most. */
export declare const maxLeewaySeconds = 60;
/** A token of ours never grows beyond this. */
export declare const maxTokenLength = 4096;
/** The claims that differ between two tokens of one permit. */
export type MomentClaims = Pick<Claims, 'iat' | 'exp' | 'jti'>;
export type LastingClaims = Omit<Claims, keyof MomentClaims>;
/** The canonical JSON of a claim set: fixed members in a fixed order, nothing else. */
export declare function serialiseClaims(claims: Claims): string;
/** The same without what differs between two tokens of one permit: the other members come first. */
export declare function serialiseLastingClaims(claims: LastingClaims): string;
/** Undefined unless the text is exactly what `serialiseClaims` writes. */
export declare function parseClaims(text: string): Claims | undefined;

// cut-off.d.ts
/** A cut-off: tokens that name a thing, and were decided before a number of the journal, are dead. */
import { type JournalNumber } from '@latchkey/protocol';
import type { Revocable } from './revocable.js';
export declare const cutOffKinds: readonly ['token', 'hub-token', 'account', 'account+repository', 'account+namespace', 'namespace', 'repository', 'ref', 'key', 'all'];
export type CutOffKind = (typeof cutOffKinds)[number];
/**
 * The subject of an entry: an id of the kind, two ids joined by a slash, or an empty text for
 * `all`.
 */
export interface RevocationTarget {
    readonly kind: CutOffKind;
    readonly id: string;
}
/** A token that is cut off for ever stays dead, whatever its `as_of`. In a list only keys have this number. */
export declare const forEver: JournalNumber;
/** The number in a list of a token or hub token that never comes back. `made` is the number of the entry that cut it. */
export declare function finalNumber(made: number): JournalNumber;
/** A cut-off is needed for so long after it was made: then no storage token is alive that it could end. */
export declare const cutOffLifeSeconds: number;
/** The second in which a cut-off of a list is not needed any more. That of a key always is. */
export declare function endOfCutOff(number: number): number;
/** 43 characters. The list has nothing else of a thing, so it tells a reader nothing who lacks the id. */
export declare function cutOffHash({ kind, id }: RevocationTarget): string;
export declare function isRevokedBy(revocable: Revocable, list: RevocationList): boolean;
/** The subjects by which an entry can revoke it. */
export declare function placesOf({ subject, repositoryUid, ...named }: Revocable): readonly RevocationTarget[];
/** The hash of what is cut, to the number below which a token is dead. */
export type RevocationList = ReadonlyMap<string, number>;
/** In the order of the hashes, so that the same cut-offs always are the same bytes. */
export declare function writeRevocationList(list: RevocationList): Buffer;
/** Undefined unless the bytes are exactly what `writeRevocationList` writes. */
export declare function readRevocationList(bytes: Uint8Array): RevocationList | undefined;
/** The name under which the list is published. */
export declare function listHash(bytes: Uint8Array): string;

// index.d.ts
/** A token becomes a claim set: everything a verifier needs. Keys and `now` are arguments. */
export * from './claims.js';
export * from './cut-off.js';
export * from './key-set.js';
export * from './revocable.js';
export * from './revocation-head.js';
export * from './verify-token.js';

// key-set.d.ts
import { type KeyObject } from 'node:crypto';
import { type JWK } from 'jose';
export declare const algorithms: readonly ['ES256', 'EdDSA'];
export type Algorithm = (typeof algorithms)[number];
export interface VerifyingKey {
    readonly kid: string;
    readonly alg: Algorithm;
    readonly publicKey: KeyObject;
}
export type KeySet = ReadonlyMap<string, VerifyingKey>;
/** The document by which keys are published. */
export interface Jwks {
    readonly keys: readonly JWK[];
}
/**
 * Keeps the keys whose algorithm and curve are ours and whose `kid` is their own thumbprint.
 *
 * @example
 * ```ts
 * const response = await fetch('https://hub.example/.well-known/jwks.json')
 * const keys = await readKeySet(await response.json())
 * ```
 */
export declare function readKeySet(document: unknown): Promise<KeySet>;

// revocable.d.ts
/** No module of Node is loaded here: verifiers without `node:crypto` make grants from claims too. */
import type { Claims } from './claims.js';
/** The ids of a token that a revocation entry can name. */
export interface Revocable {
    readonly kid: string;
    readonly tokenId: string;
    readonly hubToken: string;
    readonly subject: string;
    readonly repositoryUid: string;
    /** The name: `acme` of `models/acme/bert`. */
    readonly namespace: string;
    /** Its own ref and every other one that it sees. */
    readonly refUids: readonly string[];
    readonly asOf: number;
}
export declare function revocableOf({ repo, ref, ...claims }: Claims, kid: string): Revocable;

// revocation-head.d.ts
/** The signed head of a revocation list: which list counts, up to which journal number, until when. */
import type { KeySet } from './key-set.js';
export interface RevocationHead {
    /** The hub's public URL. */
    readonly iss: string;
    /** The last entry of the journal whose cut-offs are in the list. */
    readonly seq: number;
    /** SHA-256 of the list, base64url. */
    readonly list: string;
    readonly iat: number;
    readonly exp: number;
}
export declare const headType = "latchkey-revocations+jwt";
export { maxHeadSeconds } from '@latchkey/protocol';
export type InvalidHead = 'malformed' | 'unknown_key' | 'forged' | 'wrong_issuer';
export type HeadVerificationResult = {
    readonly ok: true;
    readonly head: RevocationHead;
    readonly kid: string;
} | {
    readonly ok: false;
    readonly reason: InvalidHead;
};
/** Whether it is over, or older than another one, is for the caller to judge. `keys` are never those of tokens. */
export declare function verifyHead(text: string, expected: {
    readonly keys: KeySet;
    readonly issuer: string;
}): Promise<HeadVerificationResult>;
/** Fixed members in a fixed order, nothing else. */
export declare function serialiseHead({ iss, seq, list, iat, exp }: RevocationHead): string;

// sign-token.d.ts
import { Secret } from '@latchkey/protocol';
import { type Claims, type LastingClaims, type MomentClaims } from './claims.js';
import { type RevocationHead } from './revocation-head.js';
import type { SigningKey } from './signing-key.js';
export declare function signToken(claims: Claims, key: SigningKey): Secret<'access-token'>;
export declare function signPreparedClaims(prepared: PreparedClaims, moment: MomentClaims, key: SigningKey): Secret<'access-token'>;
export interface PreparedClaims {
    /** Base64url of whole groups of three bytes, so that the rest can be encoded apart (RFC 4648 §4). */
    readonly encoded: string;
    /** The one or two characters that are left over, if any. They are ASCII, because `sees` is a list. */
    readonly rest: string;
}
export declare function prepareClaims(claims: LastingClaims): PreparedClaims;
/** The same text as if all claims were encoded together. */
export declare function encodeClaims({ encoded, rest }: PreparedClaims, { iat, exp, jti }: MomentClaims): string;
/** Header and payload are encoded already: the one is the same for every document of a key and a type. */
export declare function signJws(header: string, payload: string, key: SigningKey): string;
export declare function signHead(head: RevocationHead, key: SigningKey): string;

// signing-key.d.ts
/** A key that signs storage tokens and owns its algorithm. */
import { type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import type { Algorithm, Jwks } from './key-set.js';
export interface SigningKey {
    readonly kid: string;
    readonly alg: Algorithm;
    readonly privateKey: KeyObject;
    readonly publicJwk: JWK;
    /** The encoded protected header of its storage tokens. */
    readonly header: string;
    /** The same for its heads of revocation lists. */
    readonly headHeader: string;
}
export declare function generateSigningKey(alg: Algorithm): Promise<SigningKey>;
export declare function exportSigningKey({ privateKey }: SigningKey): Buffer;
export declare function importSigningKey(pkcs8: Buffer, alg: Algorithm): Promise<SigningKey>;
/** The public parts, as the hub publishes them. */
export declare function jwksOf(keys: readonly SigningKey[]): Jwks;

// signing.d.ts
/** A claim set becomes a token, a list of cut-offs a signed head: for the hub alone. */
export * from './sign-token.js';
export * from './signing-key.js';

// verify-token.d.ts
/** A token becomes the claim set it was signed over, or the reason why it is not one. */
import { type Claims } from './claims.js';
import type { KeySet } from './key-set.js';
export type VerificationResult = {
    readonly ok: true;
    readonly claims: Claims;
    readonly kid: string;
} | {
    readonly ok: false;
    readonly reason: InvalidToken;
    /** The id of a token whose signature is right. */
    readonly tokenId?: string;
};
export type InvalidToken = 'malformed' | 'unknown_key' | 'forged' | 'wrong_issuer' | 'wrong_audience' | 'not_yet_issued' | 'lives_too_long' | 'expired';
export interface Expectation {
    readonly keys: KeySet;
    readonly issuer: string;
    readonly audience: string;
    readonly now: number;
    /**
     * How far this clock and the hub's may differ.
     *
     * @default 30
     */
    readonly leewaySeconds?: number;
}
/**
 * Fails only where the platform cannot verify signatures, or the expectation is not one: never
 * because of a token.
 *
 * @example
 * ```ts
 * const [issuer, audience] = ['https://hub.example', 'https://cas.example']
 * const now = Math.floor(Date.now() / 1000)
 * const verified = await verifyToken(token, { keys, issuer, audience, now })
 * console.log(verified.ok ? verified.claims : verified.reason)
 * ```
 */
export declare function verifyToken(token: string, expected: Expectation): Promise<VerificationResult>;
