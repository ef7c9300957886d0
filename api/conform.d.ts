// What conform declares, written by `npm run api`.
// . is command/index.d.ts
// ./clauses is clauses.d.ts

// check.d.ts
import type { Clause } from './clauses.js';
/** Groups of checks: what a client, a verifier, a storage or a Hugging Face client relies on. */
export declare const profiles: readonly ['token-api', 'verifier', 'storage', 'huggingface'];
export type Profile = (typeof profiles)[number];
/** Proves exactly one clause about a server. */
export interface Check<Target> {
    /** Letters, digits and hyphens. It never changes: files of expected failures name it. */
    readonly id: string;
    readonly clause: Clause;
    readonly profiles: readonly Profile[];
    /** A sentence about a server that holds the clause. */
    readonly title: string;
    /** `undefined` if the server holds the clause. */
    run(target: Target): Promise<Fault | Skip | undefined>;
}
/** It never contains a token. */
export interface Fault {
    readonly expected: string;
    readonly got: string;
    /** The line of the request, for example `GET /api/models/conform/open/storage-read-token/main`. */
    readonly request?: string;
}
/** The check does not apply to this server or this run. */
export interface Skip {
    readonly skip: string;
}
export declare function isSkip(end: Fault | Skip): end is Skip;
/** Ends a check that needs a response which another check reports as wrong. */
export declare class NotApplicable extends Error {
    readonly name = "NotApplicable";
}
export type CheckOutcome = 'passed' | 'failed' | 'expected-failure' | 'unexpected-pass' | 'skipped' | 'error';
export interface CheckResult {
    readonly id: string;
    readonly clause: Clause;
    readonly profile: Profile;
    readonly title: string;
    readonly outcome: CheckOutcome;
    readonly fault?: Fault;
    /** Why the check was skipped. */
    readonly reason?: string;
    readonly ms: number;
}

// clauses.d.ts
/** The clauses of docs/reference/conformance.md, in their order. A tag above a test names section and clause. */
export declare const clauses: readonly [readonly ["Guarantees", readonly ["A storage token never outlives its hub token", "JWT libraries verify tokens with the published keys", "A token has one spelling", "A hub token never gives more access than its account has", "Write access includes read access, and never the reverse", "An old commit gives no access to later content", "A hash alone gives no access", "Hidden and absent repositories cost the same statements", "A storage token gives access to one repository, one ref and one scope", "Verifiers in Python and Go decide as the gate does", "No read token reaches a write route", "A recreated repository or ref is another one", "An unavailable hub does not stop tokens with known keys", "The gateway forwards bodies byte for byte, and never a part as the whole", "Forged tokens do not lock out valid tokens", "No web page reaches a listener by DNS rebinding", "A client that never reads holds no resources", "Only the gate sets the identity headers for the storage", "Expiry, hub restarts and wrong clocks interrupt no transfer", "The client sends no expired token, and one request for all callers", "An interrupted upload resumes without sending stored content again", "An interrupted download resumes, and every byte is verified", "Tokens go only to their own origin", "The client never uses one identity's token for another", "Content is available only in its own repository and ref", "A commit shows exactly the content that was acknowledged before it", "An unavailable hub stops no read and no upload of its storage", "One tenant's requests do not block other tenants", "A restore gives no access that was removed after the backup", "Content of a commit or tag stays closed after changes of refs", "One account cannot take the storage capacity of others", "No file operation shows that another repository has the same bytes", "The storage verifies every claim of a client about content", "Unmodified Hugging Face clients upload and download", "The forge serves hf, huggingface_hub, @huggingface/hub and git", "Garbage collection during uploads loses no content", "A limited admin hub token creates nothing that outlives it", "The journal has an entry for every change", "Every gate rejects a revoked token within 9 seconds while the hub responds", "A change revokes exactly the tokens of accounts that lost access", "Key rotation rejects no valid token", "Revoked access stops tokens, blob URLs and running transfers", "A change takes effect with the next request", "No secret reaches a log, an error, a metric or a file", "Each package runs as installed, on every supported Node", "A kill loses no acknowledged write"]], readonly ["Resources", readonly ["The token response has accessToken, exp and casUrl, with their types", "exp is a Unix timestamp", "casUrl is the URL of the storage", "repo_type is model, dataset or space", "repo_id is a namespace and a name with one slash", "token_type is read or write", "revision is a branch, a tag or a commit hash"]], readonly ["Lifetime", readonly ["1. A token is valid until exp", "2. The same request again returns a new token"]], readonly ["Endpoints", readonly ["The method is GET", "The path has four required parameters", "The request has Authorization: Bearer with a hub token", "The request has no body", "The response is a JSON object, the token response", "POST /shard and POST /xorb/* need write, every other storage API read", "The errors are 401, 403 and 404"]], readonly ["Authentication", readonly ["1. The token request has a hub token in the Authorization header", "2. The storage request has the accessToken in the Authorization header", "3. A token is read or write, and write covers read", "4. The path sets the scope", "5. A token is valid for one repository and one ref", "6. A write token needs write access to repository and ref", "6. A read token needs at least read access to repository and ref", "6. A fine-grained hub token needs read or write access to contents", "Users and service accounts send the same request"]], readonly ["Client flow", readonly ["3. The client uses a token until exp", "4. The client refreshes a token 30 s before exp with the same request", "1 and 2. The client sends one request and reads all three members", "The client uses another token for another repository or ref", "The client logs no token", "The client stores tokens securely", "The client requests write tokens only when it needs them"]], readonly ["Errors", readonly ["401 if the hub token is missing", "401 if the hub token is invalid", "403 if the hub token lacks permission for the token type", "404 if the repository does not exist", "404 if the revision does not exist"]], readonly ["Limits", readonly ["accessToken has at most 64000 characters; Latchkey uses at most 4096", "casUrl has at most 64000 characters; the hub starts with at most 2048", "The hub reads a credential of 64000 characters", "Clients refresh 30 seconds before exp"]], readonly ["Order of checks", readonly ["0. The hub responds to a CORS preflight with 204", "1. An unknown path or an invalid encoding gets 404 not_found", "2. A method other than GET and HEAD gets 405 method_not_allowed", "3. A missing Authorization header or another scheme gets 401 hub_token_missing", "4. An invalid hub token gets 401 hub_token_invalid", "5. Too many failures or requests get 429 rate_limited", "6. A repository that does not exist gets 404 repository_not_found", "7. A hub token without permission gets 403 permission_denied", "8. A revision that does not exist gets 404 revision_not_found"]], readonly ["Responses", readonly ["Every response has X-Request-Id, Cache-Control: no-store and Date", "Every error is a problem document (RFC 9457)", "Challenges follow RFC 6750", "X-Error-Message has the text that Hugging Face clients expect, in ASCII", "HEAD runs the same checks and issues no token", "An internal error shows the client only the request id", "CORS lets listed origins read responses and the headers that they need"]], readonly ["Revisions", readonly ["The hub decodes a revision once, from one segment or several", "The hub compares revisions byte for byte, up to 255 bytes", "A full hash is always a commit", "A tag wins over a branch of the same name", "Branches, tags and other refs have separate folders", "A name that no ref can have is not found", "A commit exists after it was recorded for this repository", "The hub ignores unknown query parameters"]], readonly ["Options", readonly ["hidePrivateRepositories returns 404 instead of 403 to callers without read access", "anonymousPublicRead gives read tokens for public repositories without a hub token", "compat.huggingface serves unmodified Hugging Face clients", "hubTokenPrefix accepts every prefix that was ever configured"]], readonly ["Keys", readonly ["JWT libraries verify a token with the published keys, issuer and audience", "Verifiers in other languages decide as the gate does", "A key has one spelling and one id", "The published document has only public keys and a maximum age", "The hub creates its key once and keeps it", "Key rotation rejects no valid token", "A removed key signs no more tokens", "A change of the master key loses no key"]], readonly ["Revocation documents", readonly ["A published key that signs no tokens signs the head", "A head is valid for at most 60 seconds, and is not cached", "The list has the hash of the head, and sorted entries", "A revoked token is in the next list"]], readonly ["Operation", readonly ["Changes take effect with the next request", "The hub records the last use of a hub token without a write per request", "Every decision is one log line", "/healthz and /readyz report health and readiness", "/metrics counts and measures requests without names", "Operations can have a separate listener", "/openapi.json describes the token request", "The page at / shows little and runs no script", "A response for an unknown path says which API is served", "The shipped configurations of nginx and Caddy reject wrong uploads early", "A stop finishes running requests, rejects new ones and keeps its deadline"]], readonly ["Client", readonly ["Concurrent callers share one token request", "The client does not remember a failed refresh", "A wrong clock loses no request", "A token that is shorter than the refresh buffer causes no request storm", "An unused client stops refreshing", "No timer keeps a process alive", "The client calls a hub token function again after a 401", "The client retries 429, 5xx and network errors within limits", "The client repairs a storage 401 once, and sends no partial stream", "LatchkeyError holds no request, response or token", "Streams, progress and abort signals work", "The bundle is small and contains no signing code", "The client runs in Node 20, browsers, Deno and Bun", "Pages upload and download files, and resume after an interruption", "A download verifies the file", "Transfers of large files use bounded memory", "An error in a page names CORS as a possible cause", "--ca-cert adds certificates, and verification stays on", "A restart of hub or gate causes no error", "Every failed command prints one line and has an exit code", "latchkey fetch keeps the old file after a failure", "GET /api/whoami shows the caller only its own data"]], readonly ["Embedded storage", readonly ["Content is available only in its own repository and ref", "A SHA-256 in a shard gives no access and no information", "A ref copies readable content from other refs completely or not at all", "storage.isolation relaxes the isolation of refs, not of repositories", "Write routes need a write token, with any spelling of the path", "Ranges work, and a range beyond the end gets 416", "The storage URL changes when cached content is removed", "Garbage collection during uploads loses no content", "storage delete removes content permanently, and only there", "storage verify finds missing or damaged content and changes nothing", "The storage removes content only after the hub confirms it", "storage reconcile removes exactly the content that the hub does not have", "A kill of the storage or of its hub loses no acknowledged write", "A backup of database and objects can be restored", "Unmodified clients upload and download"]], readonly ["Malformed requests", readonly ["The hub rejects two Authorization headers", "The hub rejects a malformed Authorization header", "The hub rejects a malformed hub token", "The hub rejects an impossible repository name", "The hub rejects an impossible revision", "The hub rejects unknown methods and targets", "The hub serves pipelined requests", "A body on a GET has no effect", "The hub rejects requests that are ambiguous or not HTTP/1.1", "The hub serves unusual clients that follow the standard"]], readonly ["Forge", readonly ["The forge decides as token requests do", "Hidden and absent repositories get the same response", "A caller that is limited to some refs sees only these refs", "A SHA-256 gives no access to another repository", "Content follows refs", "Git follows the hub's database", "A kill leaves git and the hub's database consistent", "Bad paths, bodies and states change nothing", "A reader can open a pull request, and no more", "A hash gives no access beyond the API", "A push gives no access to hidden objects", "A push cannot name content that the storage does not have", "A repository has a maximum number of refs", "A login session opens only pages", "Pages run no scripts", "Text of users never becomes markup of a page", "Unmodified clients work"]], readonly ["Attacks", readonly ["1. An attacker uses an old commit or a fork to read later content", "2. An attacker guesses a secret hash or copies it to another branch", "3. An attacker passes a ref rule with a write token for a tag or commit", "4. An attacker names a ref like a pinned revision", "5. An attacker uses an old token after a branch or repository was recreated", "6. An attacker adds decoy branches to hide the branch that matters", "7. An attacker uses a client quirk to change a decision", "8. An attacker uses a pattern that matches more than it says", "9. An attacker detects a hidden repository by a response", "10. An attacker sets issuer, storage URL or client address with headers", "11. An attacker uses an admin hub token for storage or beyond its scopes", "12. An attacker requests a storage token just before the hub token expires", "13. An attacker makes the checked path differ from the routed path", "14. An attacker names another method or path in a header", "15. An attacker forges or removes the identity headers of the gate", "16. An attacker hides a second request in a body", "17. An attacker uses CONNECT, an upgrade or the absolute form", "18. An attacker chooses the request that the forward-auth endpoint checks", "19. An attacker profits from a cached response of the gate", "20. An attacker uses a gate that cannot tell repositories apart", "21. An attacker serves other keys, floods unknown keys or blocks the hub", "22. An attacker forges a token or changes its spelling or algorithm", "23. An attacker sends an endless upload, or one that outlives its token", "24. An attacker uploads a wrong shard or xorb", "25. An attacker uses deduplication to detect content of others", "26. An attacker reuses the URL of a blob", "27. An attacker sends too much data, or the disk is full", "28. An attacker makes a client send a token to another origin", "29. An attacker reads a token in arguments, environments or histories", "30. An attacker reads a secret in files, environment or arguments", "31. An attacker reads a secret in a log or table, or forges a log line", "32. An attacker floods memory, connections or processor time", "33. An attacker uses anonymous or browser access to read private data", "34. An attacker hides a write route behind a prefix", "35. An attacker opens content of a commit or tag by later changes of refs", "36. An attacker sends requests and never reads responses", "37. An attacker uses many repositories to take the capacity of others", "38. An attacker blocks the database writer with one request", "39. An attacker avoids quotas with running uploads, or detects other refs by them", "40. An attacker exceeds a limited admin hub token with a new token", "41. An attacker detects known content by file operations", "42. An attacker detects a hidden repository by response times", "43. An attacker directs a blob URL to another origin or a private network", "44. An attacker locks out other clients of an address with forged tokens", "45. An attacker makes a change that the journal does not show", "46. An attacker sends another method or host in the query or proxy headers", "47. An attacker reaches a listener by DNS rebinding", "48. An attacker continues to use a token after access was removed", "49. An attacker uses the test command to change the machine", "73. An attacker uses a sign-in or a session of somebody else", "74. An attacker has somebody approve a device, or guesses a code", "75. An attacker uses a stolen refresh token", "76. An attacker gets a hub token with the id token of a CI job", "77. An administrator of a namespace reaches beyond it", "78. An attacker profits from memberships that ended, or from wrong clocks", "79. An attacker makes something lasting from something short-lived"]], readonly ["Attacks by form of the gate", readonly ["The tests send every request of the table"]]];
/** Section and clause as tags and reports have them: `Errors / 401 if the hub token is missing`. */
export type Clause = ClauseOf<(typeof clauses)[number]>;
type ClauseOf<Row> = Row extends readonly [
    infer Section extends string,
    readonly (infer Name extends string)[]
] ? `${Section} / ${Name}` : never;
export declare const clauseNames: readonly Clause[];
export {};

// command/conform-stop.d.ts
/** The exit codes of `latchkey`. */
export declare const exitCodes: {
    readonly asExpected: 0;
    readonly notAsExpected: 1;
    readonly wrongUsage: 2;
    readonly unavailable: 3;
};
/** Ends a run that could not check anything. */
export declare class ConformStop extends Error {
    readonly name = "ConformStop";
    readonly exitCode: 2 | 3;
    constructor(exitCode: 2 | 3, line: string);
}
export declare function wrongUsage(line: string): ConformStop;
export declare function unavailable(line: string): ConformStop;

// command/index.d.ts
export type { Check, CheckOutcome, CheckResult, Fault, Profile, Skip, } from '../check.js';
export { NotApplicable, profiles } from '../check.js';
export type { Clause } from '../clauses.js';
export { readExpectedFailures } from '../expected-failures.js';
export { hubChecks } from '../hub/hub-checks.js';
export type { HubTarget, WorldTokens } from '../hub/hub-target.js';
export { worldText } from '../hub/world.js';
export { isAsExpected } from '../report/by-clause.js';
export { jsonReport } from '../report/json.js';
export { junitReport } from '../report/junit.js';
export { textReport } from '../report/text.js';
export { type RunOptions, runChecks } from '../run-checks.js';
export { ConformStop } from './conform-stop.js';
export { type ConformFlags, type ConformOption, conformOptions, readForm } from './options.js';
export { runConform } from './run-conform.js';
export type { ConformOutput } from './side.js';

// command/options.d.ts
/** The options of `latchkey conform` and of the program of this package. */
export interface ConformOption {
    /** As `--help` shows it: `--hub <url>`. */
    readonly form: string;
    readonly description: string;
    readonly isRepeated?: boolean;
}
export declare const conformOptions: readonly ConformOption[];
/** By the names of the options in camel case. */
export type ConformFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
export interface OptionForm {
    /** `expected-failures` */
    readonly name: string;
    /** `expectedFailures` */
    readonly key: string;
    readonly takesValue: boolean;
}
export declare function readForm({ form }: ConformOption): OptionForm;

// command/run-conform.d.ts
/** Checks a server as the options say, prints the report, and returns the exit code. */
import type { ConformFlags } from './options.js';
import type { ConformOutput } from './side.js';
export declare function runConform(flags: ConformFlags, output: ConformOutput): Promise<number>;

// command/side.d.ts
import type { Check, Profile } from '../check.js';
import type { ConformFlags } from './options.js';
export interface ConformOutput {
    /** The report, on standard output. */
    readonly print: (text: string) => void;
    /** Messages for people, on standard error. */
    readonly tell: (line: string) => void;
}
/** A kind of server that can be checked. */
export interface Side<Target> {
    readonly checks: readonly Check<Target>[];
    /** Without `--profile`. */
    readonly usualProfiles: readonly Profile[];
    readonly open: (flags: ConformFlags, output: ConformOutput) => Promise<OpenSide<Target>>;
}
export interface OpenSide<Target> {
    readonly target: Target;
    /** Texts that no report may contain. */
    readonly secrets: () => Iterable<string>;
    readonly close?: () => Promise<void>;
}

// expected-failures.d.ts
/** Reads a file of expected failures: an id of a check on each line, comments after `#`. */
export declare function readExpectedFailures(text: string, checks: readonly {
    readonly id: string;
}[]): readonly string[] | {
    readonly unknown: string;
};

// hub/hub-checks.d.ts
import type { Check } from '../check.js';
import type { HubTarget } from './hub-target.js';
/** The last ones change the hub. */
export declare const hubChecks: readonly Check<HubTarget>[];

// hub/hub-target.d.ts
/** The hub under test, the hub tokens of the world on it, and requests for storage tokens. */
import { type Fault } from '../check.js';
import type { HeaderLine, RawClient, RawResponse } from '../wire/raw-request.js';
import type { HubTokenName } from './world.js';
export interface HubTarget {
    readonly client: Pick<RawClient, 'send'>;
    /** The path of the hub's URL, before every target. */
    readonly basePath: string;
    readonly tokens: WorldTokens;
    /** Every storage token of a response: no report may contain one. */
    readonly seenTokens: Set<string>;
    /** Replaces the keys of the hub, if the run has a command for it. */
    readonly rotate?: (() => Promise<void>) | undefined;
    /** Revokes a storage token, if the run has a command for it. */
    readonly revoke?: ((storageToken: string) => Promise<void>) | undefined;
}
/** A hub token by `account/name`, as the world names it. */
export type WorldTokens = ReadonlyMap<string, string>;
export interface HubRequest {
    /** Names its difference from a usual request, for the report. */
    readonly about?: string;
    readonly path: string;
    readonly method?: string;
    /** Without it and `authorization`, there is no Authorization header. */
    readonly as?: HubTokenName;
    /** The whole header. */
    readonly authorization?: string;
    readonly headers?: readonly HeaderLine[];
    readonly body?: string;
    /** Without the headers that most clients send. */
    readonly isBare?: boolean;
}
export interface HubResponse extends RawResponse {
    /** `GET /api/…`: what a report shows. */
    readonly request: string;
    /** The members of a JSON object, or none. */
    readonly members: Readonly<Record<string, unknown>>;
}
interface TokenPath {
    readonly type?: string;
    readonly id?: string;
    readonly word?: 'storage' | 'xet';
    readonly scope?: string;
    /** Encoded as it goes into the path. */
    readonly revision?: string;
}
export declare function tokenPath({ type, id, word, scope, revision, }?: TokenPath): string;
export declare function send(target: HubTarget, request: HubRequest): Promise<HubResponse>;
export declare function hubTokenOf({ tokens }: HubTarget, name: HubTokenName): string;
export declare function unlike({ request }: HubResponse, expected: string, got: string): Fault;
/** As `200`, or `404 not_found`: the code counts if the response has one. */
export type HubOutcome = `${number}` | `${number} ${string}`;
/** A request and the outcomes that the clause permits. */
export type HubRow = readonly [request: HubRequest, ...expected: HubOutcome[]];
/** The fault of the first request with another response. */
export declare function firstFault(target: HubTarget, rows: readonly HubRow[]): Promise<Fault | undefined>;
/** The request that most checks begin with: everybody who may read sends it. */
export declare const usualRequest: {
    readonly path: string;
    readonly as: 'reader/read';
};
/** A response with a token. Another check reports why there is none. */
export declare function tokenResponse(target: HubTarget, request?: HubRequest): Promise<HubResponse>;
/** The token of a response. Another check reports that it is no text. */
export declare function accessTokenOf({ members, request }: HubResponse): string;
/** The longest accessToken that the specification permits. */
export declare const maxTokenLength = 64000;
/** The characters of a bearer token (RFC 6750, section 2.1). */
export declare const bearerForm: RegExp;
/** Unix seconds at the hub, by its Date header. */
export declare function hubTimeOf({ headers }: RawResponse): number;
export {};

// hub/world.d.ts
/** The accounts, repositories and hub tokens that the checks of a hub need, as a file for `latchkey apply`. */
export declare const worldCommits: {
    readonly main: '8d2b6f0c3a1e4957b60d7c21f4e8a935d0b17c62';
    readonly dev: 'c41f9a7e0d6358b2714e5fa96cd3082b6e9f1a45';
    readonly feature: '37b0e6d9c2f4a8156e0db37c94fa218d5c6b9e04';
    readonly odd: '5a90c3e17bd264f80e9372ac1d5b86f4e02c7d19';
    readonly old: '62d8f1a4b7039ce5d2186f0a3b94c7e8d5f01a9b';
    readonly elsewhere: 'b3e07d9a16c4f2850a7e1d3c9b68f452e0d7a183';
};
export declare const world: {
    readonly accounts: readonly [{
        readonly name: 'writer';
    }, {
        readonly name: 'reader';
    }, {
        readonly name: 'stranger';
    }, {
        readonly name: 'robot';
        readonly kind: 'service';
    }];
    readonly namespaces: readonly [{
        readonly name: 'conform';
        readonly members: {
            readonly writer: 'write';
            readonly reader: 'read';
            readonly robot: 'write';
        };
    }];
    readonly repositories: readonly [{
        readonly type: 'model';
        readonly id: 'conform/private';
        readonly visibility: 'private';
        readonly defaultBranch: 'main';
        readonly branches: {
            readonly main: "8d2b6f0c3a1e4957b60d7c21f4e8a935d0b17c62";
            readonly dev: {
                readonly commit: "c41f9a7e0d6358b2714e5fa96cd3082b6e9f1a45";
                readonly from: 'main';
            };
            readonly 'feature/x': "37b0e6d9c2f4a8156e0db37c94fa218d5c6b9e04";
            readonly "feature/x#1%2F+\u00E9": "5a90c3e17bd264f80e9372ac1d5b86f4e02c7d19";
        };
        readonly tags: {
            readonly 'v1.0': "8d2b6f0c3a1e4957b60d7c21f4e8a935d0b17c62";
        };
        readonly refs: {
            readonly 'refs/pr/1': "c41f9a7e0d6358b2714e5fa96cd3082b6e9f1a45";
        };
        readonly commits: {
            readonly "62d8f1a4b7039ce5d2186f0a3b94c7e8d5f01a9b": readonly ['main'];
        };
    }, {
        readonly type: 'model';
        readonly id: 'conform/open';
        readonly visibility: 'public';
        readonly defaultBranch: 'main';
        readonly branches: {
            readonly main: "b3e07d9a16c4f2850a7e1d3c9b68f452e0d7a183";
        };
    }, {
        readonly type: 'model';
        readonly id: 'conform/Odd.name_1-x';
        readonly visibility: 'private';
        readonly defaultBranch: 'main';
        readonly branches: {
            readonly main: "8d2b6f0c3a1e4957b60d7c21f4e8a935d0b17c62";
        };
    }, {
        readonly type: 'dataset';
        readonly id: 'conform/data';
        readonly visibility: 'private';
        readonly defaultBranch: 'main';
        readonly branches: {
            readonly main: "8d2b6f0c3a1e4957b60d7c21f4e8a935d0b17c62";
        };
    }, {
        readonly type: 'space';
        readonly id: 'conform/demo';
        readonly visibility: 'private';
        readonly defaultBranch: 'main';
        readonly branches: {
            readonly main: "8d2b6f0c3a1e4957b60d7c21f4e8a935d0b17c62";
        };
    }];
    readonly hubTokens: readonly [{
        readonly account: 'writer';
        readonly name: 'write';
        readonly kind: 'write';
    }, {
        readonly account: 'writer';
        readonly name: 'read';
        readonly kind: 'read';
    }, {
        readonly account: 'reader';
        readonly name: 'write';
        readonly kind: 'write';
    }, {
        readonly account: 'reader';
        readonly name: 'read';
        readonly kind: 'read';
    }, {
        readonly account: 'stranger';
        readonly name: 'write';
        readonly kind: 'write';
    }, {
        readonly account: 'robot';
        readonly name: 'write';
        readonly kind: 'write';
    }, {
        readonly account: 'robot';
        readonly name: 'only-main';
        readonly kind: 'fine-grained';
        readonly grants: readonly [{
            readonly on: 'models/conform/private';
            readonly contents: 'write';
            readonly refs: readonly ['main'];
        }];
    }, {
        readonly account: 'robot';
        readonly name: 'only-read';
        readonly kind: 'fine-grained';
        readonly grants: readonly [{
            readonly on: 'conform/*';
            readonly contents: 'read';
        }];
    }];
};
/** As the tokens file names them: `writer/write`. */
export type HubTokenName = NamesOf<(typeof world.hubTokens)[number]>;
type NamesOf<Row> = Row extends {
    readonly account: infer Account;
    readonly name: infer Name;
} ? `${Account & string}/${Name & string}` : never;
export declare const hubTokenNames: readonly string[];
export declare function worldText(): string;
export {};

// report/by-clause.d.ts
import type { CheckOutcome, CheckResult } from '../check.js';
/** A line of every report. */
export interface ClauseResult {
    readonly section: string;
    readonly name: string;
    readonly outcome: CheckOutcome;
    readonly checks: readonly CheckResult[];
}
/** In the order of the specification, and only clauses with checks. */
export declare function byClause(results: readonly CheckResult[]): readonly ClauseResult[];
export type Counts = Readonly<Record<CheckOutcome, number>>;
export declare function countOutcomes(results: readonly {
    readonly outcome: CheckOutcome;
}[]): Counts;
/** Whether the server is as the caller expects. An expected failure that passes is not. */
export declare function isAsExpected(results: readonly CheckResult[]): boolean;

// report/json.d.ts
/** A report for programs. */
import type { CheckResult } from '../check.js';
export declare function jsonReport(results: readonly CheckResult[]): string;

// report/junit.d.ts
/** A report for CI systems: a test suite for each section, a test case for each clause. */
import type { CheckResult } from '../check.js';
export declare function junitReport(results: readonly CheckResult[]): string;

// report/text.d.ts
/** A report for people: one line for each clause, and the reasons below it. */
import type { CheckResult } from '../check.js';
export declare function textReport(results: readonly CheckResult[]): string;

// run-checks.d.ts
/** Runs checks one after the other, because some of them change the server. */
import { type Check, type CheckResult, type Profile } from './check.js';
export interface RunOptions {
    readonly profiles: readonly Profile[];
    /** Ids of checks that fail on this server, and are known to. */
    readonly expectedFailures?: readonly string[];
    /** Ids, clauses or sections; without it, all. */
    readonly only?: readonly string[];
    readonly timeoutMs?: number;
    /** Texts that no report may contain; tokens of Latchkey's forms are removed in any case. */
    readonly secrets?: () => Iterable<string>;
    /** Milliseconds that only go forward. */
    readonly stopwatch?: () => number;
}
export declare function runChecks<Target>(checks: readonly Check<Target>[], target: Target, options: RunOptions): Promise<readonly CheckResult[]>;
export declare function chosenChecks<Target>(checks: readonly Check<Target>[], { profiles, only }: Pick<RunOptions, 'profiles' | 'only'>): readonly Check<Target>[];
/** A word is an id, a clause or a section. */
export declare function isNamed({ id, clause }: Check<never>, word: string): boolean;
/** `fetch` keeps the reason in `cause`. */
export declare function messageOf(error: unknown): string;

// wire/raw-request.d.ts
/** Sends a request exactly as it is written: `fetch` would normalize paths and merge headers. */
export type HeaderLine = readonly [name: string, value: string];
export interface RawRequest {
    readonly method: string;
    /** As in the request line. */
    readonly target: string;
    readonly headers: readonly HeaderLine[];
    readonly body?: string | Uint8Array | undefined;
}
export interface RawResponse {
    readonly status: number;
    /** By name in lower case; repeated headers are joined with commas. */
    readonly headers: Readonly<Record<string, string>>;
    readonly text: string;
    readonly bytes: Uint8Array;
}
export interface RawClient {
    send(request: RawRequest): Promise<RawResponse>;
    /** Sends a body that never ends, byte by byte, and calls `begun` when the server has the headers. */
    upload(request: RawRequest, begun: () => void, signal: AbortSignal): Promise<RawResponse>;
    close(): void;
}
/** A server that does not respond within the time, or closes the connection, is an error. */
export declare function rawClient(origin: string, maxMs?: number): RawClient;
/** With the length of the body, which Node does not add to a list of headers. */
export declare function sentHeaders(host: string, { method, headers, body }: Omit<RawRequest, 'target'>): readonly HeaderLine[];
