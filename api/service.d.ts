// What service declares, written by `npm run api`.
// ./http/addresses is http/addresses.d.ts
// ./http/ask is http/ask.d.ts
// ./http/ask-pool is http/ask-pool.d.ts
// ./http/bodies is http/bodies.d.ts
// ./http/call is http/call.d.ts
// ./http/deadlines is http/deadlines.d.ts
// ./http/forwarding is http/forwarding/index.d.ts
// ./http/free-part is http/free-part.d.ts
// ./http/headers is http/headers.d.ts
// ./http/html is http/html.d.ts
// ./http/kept-keys is http/kept-keys.d.ts
// ./http/listener is http/listener.d.ts
// ./http/one-buffer is http/one-buffer.d.ts
// ./http/openapi is http/openapi.d.ts
// ./http/operations-routes is http/operations-routes.d.ts
// ./http/page is http/page.d.ts
// ./http/parse-json is http/parse-json.d.ts
// ./http/port is http/port.d.ts
// ./http/public-addresses is http/public-addresses.d.ts
// ./http/refusals is http/refusals.d.ts
// ./http/response-end is http/response-end.d.ts
// ./http/routes is http/routes.d.ts
// ./http/same-origin is http/same-origin.d.ts
// ./http/write-part is http/write-part.d.ts
// ./limits/cache is limits/cache.d.ts
// ./limits/each-of is limits/each-of.d.ts
// ./limits/rate-limiter is limits/rate-limiter.d.ts
// ./limits/shares is limits/shares.d.ts
// ./limits/slices is limits/slices.d.ts
// ./limits/turn-queue is limits/turn-queue.d.ts
// ./limits/turns is limits/turns.d.ts
// ./machine/child/keep-child is machine/child/keep-child.d.ts
// ./machine/child/launch-child is machine/child/launch-child.d.ts
// ./machine/child/messages is machine/child/messages.d.ts
// ./machine/child/serve-parent is machine/child/serve-parent.d.ts
// ./machine/data-directory is machine/data-directory.d.ts
// ./machine/errors is machine/errors.d.ts
// ./machine/exclusive-lock is machine/exclusive-lock.d.ts
// ./machine/files is machine/files.d.ts
// ./machine/random is machine/random.d.ts
// ./machine/seal is machine/seal.d.ts
// ./machine/runtime is machine/runtime.d.ts
// ./machine/process-context is machine/process-context.d.ts
// ./machine/time is machine/time.d.ts
// ./observe/gauges is observe/gauges.d.ts
// ./observe/line-writer is observe/line-writer.d.ts
// ./observe/log is observe/log.d.ts
// ./observe/metrics is observe/metrics.d.ts
// ./backup is backup/index.d.ts
// ./checks is checks/index.d.ts
// ./copy is copy/index.d.ts
// ./copy/postgres-side is copy/postgres-side.d.ts
// ./copy/sqlite-side is copy/sqlite-side.d.ts
// ./database is database/index.d.ts
// ./postgres is postgres/index.d.ts
// ./postgres/settings is postgres/settings.d.ts
// ./text is text/index.d.ts

// backup/index.d.ts
/** Files of a backup: for their owner only, on the disk before anybody relies on them, never over another one. */
export declare function codeOf(error: unknown): string;
/** A second name for a file that never changes, or a copy where there can be none. */
export declare function linkOrCopy(from: string, to: string, copy?: typeof copyFile): void;
/**
 * With blocks of its own, or blocks that are copied as soon as a program writes to them. It gets its name when it is whole:
 * after a kill the next attempt keeps what has its name, and replaces the draft.
 */
export declare function copyFile(from: string, to: string, draft?: string): void;
/**
 * Security boundary: a symbolic link that somebody has put among the objects would make content of any file that the user
 * of this command can read, the master key among them. Reading a named pipe or a device may never end.
 */
export declare function refuseOdd(file: string): void;
/** An empty file, whose name is on the disk. */
export declare function makeFile(file: string): void;
/** An empty file in place of what is there. */
export declare function makeFileAnew(file: string): void;
export declare function makeFolder(folder: string): void;
/** True where nothing is, or a folder with nothing in it. */
export declare function isFree(folder: string): boolean;
/** Removes what a failed attempt has written; the folder itself stays if it was there before. */
export declare function empty(folder: string): void;
/** A database that a restore writes under another name until it is whole. */
export interface RestoredFile {
    readonly name: string;
    readonly draft: string;
}
/** The file itself and all that SQLite may keep beside it. */
export declare function withBesides(file: string): readonly string[];
/** The copy shows one moment, while others write. It replaces a copy that is there. */
export declare function copyDatabase(from: string, to: string): void;
/** Copies a database of a backup over a file that is there, and reads every page of the copy. */
export declare function copyAndCheck(original: string, to: string): void;
/** Gives the draft its name. Nobody may have it open. */
export declare function nameDatabase({ name, draft }: RestoredFile): void;

// checks/database-answer.d.ts
import { CannotStart } from '../machine/errors.js';
import type { FoundSchema, InspectedSchema, InspectedServer } from '../postgres/index.js';
import { type Finding } from './finding.js';
/** The part of an inspected schema that does not depend on its tables. */
type AnySchema = Omit<InspectedSchema<unknown>, 'ask' | 'read'>;
export type DatabaseAnswer<Store extends AnySchema> = 
/** The error has the line for the operator. */
{
    readonly kind: 'away';
    readonly error: CannotStart;
} | AnsweringDatabase<Store>;
export interface AnsweringDatabase<Store extends AnySchema = AnySchema> {
    readonly kind: 'answers';
    readonly store: Store;
    readonly server: InspectedServer;
    readonly schema: FoundSchema;
    /** How far its clock is ahead of this machine's; the time between question and answer is not counted. */
    readonly aheadMs: number;
}
export declare function askDatabase<Store extends AnySchema>(inspect: () => Promise<Store>, nowMs: () => number): Promise<DatabaseAnswer<Store>>;
export declare function findingsOfRights({ store, schema }: AnsweringDatabase, users: Users): Promise<readonly Finding[]>;
/** The services that use a schema. */
type Users = 'hubs' | 'storages';
export declare function findingOfSchema({ schema, store }: AnsweringDatabase, users: Users): Finding;
export declare function findingsOfServer({ server, store }: AnsweringDatabase): readonly Finding[];
export {};

// checks/database-file.d.ts
import type { InspectedDatabase } from '../database/inspect-database.js';
import { type Finding } from './finding.js';
interface InspectedFile extends Pick<InspectedDatabase, 'version' | 'damage'> {
    readonly newestVersion: number;
}
export declare function findingsOfFile(file: string, inspected: InspectedFile): readonly Finding[];
export {};

// checks/finding.d.ts
/** The result of a check: one line for the operator, and what to do about it. */
/** Only `wrong` makes the command fail. */
export type Result = 'good' | 'warning' | 'wrong' | 'skipped';
export interface Finding {
    readonly result: Result;
    readonly found: string;
    readonly todo?: string;
}
export declare function goodFinding(found: string): Finding;
export declare function warningFinding(found: string, todo: string): Finding;
export declare function wrongFinding(found: string, todo: string): Finding;
/** The check has no subject, or cannot look at it. */
export declare function skippedFinding(found: string): Finding;
/** A start would end with the line of a `CannotStart`: it says what is wrong, then what to do. */
export declare function wrongByError(error: unknown): Finding;
export interface Check<Installation> {
    /** The word at the beginning of its lines. */
    readonly name: string;
    /** Changes nothing. Gives no row where there is nothing to check; an exception is reported as wrong. */
    run(installation: Installation): Promise<readonly Finding[]>;
}
/** In the largest unit of which there are two. */
export declare function spanOf(milliseconds: number): string;

// checks/index.d.ts
/** Health checks: the shape that all packages share, and the questions to a database that more than one of them has. */
export { type AnsweringDatabase, askDatabase, type DatabaseAnswer, findingOfSchema, findingsOfRights, findingsOfServer, } from './database-answer.js';
export { findingsOfFile } from './database-file.js';
export { type Check, type Finding, goodFinding, type Result, skippedFinding, spanOf, warningFinding, wrongByError, wrongFinding, } from './finding.js';

// copy/copy-between.d.ts
/** Copies all tables of one database into an empty one, in one transaction that compares every row before it commits. */
import { type CopiedTables, type CopySource, type CopyTarget, type Row } from './copy-side.js';
interface Sides {
    openSource(): Promise<CopySource>;
    openTarget(): Promise<CopyTarget>;
}
export type CopyVerb = 'copied' | 'compared';
/** Every row is copied, and then compared. */
export type OnCopyProgress = (verb: CopyVerb, rows: number, total: number) => void;
export interface CopyResult {
    /** The row that was written last. */
    readonly head: Row;
    readonly rows: number;
    /** In words for people. */
    readonly from: string;
    readonly to: string;
}
/** A copy that fails or is killed leaves the target as empty as it was. The source stays as it is. */
export declare function copyBetween(copied: CopiedTables, { openSource, openTarget }: Sides, onProgress?: OnCopyProgress): Promise<CopyResult>;
export {};

// copy/copy-side.d.ts
import { type Kysely } from 'kysely';
import type { WriterQueue } from '../database/writer-queue.js';
/** The tables for code that treats all alike. */
export type AnySchema = Record<string, Record<string, unknown>>;
export type AnyTables = Kysely<AnySchema>;
/** All reads of one `read` find the rows of one moment. */
export interface CopySource extends Pick<WriterQueue<AnySchema>, 'read'> {
    /** In words for people, without a password. */
    readonly place: string;
    close(): Promise<void>;
}
/** The copy is one `change`. */
export interface CopyTarget extends Pick<WriterQueue<AnySchema>, 'change'> {
    readonly place: string;
    /** In the same transaction, when every row is there. */
    finish(tables: AnyTables): Promise<void>;
    close(): Promise<void>;
}
/** The copy is not made; the message is one line for the operator. */
export declare class CopyError extends Error {
    readonly name = "CopyError";
}
export type Row = Readonly<Record<string, unknown>>;
/** One page at least; only the last one is not full. */
export declare function pagesOf(tables: AnyTables, copied: CopiedTables, table: string): AsyncGenerator<readonly Row[], void>;
/** With the row of the head. */
export declare function countRows(tables: AnyTables, copied: CopiedTables): Promise<number>;
/** `origin` names a row of the same table, which may come later than the one that names it. */
type ColumnRole = 'key' | 'value' | 'origin';
/** Does not compile when a table or a column of the schema is missing. A table stands after those that its rows refer to. */
export type ColumnsOf<Schema> = {
    readonly [Table in keyof Schema]: {
        readonly [Column in keyof Schema[Table]]: ColumnRole;
    };
};
type Columns = Readonly<Record<string, Readonly<Record<string, ColumnRole>>>>;
/** For each table: the rows that have one of the values in the column. */
type RowSets = Readonly<Record<string, {
    readonly column: string;
    readonly values: readonly string[];
}>>;
export interface CopiedTables {
    readonly columns: Columns;
    /** The table of one row that is written last. */
    readonly head: {
        readonly table: string;
        /** The head has these values during the copy. Writing them locks the row, as every change of the owner does. */
        readonly meanwhile: Readonly<Record<string, unknown>>;
    };
    /** Tables to which triggers write when others are written. */
    readonly filledByTriggers: readonly string[];
    /** Rows about the database itself: they are not copied. */
    readonly notCopied?: RowSets;
    /** Rows that opening an empty database makes: the copy replaces them. */
    readonly fromOpening?: RowSets;
    /** Where rows are so large that fewer are read at a time. */
    readonly rowsPerPage?: Readonly<Record<string, number>>;
}
/** The tables whose rows are copied one by one, in their order. */
export declare function tableNames({ columns, head }: CopiedTables): readonly string[];
export declare function columnNames({ columns }: CopiedTables, table: string): readonly string[];
export declare function keyNames(copied: CopiedTables, table: string): readonly string[];
/** Undefined where no row names another of its table. */
export declare function originName(copied: CopiedTables, table: string): string | undefined;
export {};

// copy/index.d.ts
/** Copies of all tables from one database into another of any kind; each kind has a side of its own. */
export { type CopyResult, type CopyVerb, copyBetween, type OnCopyProgress, } from './copy-between.js';
export { type ColumnsOf, type CopiedTables, CopyError, type CopySource, type CopyTarget, } from './copy-side.js';

// copy/postgres-side.d.ts
import { type MigrationOptions } from '../postgres/migrate-postgres.js';
import { type PostgresSettings } from '../postgres/settings.js';
import type { CopySource, CopyTarget } from './copy-side.js';
export interface PostgresKind extends Omit<MigrationOptions, 'settings'> {
    /** Tables whose column `position` comes from a sequence. */
    readonly withPositions: readonly string[];
    /** The service that works on the schema: `a hub`. */
    readonly user: string;
}
/** Others may go on working: the copy has what was there when it began. */
export declare function openSchemaSource(settings: PostgresSettings, kind: PostgresKind): Promise<CopySource>;
/** Makes the schema where there is none. */
export declare function openSchemaTarget(settings: PostgresSettings, kind: PostgresKind): Promise<CopyTarget>;

// copy/sqlite-side.d.ts
import { type OpenOptions } from '../database/open-database.js';
import type { CopySource, CopyTarget } from './copy-side.js';
/** The kind of content of the file. */
export interface SqliteKind {
    readonly migrations: readonly string[];
    /** A process that may have it open: `a hub that runs`. */
    readonly user: string;
    /** Whether a file with these tables holds something else, and what to do then. */
    isOther(tables: ReadonlySet<string>): boolean;
    readonly ifOther: string;
}
/** No other process has the file open meanwhile: nothing is written that the copy would not have. */
export declare function openFileSource(file: string, kind: SqliteKind): CopySource;
/** Makes the file where there is none, for its owner only. */
export declare function openFileTarget(file: string, kind: SqliteKind, options?: OpenOptions): CopyTarget;

// database/index.d.ts
/** A SQLite database for a service: opening and migrating its file, reading it, one queue of writers. */
export { type InspectedDatabase, inspectDatabase, pendingScript, versionIn, } from './inspect-database.js';
export { lookAt, type OpenOptions, openDatabase, openForReading, orClose, versionOf, } from './open-database.js';
export { explainErrors, isFull, StorageFull } from './sqlite-error.js';
export { tablesOf, type WriterQueue, writerQueue } from './writer-queue.js';

// database/inspect-database.d.ts
/** A database file as somebody finds it who must not change anything, not even the files beside it. */
import type { DatabaseSync } from 'node:sqlite';
export interface InspectedDatabase {
    readonly database: DatabaseSync;
    readonly version: number;
    /** Reads every page; undefined where all is well, otherwise what SQLite says. */
    damage(): string | undefined;
    close(): void;
}
export declare function inspectDatabase(file: string): InspectedDatabase;
/** The version of a database whose file exists. */
export declare function versionIn(file: string): number;
/** The SQL; empty where there is nothing to do. Changes nothing. */
export declare function pendingScript(file: string, migrations: readonly string[]): string;

// database/open-database.d.ts
import { DatabaseSync } from 'node:sqlite';
export interface OpenOptions {
    /** How long a statement waits for another writer. A process that serves keeps it short, because waiting blocks it. */
    readonly busyTimeoutMs?: number;
}
/** Migration n brings the file from version n to n + 1. */
export declare function openDatabase(file: string, migrations: readonly string[], { busyTimeoutMs }?: OpenOptions): DatabaseSync;
/** A connection that cannot be used is closed, and leaves no file open. */
export declare function orClose<Result>(database: DatabaseSync, work: () => Result): Result;
/** Opens the same file for reading alone: a second connection, which sees what others have committed. */
export declare function openForReading(file: string): DatabaseSync;
/**
 * Opens the file for reading, and leaves no other beside it: a reader makes `-wal` and `-shm` where they are missing. Where no
 * program has the file open they are missing, and all is in the file itself: it is read as one that cannot change.
 */
export declare function openUntouched(file: string): DatabaseSync;
/**
 * Opens the file so that no other process has it open, until the connection is closed; fails as busy where one has.
 * The lock is asked for before the first read: SQLite then locks the whole file.
 */
export declare function openAlone(file: string): DatabaseSync;
/**
 * Looks at a file that is there, and changes nothing; SQLite may finish what a crash has left. One transaction: between two
 * reads another process may commit.
 */
export declare function lookAt<Result>(file: string, look: (database: DatabaseSync) => Result): Result;
export declare function versionOf(database: DatabaseSync): number;

// database/sqlite-error.d.ts
/** SQLite's errors: which one it is, and what an operator can do about it. */
/** There is no room left to write; nothing of the change has happened. */
export declare class StorageFull extends Error {
    readonly name = "StorageFull";
}
/** Another connection holds the lock. */
export declare function isBusy(error: unknown): boolean;
export declare function isFull(error: unknown): boolean;
/** Errors while the file is opened say in one line why it cannot be opened. */
export declare function explainErrors<Result>(file: string, open: () => Result): Result;

// database/writer-queue.d.ts
/** One connection for all writers: transactions run one after the other, each whole or not at all. */
import type { DatabaseSync } from 'node:sqlite';
import { type Refusal } from '@latchkey/protocol';
import { Kysely } from 'kysely';
export interface WriterQueue<Schema> {
    read<Result>(work: (tables: Kysely<Schema>) => Promise<Result>): Promise<Result>;
    /** One transaction; a refusal or an exception rolls it back. */
    change<Result>(work: (tables: Kysely<Schema>) => Promise<Result | Refusal>): Promise<Result | Refusal>;
}
export declare function writerQueue<Schema>(database: DatabaseSync): WriterQueue<Schema>;
export declare function repeatWhileBusy<Result>(attempt: () => Promise<Result>, { isBusy, maxMs }: {
    readonly isBusy: (error: unknown) => boolean;
    readonly maxMs: number;
}): Promise<Result>;
export declare function tablesOf<Schema>(database: DatabaseSync): Kysely<Schema>;

// http/addresses.d.ts
/** The addresses and host names of requests: who sent them, behind proxies, and which names a listener answers to. */
import type { IncomingMessage } from 'node:http';
import { type AnyId } from '@latchkey/protocol';
export type ClientAddress = (request: IncomingMessage) => string;
export declare function clientAddress(trustedProxies: readonly string[]): ClientAddress;
/**
 * Gives the id that a trusted proxy has given the request, so that the logs of both have the same. Security boundary: a
 * client must not choose what a log says, nor give two requests one id.
 */
export declare function forwardedId(trustedProxies: readonly string[]): (request: IncomingMessage) => AnyId | undefined;
/** Undefined when a range cannot be read. */
export declare function isAddressRange(range: string): boolean;
/** Whether an address is in one of the ranges. */
export declare function addressMatcher(ranges: readonly string[]): (address: string) => boolean;
/** One household or machine usually has an IPv6 /64 to itself, so it counts as one. */
export declare function networkOf(address: string): string;
/** An organisation gets an IPv6 /48, and with it 65 536 networks. */
export declare function siteOf(address: string): string;
export type AnswersTo = (request: Pick<IncomingMessage, 'headers' | 'url'> & {
    readonly socket: Pick<IncomingMessage['socket'], 'localAddress'>;
}) => boolean;
/** In a list of names: every name there is. */
export declare const anyHost = "*";
/**
 * The host names that a listener answers to. A web page whose own name is made to resolve to this machine (DNS rebinding)
 * would otherwise reach services that its browser may not read across origins. Beside the given names: loopback ones, and the address on which a connection came in, since no DNS answer leads to a
 * page under an address. Ports are not compared, because a proxy may change them.
 */
export declare function allowedHosts(names: readonly string[]): AnswersTo;
/** Without port and trailing dot, in lower case, addresses in their shortest form; undefined for what is no host. */
export declare function hostNameOf(host: string): string | undefined;

// http/ask-pool.d.ts
/**
 * Sends many short questions to one server, over connections that are kept. A question takes a third of the time that it
 * takes by Node's client. Needs undici.
 */
export interface AskPoolSettings {
    /** Where the paths of the questions begin. */
    readonly url: string;
    /** Names and values of the headers that go with every question. */
    readonly headers: Readonly<Record<string, string>>;
    readonly connections: number;
    /** From the end of a question to the head of its response, and between the parts of it. */
    readonly maxWaitMs: number;
    /** A longer response fails. */
    readonly maxBytes: number;
}
export interface PoolAnswer {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly text: string;
}
export interface AskPool {
    /** Posts a text. Rejects with the failure of the connection; the server may have got the question all the same. */
    post(path: string, body: string): Promise<PoolAnswer>;
    /** Questions under way fail. */
    close(): Promise<void>;
}
export declare function askPool(settings: AskPoolSettings): AskPool;

// http/ask.d.ts
/**
 * The one way in which our services and commands send HTTP requests, over Node's client: the platform's fetch takes 50 ms
 * to load. In workerd it is fetch. Redirects are not followed, and nothing is unpacked.
 */
import type { Agent } from 'node:http';
export interface HttpQuestion {
    /** POST where there is a body, GET otherwise. */
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** A part is no longer needed when the next is asked for. */
    readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | null | undefined;
    /** Its reason is the error of the question, or of the reading of its answer. */
    readonly signal?: AbortSignal | null | undefined;
    /** The connections to use, of the protocol of the URL; if left out, those that all questions share. */
    readonly agent?: Agent | undefined;
    /**
     * From the end of the request to the end of the answer's head, and how long a connection may stand still.
     * @default 300_000
     */
    readonly maxWaitMs?: number | undefined;
}
/** A redirect too is an answer. Its body must be read or discarded: until then it holds its connection. */
export interface HttpAnswer {
    readonly status: number;
    readonly statusText: string;
    readonly isOk: boolean;
    /** Undefined where it is absent. */
    header(name: string): string | undefined;
    readonly body: AsyncIterable<Uint8Array>;
    /** Undefined when there are more bytes than `max`; the connection is closed then. */
    read(max: number): Promise<Buffer | undefined>;
    /** Reads a short rest, so that the connection can be used again; a longer one closes it. */
    discard(): void;
}
/** Fails with `fetch failed`, whose cause has the code of the system. */
export declare function ask(url: string, question?: HttpQuestion): Promise<HttpAnswer>;
/** The server may have closed a kept connection since; the second try opens a new one. For what may be done twice. */
export declare function askTwice(url: string, question: HttpQuestion & {
    readonly body?: string;
}): Promise<HttpAnswer>;
/** Why a question failed: the code of the system where there is one, and `late` where its time was over. */
export declare function reasonOf(error: unknown, late: string): string;
/** Undefined for a code that has nothing to do with certificates. */
export declare function tlsReason(code: unknown): string | undefined;

// http/bodies.d.ts
/** Reads the body of a request: bounded in bytes and in time, and as JSON only if the client calls it so. */
import type { IncomingMessage } from 'node:http';
import { type Refusal } from '@latchkey/protocol';
import { type TakeRoom } from '../limits/shares.js';
export interface BodyLimits {
    /** In bytes. */
    readonly most: number;
    /** A sentence that tells the client what to do about a larger body. */
    readonly advice?: string;
    /** Asked before anything is read, with the length of the body, or with `most` where the client names none. */
    readonly take?: TakeRoom;
    /** Asked before so many more bytes are kept; its refusal ends the reading. */
    readonly hold?: (bytes: number) => Refusal | undefined;
    /** For a body that must arrive sooner than others. */
    readonly deadline?: {
        readonly ms: number;
        readonly refusal: Refusal;
    };
}
/** To be called once the caller is known: a stranger must not make us hold megabytes. */
export declare function readJsonBody(request: IncomingMessage, limits: BodyLimits): Promise<Uint8Array | Refusal>;
/** The same for a body of any type. */
export declare function readBody(request: IncomingMessage, { most, advice, take, hold, deadline }: BodyLimits): Promise<Uint8Array | Refusal>;
export declare class BodyTooLarge extends Error {
    readonly refusal: Refusal;
    constructor(maxBytes: number);
}
/** The parts of a body that is not kept in memory, up to a bound. Throws `BodyTooLarge` where there are more. */
export declare function boundedParts(parts: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined>;
/**
 * Reads a stream to its end. Undefined when there is more than `most`; the rest is not read. The parts are copied as they come: a client that sends
 * its bytes one by one would make us keep an object for each of them.
 */
export declare function readAtMost(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, most: number): Promise<Buffer | undefined>;
export interface Pace {
    readonly windowMs: number;
    /** Bytes that must move within a window in which we do nothing but wait. */
    readonly minBytes: number;
    /** For the whole body, without the time that we take ourselves. No limit by default. */
    readonly maxMs?: number;
}
export declare const usualPace: Pace;
/** For a body that is read into memory, and that holds its room there meanwhile. */
export declare const wholeBodyPace: Pace;
export declare class BodyTooSlow extends Error {
    readonly refusal: Refusal;
}
/** A body that moves at a least pace: a client that trickles would hold its slot for minutes. Throws `BodyTooSlow`. Time that we take ourselves does not count. */
export declare function atPace(parts: AsyncIterable<Uint8Array>, { windowMs, minBytes, maxMs }?: Pace): AsyncGenerator<Uint8Array, void, undefined>;
/** Calls `cut` when the client reads too slowly. Time that the parts take to be made does not count. */
export declare function readAtPace(parts: AsyncIterable<Uint8Array>, cut: () => void, { windowMs, minBytes }?: Pace): AsyncGenerator<Uint8Array, void, undefined>;

// http/call.d.ts
/** One request, as the handler of its route sees it, and how requests are served one by one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AnyId, type Refusal } from '@latchkey/protocol';
import { type RandomBytes } from '../machine/random.js';
import type { ClientAddress } from './addresses.js';
/** Serves a request from its head on, and answers it. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void;
export interface CallOptions {
    /** The name of the service in refusals: `hub`. */
    readonly name: string;
    readonly randomBytes: RandomBytes;
    readonly logFailure: (error: unknown, requestId: string) => void;
    /** Aborted when the server stops. */
    readonly stopping?: AbortSignal;
    /** The id that a trusted proxy gave the request; undefined gives it a new one. */
    readonly requestIdOf?: (request: IncomingMessage) => AnyId | undefined;
}
export declare class Call {
    #private;
    readonly request: IncomingMessage;
    readonly requestId: AnyId;
    constructor(response: ServerResponse, options: CallOptions);
    /** For a handler that waits. Aborted when the client has disconnected, and when the server stops. */
    get signal(): AbortSignal;
    /** The result of the work. If it throws, the log gets the error and the client a refusal. */
    attempt<Result>(work: () => Result | Promise<Result>): Promise<Result | Refusal>;
}
export interface IdentifiedCall<Caller, Logged> {
    readonly result: Caller | Refusal;
    readonly caller?: Logged | undefined;
    /** Known to the log, and refused. */
    readonly refusedCaller?: Logged | undefined;
}
/** Stands last in the line of every call. */
export interface CallEnd {
    readonly address: string;
    readonly requestId: AnyId;
    readonly milliseconds: number;
}
export interface ServeLoggedDeps<Caller, Logged, Result> {
    readonly clientAddress: ClientAddress;
    identify(request: IncomingMessage): Promise<IdentifiedCall<Caller, Logged>>;
    work(caller: Caller): Promise<Result | Refusal>;
    log(result: Result | Refusal, caller: Logged | undefined, end: CallEnd): void;
}
/** Identifies the caller of a request, does its work, and writes one line about it. */
export declare function serveLogged<Caller, Logged, Result>(call: Call, { clientAddress, identify, work, log }: ServeLoggedDeps<Caller, Logged, Result>): Promise<Result | Refusal>;
/** `waitsForContinue`: the client sends its body once it is told to. */
export type ServeRequest = (request: IncomingMessage, response: ServerResponse, waitsForContinue: boolean) => Promise<void>;
export interface InOrder {
    readonly serve: Serve;
    readonly serveContinue: Serve;
    /** Settles once every request has been served. */
    settled(): Promise<unknown>;
}
/**
 * Serves the requests of a connection one after the other: a request waits until the answer before it is out. So pipelined requests take effect in their order (RFC 9112 §9.3.2),
 * and answers that the client does not read do not pile up.
 */
export declare function serveInOrder(serve: ServeRequest, onFailure: (error: unknown) => void): InOrder;

// http/deadlines.d.ts
/** Ends requests whose body stands still, is too slow or takes too long. */
import { type OptionTypes, type Refusal } from '@latchkey/protocol';
import type { Stopwatch } from '../machine/time.js';
/** How long the bodies of a request and of its answer may take. */
export interface BodyTimeouts {
    /** While a body moves: how long it may stand still. */
    readonly idleSeconds: number;
    /** For the request and its answer, whatever moves. */
    readonly totalSeconds: number;
    /** The average rate that an upload must reach; 0 is no limit. */
    readonly minBytesPerSecond: number;
}
export declare const bodyTimeoutTypes: OptionTypes<BodyTimeouts>;
export type Lateness = 'idle' | 'too_slow' | 'too_long';
/** One request and its answer, as the deadlines see them. */
export interface WatchedRequest {
    /** Bytes that have moved between client and server, in either direction. */
    moved(): number;
    /** Which body is under way; undefined while the server works on the request. */
    moving(): 'upload' | 'download' | undefined;
    /** Whether the upload waits for the server, so that its rate is not the client's. */
    isHeld(): boolean;
    cut(lateness: Lateness): void;
}
export interface Deadlines {
    /** Gives the function that ends the watch. */
    watch(watched: WatchedRequest): () => void;
    /** Cuts late requests, once a second; gives the function that ends this. */
    start(): () => void;
    readonly watching: number;
}
export declare function deadlines(timeouts: BodyTimeouts, stopwatch: Stopwatch): Deadlines;
/** The refusal for a client that is late with its body. */
export declare function tooLateRefusal(lateness: Lateness): Refusal;

// http/forwarding/connect.d.ts
import { Pool } from 'undici';
export interface UpstreamPlace {
    readonly origin: string;
    /** A socket of this machine, in place of a port. */
    readonly socketPath?: string | undefined;
    readonly connections: number;
    /** Until a connection stands. */
    readonly connectSeconds: number;
}
/** Connections to one server, with one request at a time on each. */
export declare function connectTo(place: UpstreamPlace): Pool;

// http/forwarding/exchange.d.ts
/** One admitted request on its way to the upstream, and the answer on its way back. */
import { type Deadlines } from '../deadlines.js';
import type { Ending, Handover, Upstream } from './handover.js';
/**
 * Bytes that may wait for a slow client. One read of a socket has 64 KiB, and the kernel usually
 * takes all of it: a lower limit would stop and restart the upstream after every read.
 */
export declare const maxWaitingBytes: number;
export type Forward = (handover: Handover) => Promise<Ending>;
export declare function forwarder(upstream: Upstream, deadlines: Deadlines): Forward;

// http/forwarding/handover.d.ts
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from '@latchkey/protocol';
import type { Dispatcher } from 'undici';
import type { HeaderList } from '../headers.js';
export interface Handover {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    /** Path and query as the upstream gets them. */
    readonly target: string;
    /** For the upstream, names and values in turn. */
    readonly headers: string[];
    /** The headers that the client gets, made of those of the upstream. */
    answerHeaders(answered: HeaderList): string[];
    /** Calls `cut` when the request must end because it is not admitted any more; gives the function that ends the watch. */
    watch?(cut: (refusal: Refusal) => void): () => void;
    /** Answers the client with a refusal. */
    refuse(refusal: Refusal): void;
}
/** How an exchange ended; `cut` when the client got no whole answer, by whose fault. */
export interface Ending {
    readonly status: number | undefined;
    readonly refusal?: Refusal;
    readonly cut?: 'client' | 'upstream' | 'us';
}
/** The server that requests are forwarded to. */
export interface Upstream {
    readonly dispatcher: Dispatcher;
    /** How long it may take to begin an answer. */
    readonly headersSeconds: number;
    readonly refusals: UpstreamRefusals;
    /** Sends no body after the answer to a HEAD. Connections to others end with one: a body would be read as the next answer. */
    readonly isTrusted?: boolean;
}
export interface UpstreamRefusals {
    /** It cannot be reached, or it ended the connection. */
    readonly unreachable: Refusal;
    /** It did not answer in time. */
    readonly timeout: Refusal;
    /** Undefined for a trailer that is dropped in silence, as all are. */
    readonly trailer?: (name: string) => Refusal | undefined;
}

// http/forwarding/index.d.ts
/** Forwards admitted requests to another server, and its answers to the clients. Needs undici. */
export { connectTo, type UpstreamPlace } from './connect.js';
export { type Forward, forwarder } from './exchange.js';
export type { Ending, Handover, Upstream, UpstreamRefusals } from './handover.js';
export { clientHeaders, type ForwardedRequest, forwardedHeaders, requestHeaders, } from './passed-headers.js';

// http/forwarding/passed-headers.d.ts
/** The headers of a request and of its answer that a server hands on. */
import { type HeaderList } from '../headers.js';
/** A function that copies the client's headers, without those that `more` matches by their lower-case names. */
export declare function requestHeaders(more: readonly string[]): (headers: HeaderList) => string[];
export interface ForwardedRequest {
    readonly requestId: string;
    readonly address: string;
    /** The part of the client's path before the one that is handed on. */
    readonly prefix?: string;
}
/** The server's own headers about a request to `url`, its public address. */
export declare function forwardedHeaders(url: string): (forwarded: ForwardedRequest) => readonly string[];
/** `own` are the server's; they replace the upstream's of the same name, or add to its list. */
export declare function clientHeaders(answered: HeaderList, own: HeaderList): string[];
/** Bytes stay the bytes they are, whatever encoding the upstream had in mind. */
export declare function rawHeadersOf(raw: unknown): HeaderList;

// http/free-part.d.ts
/**
 * Gives the memory of a part of a body back at once, when nobody needs the part any more.
 *
 * Node reads every part of a body into a new buffer of 64 KiB, outside of the heap. V8 counts those bytes, and after some
 * dozens of MiB it marks the whole heap to get them back: that took more time than all the rest of a download.
 */
export declare function freePart(part: Uint8Array): void;

// http/headers.d.ts
/** Headers as they come over the wire, and what a client accepts. */
/** Names and values in turn, repeated headers repeated. */
export type HeaderList = readonly string[];
export declare function headerPairs(headers: HeaderList): [name: string, value: string][];
/** Every value of a header: Node's own `headers` keeps the first and hides the rest. */
export declare function headerValues(headers: HeaderList, lowerCaseName: string): string[];
/** The values of a header as one list (RFC 9110 §5.3); undefined where there is none. */
export declare function joinedValues(headers: HeaderList, lowerCaseName: string): string | undefined;
/** Whether the client names plain JSON and not the problem format. */
export declare function wantsPlainJson(accept?: string): boolean;
/** Whether a browser asks for a page. By name: programs that accept everything get what they got before. */
export declare function acceptsHtml(accept?: string): boolean;

// http/html.d.ts
/** Markup that text cannot become by mistake: the words of a template are markup, and every text put into it is escaped. */
/** A text stands between tags or between double quotes; nothing is shown for `undefined` and `false`. */
export type HtmlPart = string | number | Html | readonly Html[] | undefined | false;
export type { Html };
declare class Html {
    #private;
    constructor(markup: string);
    /** For who sends it. Put the value itself into a template. */
    get markup(): string;
}
export declare function html(template: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html;
/** Believes that a renderer escaped every text in what it wrote. */
export declare function trustedHtml(markup: string): Html;
/** How it is sent. */
export declare const htmlType = "text/html; charset=utf-8";
export declare function isHtml(value: unknown): value is Html;

// http/kept-keys.d.ts
/** Keys of another service: held while it is away, and fetched again in the background. */
export interface KeySource<Keys> {
    /** The keys to trust now; undefined while there are none. Never waits. */
    known(): Keys | undefined;
    /** Looks for newer ones as soon as it may; tells whether they were asked for after the call, and came. Never fails. */
    refresh(): Promise<boolean>;
}
export interface KeptKeysOptions<Keys> {
    readonly fetchKeys: () => Promise<Keys>;
    /** In Unix seconds. */
    readonly clock: () => number;
    /** Told why the keys could not be fetched. */
    readonly onFailure: (error: unknown) => void;
    /** Waits in real time, whatever the clock says. */
    readonly wait?: (seconds: number) => Promise<void>;
}
/**
 * Unknown keys are asked for at most once in this time. Tokens that come meanwhile wait for the next look: a
 * refusal would let anybody keep a new key unknown with a made-up one.
 */
export declare const unknownKeySeconds = 1;
/** Regular looks begin, and the first one, at most once in this time. */
export declare const cooldownSeconds = 10;
/** Keys older than this are looked for again while they go on serving. */
export declare const freshSeconds = 60;
/** Keys that could not be confirmed for so long are not trusted any more. */
export declare const maxStaleSeconds: number;
export declare function keptKeys<Keys>({ fetchKeys, clock, onFailure, wait, }: KeptKeysOptions<Keys>): KeySource<Keys>;

// http/listener.d.ts
/** A listening socket with limits on everything a client can make it wait for or hold. */
import { type IncomingMessage } from 'node:http';
import { type Refusal } from '@latchkey/protocol';
import { type RandomBytes } from '../machine/random.js';
import type { Stopwatch } from '../machine/time.js';
import type { Serve } from './call.js';
import { type QueueOptions, requestQueue } from './request-queue.js';
/** The queue that a listener with `queue` has. */
export { requestQueue };
export interface ListenerOptions {
    /** The name of the service in refusals: `hub`. */
    readonly name: string;
    readonly host: string;
    readonly port: number;
    /** The flag that chooses the port. */
    readonly portFlag?: string;
    readonly connections: number;
    /** Their connections are of many clients, whom `X-Forwarded-For` names. */
    readonly trustedProxies?: readonly string[];
    /** The host names that are answered, beside loopback ones and this machine's addresses; `*` is every name. */
    readonly hosts: readonly string[];
    readonly randomBytes: RandomBytes;
    readonly serve: Serve;
    /** Serves instead what asks before it sends its body; without it everyone is told to go on. */
    readonly serveContinue?: Serve;
    /** The answer to methods that Node's parser does not know, and to CONNECT. */
    readonly unknownMethod: Refusal;
    /** For a request to arrive whole; 0 is no limit. */
    readonly requestTimeoutMs?: number;
    /** How long a client may leave an answer other than a refusal unread. */
    readonly readingMs?: number;
    /** For a connection on which nothing moves; 0 is no limit. */
    readonly idleTimeoutMs?: number;
    /** Whether `/healthz` and `/readyz` are served here: they go first then, whatever host name they are asked under. */
    readonly servesHealth?: boolean;
    /** For a listener that refuses what it cannot answer in time; others let it wait. */
    readonly queue?: ListenerQueue;
    /** Measures how long a client makes no progress. */
    readonly stopwatch?: Stopwatch;
}
export interface ListenerQueue extends Pick<QueueOptions, 'isLimited'> {
    /** For a request to wait for its turn; it is refused then. */
    readonly maxWaitMs: number;
    /** The account of a request where it is known already: it takes turns with the others, wherever its requests come from. */
    readonly accountOf?: (request: IncomingMessage) => string | undefined;
    /**
     * Requests that go before others, in addition to health checks. Called only for requests that
     * have to wait.
     */
    readonly goesFirst: (request: IncomingMessage) => boolean;
    /** Keeps the connection: to accept a new one takes longer than to refuse a request. */
    readonly refuse: Serve;
    readonly onSlice: () => void;
}
export interface Listener {
    readonly url: string;
    /** How many requests wait for their turn. */
    waiting(): number;
    /** In-flight requests finish, new ones are refused; after the deadline the rest is cut. */
    stop(deadlineSeconds: number): Promise<void>;
}
export declare function listen(options: ListenerOptions): Promise<Listener>;

// http/one-buffer.d.ts
/** Connections to a server that answers with many bytes. */
import type { Agent } from 'node:http';
/**
 * Lets each connection of an agent read into one buffer as long as it lives, where Node makes a new one for each part that
 * comes. Node's HTTP parser copies what it passes on.
 */
export declare function readIntoOneBuffer<Some extends Agent>(agent: Some): Some;

// http/openapi.d.ts
/** The parts that the OpenAPI documents of all services share. */
import { type RefusalCode } from '@latchkey/protocol';
import type { Handle } from './routes.js';
export interface OpenApiDocument {
    readonly openapi: '3.1.0';
    readonly paths: OpenApiPaths;
    readonly [part: string]: unknown;
}
/** Operations by path, then by method in lower case. */
export type OpenApiPaths = Readonly<Record<string, Readonly<Record<string, object>>>>;
export declare const license: {
    readonly name: 'Apache-2.0';
    readonly identifier: 'Apache-2.0';
};
export declare const problemSchema: {
    readonly type: 'object';
    readonly description: 'An error (RFC 9457).';
    readonly required: readonly ['type', 'title', 'status', 'detail', 'code', 'requestId', 'error'];
    readonly properties: {
        readonly type: {
            type: string;
            description: string;
        };
        readonly title: {
            type: string;
            description: string;
        };
        readonly status: {
            readonly type: 'integer';
            readonly description: 'The status of the response.';
        };
        readonly detail: {
            type: string;
            description: string;
        };
        readonly code: {
            readonly type: 'string';
            readonly enum: string[];
            readonly description: 'The stable code of the error.';
        };
        readonly requestId: {
            type: string;
            description: string;
        };
        readonly error: {
            type: string;
            description: string;
        };
        readonly missing: {
            type: string;
            description: string;
        };
        readonly path: {
            type: string;
            description: string;
        };
        readonly next: {
            readonly type: 'array';
            readonly items: {
                readonly type: 'string';
            };
            readonly description: 'The next command: its words and arguments. Replace words in capitals.';
        };
        readonly number: {
            readonly type: 'integer';
            readonly description: 'The last number of the journal.';
        };
    };
};
/** A document that has it needs `problemSchema` as its schema `Problem`. */
export declare function problem(description: string, codes?: readonly RefusalCode[]): object;
export declare function json(description: string, schema: object): object;
/** An operation that needs no token. */
export declare function openOperation(operationId: string, tag: string, summary: string, responses: Readonly<Record<number, object>>): object;
/**
 * The document itself, and the routes of `http/operations-routes`. `task` is the work that a ready service does, for
 * example `issue tokens`.
 */
export declare function operationsPaths(service: string, task: string): OpenApiPaths;
/** Made once, because every client gets the same bytes; at the first request, because most services get none. */
export declare function serveDocument(make: () => OpenApiDocument): Handle;

// http/operations-routes.d.ts
/** The routes by which a service is watched. */
import { type Refusal } from '@latchkey/protocol';
import type { ContentType, Route } from './routes.js';
export interface WatchedService {
    readonly metrics: {
        text(): Promise<string>;
        readonly contentType: ContentType;
    };
    readonly isReady: () => boolean | Promise<boolean>;
    /** Why it is not, if it is not. */
    readonly notReady: string | (() => Promise<string>);
    /** Said by `/readyz` beside the status, and no reason not to be ready. */
    readonly says?: () => Facts | Promise<Facts>;
    /** A process that this one runs, by the name that `/readyz` calls it. */
    readonly companions?: Readonly<Record<string, StatusSource>>;
}
export type Facts = Readonly<Record<string, string | object>>;
/** A process that a service runs and outlives: shown beside the service, and no reason for it not to be ready. */
export interface StatusSource {
    isReady(): Promise<boolean>;
    /** In the format of the service's own metrics, with no name in common. */
    metricsText(): Promise<string>;
}
export declare function operationsRoutes(watched: WatchedService): readonly Route[];
/** For a listener that serves nothing else. */
export declare const noOperation: Refusal;
export declare function whyNotReady({ notReady }: Pick<WatchedService, 'notReady'>): Promise<string>;
/** The facts that a ready service adds. */
export declare function factsOf({ says, companions, }: Pick<WatchedService, 'says' | 'companions'>): Promise<Facts>;

// http/page.d.ts
/** The page that a service shows to a browser that opens its address, and the frame of every page of Latchkey. */
import type { Serve } from './call.js';
import { type Html } from './html.js';
import { type WatchedService } from './operations-routes.js';
import { type ServeRoutesDeps } from './routes.js';
export interface HtmlDocument {
    readonly title: string;
    readonly style: Html;
    readonly body: Html;
}
export interface PageRights {
    /** Whether the page may send its forms to where it came from. */
    readonly hasForms?: boolean;
}
/** Colours, text and boxes, in light and dark. */
export declare const baseStyle: Html;
/** Forms and notes, beside `baseStyle`. */
export declare const formStyle: Html;
export declare function htmlDocument({ title, style, body }: HtmlDocument): Html;
/** The page runs and loads nothing, and no other page frames it. */
export declare function policyFor({ markup }: Html, { hasForms }?: PageRights): string;
export interface Page {
    /** `hub`: what the page calls the service. */
    readonly name: string;
    /** The purpose of the service. */
    readonly about: string;
    readonly state: PageState;
    /** Commands that a reader can try. */
    readonly commands?: readonly string[];
    readonly links?: readonly PageLink[];
    /** The page of Latchkey's documentation to begin with. */
    readonly document: string;
}
export interface PageState {
    readonly isReady: boolean;
    readonly sentence: string;
    /** Further facts by name, for example `storage` is `ready`. */
    readonly facts: Readonly<Record<string, string>>;
}
export interface PageLink {
    /** Relative to the page, so that a path prefix of a proxy stays. */
    readonly href: string;
    readonly about: string;
}
export declare const contentSecurityPolicy: string;
export declare function pageHtml({ name, about, state, commands, links, document }: Page): Html;
export interface FrontPage extends Omit<Page, 'state'> {
    /** The state that `/readyz` of the same listener shows; metrics and numbers stay there. */
    readonly watched: Omit<WatchedService, 'metrics'>;
}
/** Comes after the check of the host name and before everything else. */
export declare function pageBefore(rest: Serve, page: FrontPage, serving: ServeRoutesDeps): Serve;

// http/parse-json.d.ts
/** Parses a JSON body of a request in slices: no body holds the event loop for longer than a slice takes. */
/**
 * Undefined for a text that is no JSON in UTF-8. The same for a large one whose members, or items of a list, are objects
 * or lists longer than a slice, or that has more than a hundred thousand values: no route of ours has such a body.
 */
export declare function parseJson(bytes: Uint8Array, { maxMembers }?: {
    readonly maxMembers?: number;
}): Promise<unknown>;

// http/port.d.ts
/** Opens a port for a server, or says in one line why it cannot be opened. */
import { type Server } from 'node:net';
export interface Port {
    readonly host: string;
    readonly port: number;
    /** The flag that chooses the port. */
    readonly portFlag?: string | undefined;
}
export declare function openPort(server: Server, where: Port): Promise<void>;
/** Throws `CannotStart` now, and not after a data directory was made, for a port that cannot be opened. */
export declare function refuseTakenPort(where: Port): Promise<void>;
/** A port that the system gives to nobody else for the next minute. Undefined where nothing can listen. */
export declare function freePort(host: string): Promise<number | undefined>;

// http/public-addresses.d.ts
/** Keeps requests to addresses of the public internet: a name that somebody else controls must not lead inside. */
import { type LookupAddress, type LookupOptions } from 'node:dns';
export declare function isPublicAddress(address: string): boolean;
type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void;
/** For an agent of `node:http`: a name with any other address cannot be reached. */
export declare function lookUpPublic(hostname: string, options: LookupOptions, found: Found): void;
/** A name is checked when it is looked up. */
export declare function isPrivateLiteral(hostname: string): boolean;
export {};

// http/reading-control.d.ts
/**
 * Leaves connections unread while the flow that they belong to has enough requests waiting. To read a request takes up to half
 * as long as to serve it, and one turn of the event loop reads all connections: two thousand with 32 requests each take seconds.
 */
import type { Duplex } from 'node:stream';
import type { Stopwatch } from '../machine/time.js';
import type { UnreadSockets } from './unread-sockets.js';
/** Which requests come before which. */
export type Lane = 'first' | 'usual' | 'limited';
export interface Reader {
    readonly socket: Duplex;
    readonly flow: {
        readonly key: string;
    };
    /** The lane of its last request that had to wait. */
    lane: Lane;
    /** Its requests that wait. */
    waiting: number;
}
export interface ReadingOptions {
    readonly stopwatch: Stopwatch;
    readonly unread: UnreadSockets;
    /** A small heap has no room for the usual bound. */
    readonly maxBytes?: number | undefined;
    /** Whether the body of a request is under way on a connection, which is read for it. */
    readonly isReceiving: (socket: Duplex) => boolean;
}
export interface ReadingControl {
    /** A connection that may be left unread; its flow is that of its address until a request belongs to another. */
    opened(socket: Duplex, flow: string): void;
    closed(socket: Duplex): void;
    /** Undefined for a connection that is always read. */
    readerOf(socket: Duplex): Reader | undefined;
    /** Whether one more request of a flow may wait; those of a connection that is always read have this bound alone. */
    hasPlace(flow: string, bytes: number): boolean;
    /** A request waits now; gives for how long it has waited unread, at most. */
    arrived(socket: Duplex, flow: string, bytes: number, now: number): number;
    /** A request waits no more; whether its body is still to be read. */
    left(socket: Duplex, flow: string, bytes: number, hasMore: boolean): void;
    /** A pipelined request is kept until the response before it is out. It counts for `hasPlace` alone. */
    kept(flow: string, bytes: number): void;
    freed(flow: string, bytes: number): void;
    /** The event loop has turned. */
    turned(): void;
}
export declare function readingControl({ stopwatch, unread, maxBytes: ownMaxBytes, isReceiving, }: ReadingOptions): ReadingControl;

// http/refusals.d.ts
/** Refusals that every service gives, before a request is routed or when its work fails. */
import { type IncomingMessage } from 'node:http';
import { type Refusal } from '@latchkey/protocol';
/** The refusal as bytes, for when there is no response object to send it with. */
export declare function rawAnswer(refusal: Refusal, requestId: string): Buffer;
/** Why the parser gave up. */
export declare function unreadableRefusal(error: Error, unknownMethod: Refusal): Refusal;
/** Requests that Node's parser accepts and the protocol does not. RFC 9112 §3.2 */
export declare function unservableRefusal(request: IncomingMessage, name: string): Refusal | undefined;
/** Orchestrators ask under whatever address they know, and the answer tells nothing but that the service is there. */
export declare function isHealthCheck({ method, url }: IncomingMessage): boolean;
export declare function misdirectedRequest(name: string): Refusal;
export declare function expectationRefusal(name: string): Refusal;
export declare function stoppingRefusal(name: string): Refusal;
export declare function overloadRefusal(name: string): Refusal;
/** Undefined for another error than of a database that does not answer now. */
export declare function unavailableRefusal(error: unknown, name: string): Refusal | undefined;
/** For the metrics: the client has gone. */
export declare function brokenOffRefusal(): Refusal;
/** The client learns that something broke; the log has the reason. */
export declare function internalError(name: string): Refusal;

// http/request-queue.d.ts
/** A queue for requests that arrive faster than they can be answered. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Stopwatch } from '../machine/time.js';
import type { Serve } from './call.js';
import { type ReadingControl } from './reading-control.js';
import { type UnreadSockets } from './unread-sockets.js';
export interface RequestQueue extends Pick<ReadingControl, 'opened' | 'closed' | 'hasPlace' | 'kept' | 'freed'> {
    flowOf(request: IncomingMessage): string;
    /** The memory that the head of a request takes. */
    bytesOf(request: IncomingMessage): number;
    /** Serves at once while there is time left in this turn of the event loop; the other requests wait for their turn. */
    through(serve: Serve): Serve;
    /** How many requests wait. */
    size(): number;
}
export interface QueueOptions {
    /** A request that has waited longer is refused: its client may not wait for the answer any more. */
    readonly maxWaitMs: number;
    /** The flow of a request: flows are served in turn. */
    readonly flowOf: (request: IncomingMessage) => string;
    /** Whether the request comes after all others, in the little time that is set aside for such requests. */
    readonly isLimited?: ((request: IncomingMessage) => boolean) | undefined;
    /** Whether the request comes before all others, in the time that such requests get in each turn of the event loop. */
    readonly goesFirst?: ((request: IncomingMessage) => boolean) | undefined;
    readonly refuse: (request: IncomingMessage, response: ServerResponse) => void;
    /** Called before and after requests are served that arrived at different times. */
    readonly onSlice: () => void;
    /** Whether the body of a request is under way on a connection. */
    readonly isReceiving?: ((socket: Duplex) => boolean) | undefined;
    readonly stopwatch?: Stopwatch;
    readonly unread?: UnreadSockets;
    /** How many bytes of heads may wait, where the heap has less room than usual. */
    readonly maxBytes?: number;
}
/**
 * Node reads and serves requests for as long as there are some, and looks at nothing else meanwhile. Under overload timers and
 * answers of the database come late or never, and each turn of the event loop accepts one new connection at most, so that
 * health checks are not heard. Here requests are read, and served in slices with a turn of the event loop after each.
 */
export declare function requestQueue({ maxWaitMs, flowOf, isLimited, goesFirst, refuse, onSlice, isReceiving, stopwatch, unread, maxBytes, }: QueueOptions): RequestQueue;

// http/response-end.d.ts
/** The end of a response: all of it has gone to the client, or the client has gone. */
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
/** An answer that waits behind another on its connection may not be told that the connection has closed. */
export declare function isOver({ closed, req }: ServerResponse): boolean;
export declare function whenOver(response: ServerResponse, act: () => void): void;
/** Acts once, and leaves no listener on the other. */
export declare function whenEitherCloses(one: EventEmitter, other: EventEmitter, act: () => void): void;
export declare function untilOver(response: ServerResponse): Promise<void>;
/** Ends a response that is given before its request has arrived whole, so that the client gets to read it. */
export declare function endAfterRequest(request: IncomingMessage, response: ServerResponse, body?: string | undefined): void;
/** Ends a connection so that nobody takes the part of a response that has gone for the whole. HTTP/1.0 takes a connection that is closed for the end of the answer, one that is reset for an error. */
export declare function resetConnection(socket: Socket): void;

// http/routes.d.ts
/** Finds the row of a table that serves a request, and serves it. Paths are compared raw: the table decodes nothing. */
import type { IncomingMessage } from 'node:http';
import { type Refusal } from '@latchkey/protocol';
import { Call, type CallOptions, type Serve } from './call.js';
import { type Html } from './html.js';
export interface RouteRow {
    /** GET serves HEAD too; ANY leaves the methods to the handler. */
    readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ANY';
    /**
     * `{name}` stands for one segment that is not empty, `{name...}` at the end for any number of them, also for none.
     * Where several paths match, the one that stands first in the table counts.
     */
    readonly path: string;
    /** Decides by the query: a row that it denies is skipped. */
    readonly when?: (target: string) => boolean;
    /** The sentence for a method that no row of this path has. */
    readonly wrongMethod?: (allow: string) => string;
}
export type RawValues = Readonly<Record<string, string>>;
/**
 * Reads what stands raw in place of a name; the segments of `{name...}` come with their slashes. Undefined: the path is
 * none of this row. A refusal counts only once the method fits. A name without a reader keeps its raw text.
 */
export type SegmentReaders<Values> = {
    readonly [Name in keyof Values]?: (raw: string) => Values[Name] | Refusal | undefined;
};
export interface FoundRoute<Row, Values> {
    readonly row: Row;
    /** Has the names in the path of the row, and no others. */
    readonly values: Values;
}
/** Gives undefined for a path without a row, and a refusal for a path without the method. */
export type FindRoute<Row, Values = RawValues> = (method: string, target: string) => FoundRoute<Row, Values> | Refusal | undefined;
export declare function routeTable<Row extends RouteRow, Values = RawValues>(rows: readonly Row[], readers?: SegmentReaders<Values>): FindRoute<Row, Values>;
export interface Route extends RouteRow {
    readonly handle: Handle;
    /** Sends the handler's refusals as plain JSON, whatever the client accepts. */
    readonly plainJson?: boolean;
}
/** The values are raw segments of the path, by the names that the route's path has for them. */
export type Handle = (call: Call, values: RawValues) => Reply | Refusal | Promise<Reply | Refusal>;
export interface Reply {
    /** 200 if not given. */
    readonly status?: number;
    /** `application/json` if not given, and never that of a page: a page is `Html`. */
    readonly contentType?: ContentType;
    /** `no-store` if not given. */
    readonly cacheControl?: string;
    /** Header lines beside those that every answer has, names and values in turn. */
    readonly headers?: readonly string[];
    readonly body: string | Uint8Array | Html;
}
export type ContentType = `application/${string}` | `text/plain${string}`;
export interface ServeRoutesDeps extends CallOptions {
    /** The answer to a target whose path has no route. */
    readonly notFound: (target: string) => Refusal;
    /** Header lines that go with every answer, names and values in turn. */
    readonly headersFor?: (request: IncomingMessage) => readonly string[];
}
export declare function serveRoutes(routes: readonly Route[], serving: ServeRoutesDeps): Serve;

// http/same-origin.d.ts
/** Whether a page of this hub made a request, or a page of another site had a browser make it. */
import type { IncomingMessage } from 'node:http';
/** For a form: a request of which nothing is known was sent by no browser, and is refused. */
export declare function isFromOwnPage(request: IncomingMessage, publicUrl: string): boolean;
/** For an answer with content: also a person who typed the address. */
export declare function isFromElsewhere({ headers }: IncomingMessage): boolean;

// http/unread-sockets.d.ts
/** Leaves sockets unread. What their clients send stays in the operating system, and costs the process no memory. */
import type { Duplex } from 'node:stream';
/** `flow`: others of its account or address wait. `order`: a request of its own waits behind another one. */
export type HoldReason = 'flow' | 'order';
export interface UnreadSockets {
    hold(socket: Duplex, reason: HoldReason): void;
    /** The socket is read again once no reason is left. */
    release(socket: Duplex, reason: HoldReason): void;
}
export declare function unreadSockets(): UnreadSockets;

// http/write-part.d.ts
/** Writes the body of a request or a response part by part. */
import type { OutgoingMessage } from 'node:http';
/** Settles when the part has left this process, so that its memory can be used again. */
export declare function writePart(message: OutgoingMessage, part: Uint8Array | string): Promise<void>;

// limits/cache.d.ts
/** A cache that takes memory as it fills. Once it is full, it forgets values that were not asked for lately. */
export interface CacheBound<Value, Key = string> {
    /** The sizes of all values never add up to more. */
    readonly most: number;
    /** Left out, every value counts as one. */
    readonly sizeOf?: (value: Value, key: Key) => number;
}
type NonNullish = NonNullable<unknown>;
/**
 * The clock algorithm, also called second chance. A hit is one look-up and moves nothing, unlike LRU. The hand goes over the
 * entries in the order of a Map: an entry that was asked for goes to the end, any other is removed.
 */
export declare class GrowingCache<Key, Value extends NonNullish> {
    #private;
    constructor({ most, sizeOf }: CacheBound<Value, Key>);
    get(key: Key): Value | undefined;
    /** A value that is larger than the whole cache is not kept, and neither is the one before it. */
    set(key: Key, value: Value): void;
    delete(key: Key): void;
    /** Looks at every key: for what happens seldom. */
    deleteWhere(isGone: (key: Key) => boolean): void;
    clear(): void;
}
export {};

// limits/each-of.d.ts
/**
 * Works on so many items at a time, and takes the next one only then. The first that fails ends it; those under way are waited
 * for, so that nothing is written afterwards.
 */
export declare function eachOf<Item>(items: Iterable<Item> | AsyncIterable<Item>, atOnce: number, work: (item: Item) => Promise<void>): Promise<void>;

// limits/rate-limiter.d.ts
/** Limits how often a key may ask, in one process or in all processes of a service together. */
import { type Refusal } from '@latchkey/protocol';
import type { Stopwatch } from '../machine/time.js';
export interface Limiter {
    /** Milliseconds until one more is allowed; counts nothing. */
    wait(key: string): number;
    /** The same, and counts one that need not wait; or so many, all of them or none. */
    take(key: string, count?: number): number;
}
/**
 * GCRA: one number per key, the moment at which its allowance would be whole again.
 * Moments are counted in parts of a millisecond so fine that one request is a whole number of them.
 * Where the limit is shared, what the other processes let through moves that moment too, also beyond the allowance: what
 * was let through too much, before the processes heard of each other, is waited for afterwards.
 */
export declare function limiter(perWindow: number, stopwatch: Stopwatch, shared?: SharedLimit, windowMs?: number): Limiter;
/** The refusal for whoever has to wait; undefined for whoever has not. */
export declare function tooMany(waitMs: number, what: string): Refusal | undefined;
export interface SharedCounts {
    /** A limit of requests per minute. Each process reports once how many requests it has admitted. */
    limit(name: string): SharedLimit;
}
export interface SharedLimit {
    /** Counts requests that this process has admitted. */
    took(key: string, count: number): void;
    /** Calls `act` with the requests that other processes have admitted. */
    onOthers(act: (key: string, count: number) => void): void;
}
/** The number of requests that one limit has admitted under a key. */
export type Count = readonly [name: string, key: string, count: number];
export interface ExchangedCounts extends SharedCounts {
    /** Gives the requests that this process has admitted since the last call. */
    takeOwn(): readonly Count[];
    /** Adds the requests that the other processes have admitted since the last call. */
    learn(counts: readonly Count[]): void;
}
/** Exchanges counts between the processes of one service, so that a limit holds for all of them together. */
export declare function exchangedCounts(): ExchangedCounts;

// limits/shares.d.ts
/** Bounds work that takes time, memory, disk or processes: each account has a share of it, and the queue is bounded. */
import v8 from 'node:v8';
import { type Refusal } from '@latchkey/protocol';
import { type QuotaOwner, type ShareLimits } from './usage.js';
export { anonymousOwner, isAnonymous, type QuotaOwner, type ShareLimits } from './usage.js';
export type Release = () => void;
export interface Shares {
    /**
     * Waits until the units are free; a request for more than a limit gets all of it. Rejects when the signal aborts,
     * refuses when too many requests wait, or when this one has waited too long.
     */
    take(payer: QuotaOwner, signal?: AbortSignal, units?: number): Promise<Release | Refusal>;
    /** Undefined where it would have to wait. */
    takeNow(payer: QuotaOwner): Release | undefined;
    /** Units in use. */
    held(): number;
    heldBy(account: string): number;
    /** Requests that wait. */
    waiting(): number;
}
export declare function shares(settings: ShareLimits): Shares;
/** Runs the work with a share, which is given back when the work ends. */
export declare function withShare<Result>(pending: Promise<Release | Refusal>, work: () => Promise<Result>): Promise<Result | Refusal>;
/** A shorter body never waits and is not counted. */
export declare const shortBodyBytes: number;
/**
 * In bytes as clients send them. A body takes up to five times as much memory while it is parsed, so all of them fit
 * into a third of the heap.
 */
export declare function bodiesWithinHeap({ heap_size_limit: heapBytes }?: Pick<v8.HeapInfo, 'heap_size_limit'>): ShareLimits;
/** Waits until so many bytes may be held. */
export type TakeRoom = (bytes: number) => Promise<Refusal | undefined>;
export interface HeldRoom {
    readonly take: TakeRoom;
    /** To be called when the request is over. */
    release(): void;
}
export interface RoomHolder {
    /** Asked when room is taken: the caller of a request is known only then. */
    payer(): QuotaOwner;
    /** Aborted when the client has gone. */
    signal(): AbortSignal;
}
/**
 * The share of one request: taken before its body is read, and held until its values are dropped.
 */
export declare function heldRoom(room: Shares, { payer, signal }: RoomHolder): HeldRoom;

// limits/slices.d.ts
/** Cuts long work into slices, so that other requests are served in between. */
/** For work that holds a lock, or has a thread of its own: unlike `nextSlice`, it waits for no other slice. */
export declare function yieldToEventLoop(signal?: AbortSignal): Promise<void>;
/** The same in a loop, after so many steps. Fewer are done in one go, so that a lock is held for as short as possible. */
export declare function yieldInLoop(index: number, steps?: number): Promise<void>;
/**
 * Resolves when the next slice may run: the process runs one at a time. Callers take turns: each waits for at most one
 * slice of every other caller. The event loop serves sockets and timers between two slices.
 */
export declare function nextSlice(): Promise<void>;
/** For work that asks often whether its slice is over. Undefined while it is not: then there is no turn to wait for. */
export declare function slicePauses(): () => Promise<void> | undefined;

// limits/turn-queue.d.ts
/** Queues that give each flow its turn, so that a flow with many items delays only itself. */
/** Takes one item of each flow in turn; the items of one flow stay in their order. Both operations take constant time. */
export declare class TurnQueue<Item> {
    #private;
    get size(): number;
    sizeOf(key: string): number;
    push(key: string, item: Item): void;
    take(): Item | undefined;
}
/**
 * Flows by their keys. Unused flows are deleted together, once there are many. A Map from which each was removed at once
 * would grow and shrink all the time, and leave a table behind each time.
 */
export declare class FlowTable<Flow> {
    #private;
    constructor(newFlow: (key: string) => Flow, isUnused: (flow: Flow) => boolean);
    get(key: string): Flow;
    find(key: string): Flow | undefined;
}
/** A list that gives its items back in their order. */
export declare class Fifo<Item> {
    #private;
    get size(): number;
    push(item: Item): void;
    shift(): Item | undefined;
    clear(): void;
}

// limits/turns.d.ts
/** Turns for work by key, and runs that several callers share. `shared` and `turns` of the protocol are their simple forms. */
export interface KeyedTurns<Key> {
    /** Runs the work when all earlier turns of the key are over. Keys do not wait for each other. */
    alone<Result>(key: Key, work: () => Promise<Result>): Promise<Result>;
    /** Waits for earlier turns that one has alone. The caller gives the turn back. */
    share(key: Key): Promise<() => void>;
    /** How many have a turn of the key or wait for one. */
    users(key: Key): number;
}
export declare function keyedTurns<Key>(): KeyedTurns<Key>;
/**
 * One run at a time, and one that is queued behind it. A run serves only callers that were there before it began, so what
 * it finds out is never older than the call.
 */
export declare function oneInFlight<Result>(run: () => Promise<Result>): () => Promise<Result>;

// limits/usage.d.ts
/** Counts what each account and repository holds, and knows whether more fits into the limits. */
/** The account or client that the work for a request is charged to. */
export interface QuotaOwner {
    /** The id of the account, or `anonymousPayer` of a client. Never a token: an account may have many. */
    readonly account: string;
    readonly repositoryUid?: string;
}
/** The account that stands for anonymous clients of one network. */
export declare function anonymousOwner(network: string): string;
export declare function isAnonymous({ account }: QuotaOwner): boolean;
/** In units: requests, processes or bytes. */
export interface ShareLimits {
    readonly max: number;
    readonly maxOfAccount?: number;
    readonly maxOfRepository?: number;
    readonly maxOfAccountInRepository?: number;
    /** The units of all anonymous clients together, so that accounts find the rest: half of `max` by default. */
    readonly maxOfAnonymous?: number;
    /** The last units of `max`. Only an account that holds none gets them, and an anonymous client half of them. */
    readonly reserved?: number;
    /** Requests that may wait; half of them may be anonymous. */
    readonly maxWaiting?: number;
    readonly maxWaitingOfAccount?: number;
    readonly maxWaitSeconds?: number;
}
export declare const usualLimits: Required<Omit<ShareLimits, 'max' | 'maxOfAnonymous'>>;
export interface Waiter {
    readonly payer: QuotaOwner;
    readonly units: number;
    /** Counts up. */
    arrival: number;
    end(outcome: WaitOutcome): void;
}
export type WaitOutcome = 'begun' | 'late' | 'displaced';
/** Whether a request fits into each kind of limit. */
export interface Room {
    ofAccount(waiter: Waiter): boolean;
    /** Whether it fits into the share of all anonymous clients. True for an account. */
    ofAnonymous(waiter: Waiter): boolean;
    ofRepository(waiter: Waiter): boolean;
    ofAll(waiter: Waiter): boolean;
    heldBy(account: string): number;
    take(waiter: Waiter): void;
}
export declare function halfOf(units: number): number;
export declare function usage(limits: Required<ShareLimits>): {
    room: Room;
    add: (payer: QuotaOwner, units: number) => void;
    held: () => number;
};
/** A uid has no space. */
export declare const pairKey: ({ account, repositoryUid }: QuotaOwner) => string;

// machine/child/keep-child.d.ts
/** Keeps a process running: starts it again when it has ended, later each time. */
import type { Timers } from '../time.js';
/** A process that this one has started. */
export interface OwnProcess<Started> {
    /** Settles once it serves; rejects when it ends before. */
    readonly started: Promise<Started>;
    /** Settles after its end, when its last line is out. */
    readonly ended: Promise<ChildExit>;
    /** Requests under way may finish; a process that takes longer than its deadline is killed. */
    stop(): void;
}
export interface ChildExit {
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
}
interface KeepProcessOptions<Started, Child> {
    /** Given what the first one said when it served, where there was one. */
    launch(first?: Started): Child;
    onEnded(ended: UnexpectedExit): void;
    readonly timers: Timers;
}
interface UnexpectedExit extends ChildExit {
    /** Why it did not start, where it did not. */
    readonly reason: string | undefined;
    readonly startsInMs: number;
}
interface SupervisedProcess<Started, Child> {
    /** The message of the first child when it began to serve. */
    readonly first: Started;
    /** Undefined while none serves. */
    serving(): Child | undefined;
    /** Settles when the process has ended; another way to end it may be given. */
    stop(end?: (child: Child) => void): Promise<void>;
}
/** Rejects when the first start fails; later ones are tried again for as long as it takes. */
export declare function keepProcess<Started, Child extends OwnProcess<Started>>({ launch, onEnded, timers, }: KeepProcessOptions<Started, Child>): Promise<SupervisedProcess<Started, Child>>;
export declare const firstDelayMs = 250;
export declare const maxDelayMs = 30000;
/** A process that ran for so long has not ended because of its start. */
export declare const steadyMs = 60000;
/** How long to wait before a process that ended is started again: gives the delays one after the other, each from how long the process ran before it ended. */
export declare function backoff(): (ranMs: number) => number;
export {};

// machine/child/launch-child.d.ts
/** Starts a process of ours, tells it its order, asks it, and sees to its end. */
import type { DrainedLines } from '../../observe/line-writer.js';
import type { OwnProcess } from './keep-child.js';
import { type ChildProtocol } from './messages.js';
interface ChildLaunch<Order, Question, Answer> {
    /** As a sentence names it: `the storage process`. */
    readonly name: string;
    /** The file that calls `serveParent`. */
    readonly entry: URL;
    readonly protocol: ChildProtocol<Order, Question, Answer>;
    readonly order: Order;
    /** How long an answer may take. */
    readonly answerMs: number;
    /** How long requests under way may take after `stop`. */
    readonly stopMs: number;
    /** Where the lines of its log go, and how they are read: undefined for one that is none of such a process. */
    readonly lines: Pick<DrainedLines, 'write' | 'drained'>;
    readonly readLine: (line: string) => string | undefined;
    /** Prints a line for the operator. */
    readonly print: (line: string) => void;
    /** More than 0 lets this process go first where both want the processor; what the child starts has it, too. */
    readonly niceness?: number | undefined;
}
/** It says its address once it serves. */
export interface LaunchedChild<Question, Answer> extends OwnProcess<string> {
    /** Undefined when it does not answer in time. */
    ask(question: Question): Promise<Answer | undefined>;
}
export declare function launchChild<Order, Question, Answer>(launch: ChildLaunch<Order, Question, Answer>): LaunchedChild<Question, Answer>;
type Environment = Readonly<Record<string, string | undefined>>;
/** The variables that Node and the system libraries need, and no secret. */
export declare function childEnvironment(environment: Environment): Record<string, string>;
export {};

// machine/child/messages.d.ts
/** Messages between a process and its child: plain data, checked on arrival. */
import type { Timers } from '../time.js';
type Check = (value: unknown) => boolean;
export declare const isText: Check;
export declare const isBoolean: Check;
export declare const isNumber: Check;
export declare function oneOf(...words: readonly string[]): Check;
export declare function listOf(check: Check): Check;
export declare function orNothing(check: Check): Check;
/** The names are those of the type, so that a member which is added there is checked here. */
type Members<Value> = {
    readonly [Name in keyof Required<Value>]: Check;
};
/** Whether a value has the members that it must have, and no others. */
export declare function shapeOf<Value>(members: Members<Value>): (value: unknown) => value is Value;
/** Each process of ours has one: everything else is said in the same way by all. */
export interface ChildProtocol<Order, Question, Answer> {
    /** The order as it crosses, secrets included. */
    writeOrder(order: Order): object;
    /** Undefined for anything that is no order. */
    readOrder(json: unknown): Order | undefined;
    isQuestion(value: unknown): value is Question;
    isAnswer(value: unknown): value is Answer;
}
type ToChild<Order, Question> = {
    readonly kind: 'start';
    readonly order: Order;
} | {
    readonly kind: 'stop';
} | {
    readonly kind: 'ask';
    readonly id: number;
    readonly question: Question;
};
export type FromChild<Answer> = 
/** It listens for messages; nothing is sent before. */
{
    readonly kind: 'here';
} | {
    readonly kind: 'started';
    readonly url: string;
} | {
    readonly kind: 'cannot-start';
    readonly line: string;
} | {
    readonly kind: 'answer';
    readonly id: number;
    readonly value: Answer;
};
type Of<Message, Kind> = Extract<Message, {
    readonly kind: Kind;
}>;
/** Undefined for anything that is no message to a child. */
export declare function readToChild<Order, Question>(protocol: Pick<ChildProtocol<Order, Question, unknown>, 'readOrder' | 'isQuestion'>, json: unknown): ToChild<Order, Question> | undefined;
/** Undefined for anything that is no message of a child. */
export declare function readFromChild<Answer>(protocol: Pick<ChildProtocol<unknown, unknown, Answer>, 'isAnswer'>, json: unknown): FromChild<Answer> | undefined;
interface Conversation<Question, Answer> {
    /** Undefined when no answer has come in time, and while too many questions have none. */
    ask(question: Question): Promise<Answer | undefined>;
    /** False for what a child of ours never says at this point. */
    isInTurn(message: FromChild<Answer>): boolean;
    /** The child has ended: no answer comes any more. */
    giveUp(): void;
}
interface ConversationOptions<Question> {
    readonly send: (message: Of<ToChild<never, Question>, 'ask'>) => void;
    readonly answerMs: number;
    readonly after: Timers['after'];
    /** Questions that the child has been sent and has not answered, also late ones. */
    readonly maxUnanswered?: number;
}
/**
 * Security boundary: everything that a child says makes its parent do something, and `here` makes it send the order. A
 * process that repeats itself would fill the parent's memory with orders that it does not read.
 */
export declare function conversation<Question, Answer>({ send, answerMs, after, maxUnanswered, }: ConversationOptions<Question>): Conversation<Question, Answer>;
export {};

// machine/child/serve-parent.d.ts
/** The child's side: does what its parent says, and ends when its parent has ended. */
import { type ChildProtocol } from './messages.js';
interface ChildWork<Order, Question, Answer, Running> {
    /** As a sentence names it: `the storage process`. */
    readonly name: string;
    readonly protocol: ChildProtocol<Order, Question, Answer>;
    start(order: Order): Promise<Running>;
    answer(running: Running, question: Question): Promise<Answer>;
    /** The exit code where it cannot go on. */
    readonly failureCode: number;
    /** Ends the process with a line for the operator. */
    leave(line: string): never;
}
interface RunningService {
    readonly url: string;
    stop(): Promise<void>;
}
/** `alone` is the line where no parent has started this process. */
export declare function serveParent<Order, Question, Answer, Running extends RunningService>(work: ChildWork<Order, Question, Answer, Running>, alone: string): void;
export {};

// machine/data-directory.d.ts
/** The directory that holds everything a service keeps, and the part of its disk that is reserved for it. */
interface DirectoryRules {
    /** Make it where there is none. */
    readonly create: boolean;
    /** The advice for the operator if there is none and this call must not create it. */
    readonly missing: string;
    /** Files by which a directory of ours is known. */
    readonly ownFiles: readonly string[];
}
/** Gives the directories that it has made, the outermost first. */
export declare function prepareDataDirectory(data: string, rules: DirectoryRules): readonly string[];
/** After a failed start. Another process may have begun to use one: only what is empty goes. */
export declare function removeEmpty(made: readonly string[]): void;
/** A user without an entry in the system's table has a number only. */
export declare function machineUser(): string;
export interface DiskReserve {
    /** Throws `ReserveReached` where no more than the reserve is free. */
    check(): Promise<void>;
    /** The same body, checked as it comes. */
    guard(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}
export declare const defaultReservedBytes: number;
/** How much room the disk of a folder has for this user. */
export declare function freeBytes(folder: string): Promise<number>;
/**
 * Refuses content before the disk is full, so that a hub can still write down what is revoked. `folder` is on the disk that
 * the directory is on.
 */
export declare function diskReserve(folder: string, reservedBytes: number): DiskReserve;
export {};

// machine/errors.d.ts
/** Errors that end in one line for an operator or a refusal for a client: a service that cannot start, a database that does not answer. */
/** Why a service cannot start or its data cannot be opened, in one line for the operator. */
export declare class CannotStart extends Error {
    readonly name = "CannotStart";
}
/** The database cannot be reached or does not answer. The message says why, in one line without secrets. */
export declare class DatabaseUnavailable extends Error {
    readonly name = "DatabaseUnavailable";
    /** The connection broke while a change was being committed: it may be in the database or not. */
    readonly mayHaveTakenEffect: boolean;
    constructor(reason: string, { mayHaveTakenEffect }?: {
        mayHaveTakenEffect?: boolean | undefined;
    });
}
/** Others hold the locks, or all connections, for too long. Nothing has happened; the caller can try again. */
export declare class DatabaseBusy extends Error {
    readonly name = "DatabaseBusy";
}

// machine/exclusive-lock.d.ts
/** A lock that one process holds at a time; it ends with the process, however that ends. */
export interface ExclusiveLock {
    release(): void;
}
/** Undefined while another process holds it. */
export declare function takeLock(path: string): ExclusiveLock | undefined;

// machine/files.d.ts
/** Files that must survive a loss of power, and secrets of 32 bytes in files of their own. */
import { type Secret, type SecretKind } from '@latchkey/protocol';
/** A file, or a folder with the names in it. */
export declare function syncPath(path: string): void;
/** The same, without a stop of the event loop. */
export declare function syncToDisk(path: string, flags?: 'r' | 'r+'): Promise<void>;
/** For its owner's eyes only. */
export declare function replaceFile(file: string, content: string | Uint8Array): Promise<void>;
export declare function isKeyFileThere(file: string): boolean;
/** `advice` ends the line about a file that holds something else. */
export declare function readKeyFile<Kind extends SecretKind>(kind: Kind, file: string, advice: string): Secret<Kind>;
/** For the owner of the folder. Linked into place only when whole: a crash leaves no half key, and of two makers one wins. */
export declare function makeKeyFile(file: string): void;
/** Puts another key in place of the one that is there, for the same owner: there is always a whole one. */
export declare function replaceKeyFile(file: string): void;

// machine/process-context.d.ts
/** The dependencies of a service on its machine; tests give their own. */
import type { Clock, OptionTypes } from '@latchkey/protocol';
import { type LineWriter } from '../observe/line-writer.js';
import type { Log } from '../observe/log.js';
import { type RandomBytes } from './random.js';
import { type Stopwatch } from './time.js';
export interface ProcessContext {
    readonly clock: Clock;
    readonly stopwatch: Stopwatch;
    readonly randomBytes: RandomBytes;
    /** Where log lines go; the service closes it when it stops. */
    readonly lines: LineWriter;
}
export declare const processContextTypes: OptionTypes<ProcessContext>;
export declare function processContextFrom(overrides: Partial<ProcessContext>): ProcessContext;
interface StopContext<Name extends string> {
    readonly log: Log<`${Name}_stopping` | `${Name}_stopped`>;
    /** Closed after the last line. */
    readonly lines: LineWriter;
    readonly settings: {
        readonly stopDeadlineSeconds: number;
    };
}
export declare function stopOnce<Name extends string>(name: Name, { log, lines, settings: { stopDeadlineSeconds: deadlineSeconds } }: StopContext<Name>, close: (deadlineSeconds: number) => Promise<void>): () => Promise<void>;
export {};

// machine/random.d.ts
import { type AnyId } from '@latchkey/protocol';
export type RandomBytes = (length: number) => Buffer;
/** Reads the system's randomness in large portions: one call costs as much as a hundred ids. */
export declare function pooledRandom(): RandomBytes;
/** Ids for a place that needs many of them: one costs a fraction of `newId`. */
export declare function idsFrom(randomBytes: RandomBytes): () => AnyId;
/** An id of the kind that the place for it wants; requests and storage tokens have such ids too. */
export declare function newId<Id extends AnyId>(randomBytes: RandomBytes): Id;

// machine/runtime.d.ts
/** The runtime that a program finds: workerd, or Node with sources or compiled files. */
/**
 * Whether the runtime keeps requests apart, as workerd does. There a question to the hub, a timer and a signal belong to the request that made them. They end with it, without a
 * word to others that wait for them, and must not be touched by another request: each request asks by itself.
 */
export declare const areRequestsApart: boolean;
/** The flags with which Node runs a source file, so that it finds the other packages' sources; none for a compiled file. */
export declare function flagsFor(file: string | URL): readonly string[];

// machine/seal.d.ts
/** Encrypts small texts with AES-256-GCM: for whoever has the key, and at the place alone that they were sealed for. */
import type { RandomBytes } from './random.js';
export interface SealKey {
    /** 32 bytes. */
    readonly key: Uint8Array;
    /** The place that the sealed bytes belong to. They do not contain it, so it must be known again to open them. */
    readonly boundTo?: string;
}
/** The nonce, then the hidden bytes, then the tag. */
export declare function seal(bytes: Uint8Array | string, { key, boundTo }: SealKey, random?: RandomBytes): Buffer;
/** Undefined for bytes that were not sealed so: with another key, for another place, or altered since. */
export declare function unseal(sealed: Uint8Array, { key, boundTo }: SealKey): Buffer | undefined;

// machine/time.d.ts
/** The clock of the system, time that only goes forward, and how much of it has passed. */
import { type Clock, type Moment } from '@latchkey/protocol';
/** For entry points; everything else is given the time. */
export declare const systemClock: Clock;
/** Milliseconds that only ever go forward. */
export type Stopwatch = () => number;
/** By both clocks: whatever happens to one of them. */
export type Now = () => Moment;
export declare function nowBy(clock: Clock, stopwatch: Stopwatch): Now;
/** The moment when so many seconds have passed, by one of the two. */
export declare function momentAfter({ steadyMs, wallMs }: Moment, seconds: number): Moment;
export declare function isPast(moment: Moment, now: Moment): boolean;
/** By the one of the two that went on further. A clock of whole seconds counts up to one that has not passed. */
export declare function secondsBetween(from: Moment, to: Moment): number;
/** Time as supervision needs it; tests move it by hand. */
export interface Timers {
    readonly stopwatch: Stopwatch;
    /** Acts once after so long; gives the function that calls it off. */
    after(ms: number, act: () => void): () => void;
}
/** These timers do not keep the process running. */
export declare const systemTimers: Timers;

// observe/gauges.d.ts
/** The gauges that a library shows in the metrics of the service that it is part of. */
export interface Gauges {
    /** A number that is looked up whenever the metrics are read. */
    gauge(name: string, help: string, read: () => number | Promise<number>): void;
    /** Numbers that stay, told apart by one label. */
    gauges(name: string, help: string, by: Readonly<Record<string, Readonly<Record<string, number>>>>): void;
}

// observe/line-writer.d.ts
/** Standard output as a place for log lines: written in portions, whole when the process leaves. */
import type { WriteLine } from './log.js';
export interface LineWriter {
    readonly write: WriteLine;
    /** Settles when every line is out, or when they could not be written for a while. */
    close(): Promise<void>;
}
/** Says when it can take more without holding it in memory. */
export interface DrainedLines extends LineWriter {
    /** Settles when every line so far is out or given up. */
    drained(): Promise<void>;
}
export declare function standardOutput(): DrainedLines;

// observe/log.d.ts
/** Structured log lines with a closed set of event names. */
export declare const logLevels: readonly ['debug', 'info', 'warn', 'error', 'silent'];
export type LogLevel = (typeof logLevels)[number];
export type EventLevel = Exclude<LogLevel, 'silent'>;
/** An event in the reference of log events. */
export interface EventText {
    /** One sentence for operators. */
    readonly about: string;
    /** The fields of a line, without `level`, `time` and `event`. */
    readonly fields: readonly string[];
}
/** The text of every event of a table of levels. */
export type EventTexts<Levels extends object> = Readonly<Record<keyof Levels, EventText>>;
type LogFields = Readonly<Record<string, unknown>>;
/** Fields that are text already, for lines that repeat them: JSON without the braces, and without secrets. */
export type LogMembers = string & {
    readonly brand: 'log-members';
};
export type Log<Event extends string> = (event: Event, fields: LogFields | LogMembers) => void;
export type WriteLine = (line: string) => void;
interface LogOptions<Event extends string> {
    /** Every event there is, and how loud it is. */
    readonly levelOf: Readonly<Record<Event, EventLevel>>;
    /** Events quieter than this are not written. */
    readonly level: LogLevel;
    readonly write: WriteLine;
    /** Fields that every line ends with, after its own. */
    readonly always?: LogMembers | undefined;
}
/** A line is one JSON object; written by hand, because every request waits for its own. */
export declare function createLog<Event extends string>(options: LogOptions<Event>): Log<Event>;
export declare function logMembers(fields: LogFields): LogMembers;
/** Parts of one line that were made apart. */
export declare function joinMembers(...parts: readonly LogMembers[]): LogMembers;
/** A value that a client chose, at a length that is logged; what is cut off must not leave half a secret behind. */
export declare function shorten(text: string): string;
export declare function failureOf(error: unknown): {
    error: string | undefined;
};
export {};

// observe/metrics.d.ts
import { Counter, type CounterConfiguration, Histogram, type HistogramConfiguration, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
export type MetricsKit = ReturnType<typeof metricsKit>;
/** The part of its metrics that a service shows. */
export type MetricsPage = Pick<MetricsKit, 'text' | 'contentType'>;
/** All metrics share one registry: a new one, or that of another service in the same process. */
export declare function metricsKit(registry?: Registry): {
    registry: Registry<"text/plain; version=0.0.4; charset=utf-8">;
    counter: <Label extends string>(counter: CounterConfiguration<Label>) => Counter<Label>;
    histogram: <Label extends string>(histogram: HistogramConfiguration<Label>) => Histogram<Label>;
    /** The same for measurements that every request waits for. */
    quickHistogram(options: HistogramOptions): Pick<LabelledHistogram, 'of'>;
    /** A number that is looked up whenever the metrics are read. */
    gauge(name: string, help: string, read: () => number | Promise<number>): void;
    /** Numbers that stay, told apart by one label. */
    gauges(name: string, help: string, by: Readonly<Record<string, Readonly<Record<string, number>>>>): void;
    text: () => Promise<string>;
    contentType: "text/plain; version=0.0.4; charset=utf-8";
};
/** The measurements of a process, in the form that another process receives. */
export type Measurements = readonly MetricObjectWithValues<MetricValue<string>>[];
/** Counters and histograms are summed; every gauge as it was registered: by default summed, too. */
export declare function summedText(parts: readonly Measurements[]): Promise<string>;
/** The counters of processes that have ended: a counter must never go back. */
export declare function summedCounters(parts: readonly Measurements[]): Promise<Measurements>;
interface HistogramOptions {
    readonly name: string;
    readonly help: string;
    /** Without one there is one series, which is there from the start. */
    readonly label?: string;
    /** Upper bounds, the lowest first. */
    readonly buckets: readonly number[];
}
interface LabelledHistogram {
    /** Takes the measurements under one value of the label. */
    of(value?: string): (measured: number) => void;
    /** In the form in which a registry of prom-client asks every metric. */
    readonly metric: {
        readonly name: string;
        get(): Promise<HistogramValues>;
    };
}
interface HistogramValues {
    readonly name: string;
    readonly help: string;
    readonly type: 'histogram';
    readonly aggregator: 'sum';
    readonly values: readonly HistogramValue[];
}
interface HistogramValue {
    readonly metricName: string;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
}
export {};

// postgres/ask.d.ts
/** One question to a server, with a deadline: a connection that does not answer is closed. */
import type { Client, QueryConfig, QueryResult } from 'pg';
/** One statement for reading, in one round trip outside of a transaction: names of tables need their schema. */
export interface NamedQuery {
    readonly name: string;
    readonly text: string;
    readonly values?: readonly unknown[];
}
export type QueryAnswer = QueryResult<Record<string, unknown>>;
/** Several statements in one text have several answers, which only the caller knows: see `askAll`. */
export declare function ask(client: Client, question: string | QueryConfig, deadlineMs: number): Promise<QueryAnswer>;
export declare function askAll(client: Client, question: string | QueryConfig, deadlineMs: number): Promise<readonly QueryAnswer[]>;

// postgres/connection-url.d.ts
/** The parts of a `postgres://` address, as libpq reads them. */
/** Parameters that have a meaning here; any other is refused, because ignoring it could be unsafe. */
export declare const urlParameters: readonly ['host', 'port', 'user', 'password', 'dbname', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'application_name', 'connect_timeout'];
export type UrlParameter = (typeof urlParameters)[number];
type UrlParts = Partial<Record<UrlParameter, string>>;
export declare function isPostgresUrl(text: string): boolean;
/** Whether the address holds a password, so that it must not be in the arguments of a process. */
export declare function carriesPassword(url: string): boolean;
/** The address for people to read. A password that was not encoded ends at the last @, so too much may be left out. */
export declare function withoutPassword(url: string): string;
/** A parameter after the question mark has precedence over the same part before it. */
export declare function splitUrl(url: string): UrlParts;
export {};

// postgres/connections.d.ts
/** A bounded number of connections to one server, each checked before its first use. */
import pg from 'pg';
import { type PostgresSettings } from './settings.js';
interface ConnectionsOptions {
    /** The caller takes no more than these at a time: for the driver's pool, waiting looks like a server that does not answer. */
    readonly most: number;
    readonly deadlineMs: number;
}
export interface Connections {
    take(): Promise<pg.PoolClient>;
    /** Known after the first connection. */
    isPooled(): boolean;
    /** Connections of before are closed instead of used. */
    renew(): void;
    close(): Promise<void>;
}
export declare function connections(settings: PostgresSettings, { most, deadlineMs }: ConnectionsOptions): Connections;
export {};

// postgres/explain-postgres.d.ts
/** Why PostgreSQL does not do its work, in one line for the operator: what happened and what to do. */
import { type PostgresSettings } from './settings.js';
export declare function explainPostgres(error: unknown, settings: PostgresSettings): string;

// postgres/index.d.ts
/** A PostgreSQL database for a service: its settings, its connections, reading, changing and migrating. */
export { DatabaseBusy, DatabaseUnavailable } from '../machine/errors.js';
export type { NamedQuery } from './ask.js';
export { carriesPassword, isPostgresUrl, withoutPassword } from './connection-url.js';
export { explainPostgres } from './explain-postgres.js';
export type { InspectedRights, RightsProblem } from './inspect-rights.js';
export { type FoundSchema, type InspectedSchema, type InspectedServer, inspectSchema, inspectServer, } from './inspect-schema.js';
export { type ListenOptions, listenPostgres, type NotificationListener, tryNotification, } from './listen-postgres.js';
export { type MigrationOptions, type MigrationResult, migratePostgres, pendingSql, } from './migrate-postgres.js';
export { type GuardedDatabase, openPostgres, type PostgresDatabase, type PostgresOptions, } from './open-postgres.js';
export type { ExpectedServer, ServerGuard } from './server-guard.js';
export { type PostgresEnvironment, type PostgresSettings, placeOf, readPostgresSettings, } from './settings.js';
export { type TlsMode, type TlsSettings, tlsModes } from './tls-settings.js';
export { reconnectWaitMs, waitUntilBack } from './wait-until-back.js';

// postgres/inspect-rights.d.ts
/** Inspects the rights of a connection's role on the tables of a schema, and beyond them. */
import type { NamedQuery } from './ask.js';
export interface InspectedRights {
    /** Quoted as SQL has it. */
    readonly role: string;
    /** There are no tables, and it may not make them. */
    readonly lacksTables: boolean;
    /** It may change and drop the tables, and so migrate them. */
    readonly ownsSchema: boolean;
    /** Such as `UPDATE on accounts`. Where `USAGE` is missing, it hides all tables and is named alone. */
    readonly missing: readonly MissingRight[];
    /** Such as `SUPERUSER`, or a role of PostgreSQL that reads everything. */
    readonly excessive: readonly string[];
}
interface MissingRight {
    readonly name: string;
    /** The object as GRANT names it. */
    readonly target: string;
}
/** The rights that a role needs beside those on the rows of its schema. */
export interface NeededRights {
    readonly schema: string;
    /** Functions of PostgreSQL, with the types of their arguments. */
    readonly functions?: readonly string[] | undefined;
}
/** A line for the operator, in a start and in `latchkey doctor`. */
export interface RightsProblem {
    readonly found: string;
    readonly todo: string;
}
export type Ask = <Row>(query: NamedQuery) => Promise<readonly Row[]>;
export declare function inspectRights(query: Ask, { schema, functions }: NeededRights): Promise<InspectedRights>;
/** Undefined where the role may do what a service does. */
export declare function rightsProblem({ role, missing, lacksTables }: InspectedRights, { schema }: NeededRights): RightsProblem | undefined;
export {};

// postgres/inspect-schema.d.ts
import type { Kysely } from 'kysely';
import { type InspectedRights, type RightsProblem } from './inspect-rights.js';
import type { MigratedSchema } from './migrate-postgres.js';
import { type PostgresDatabase } from './open-postgres.js';
import { type PostgresSettings } from './settings.js';
export interface InspectedSchema<Tables> {
    readonly schema: string;
    /** The server and database in words for people. */
    readonly place: string;
    /** The version that this program brings a schema to. */
    readonly newestVersion: number;
    isPooled(): boolean;
    server(): Promise<InspectedServer>;
    rights(): Promise<InspectedRights & {
        readonly problem: RightsProblem | undefined;
    }>;
    found(): Promise<FoundSchema>;
    /** Reads a schema of the newest version, also on a replica. */
    read<Result>(work: (tables: Kysely<Tables>) => Promise<Result>): Promise<Result>;
    /** Errors are thrown as `CannotStart`, with the line for the operator. */
    ask<Result>(work: (database: PostgresDatabase<Tables>) => Promise<Result>): Promise<Result>;
    close(): Promise<void>;
}
export interface FoundSchema {
    /** Undefined where nothing says which version it has. */
    readonly version: number | undefined;
    /** False where the role lacks a right. */
    readonly isReadable: boolean;
    readonly tables: readonly string[];
    /** The object identifier of each table: a dump that was put back has others. */
    readonly oids: ReadonlyMap<string, string>;
    /** Tables that a schema of this program's version has, and this one lacks. */
    readonly missingTables: readonly string[];
}
interface InspectOptions extends MigratedSchema {
    /** That the role may call: as `NeededRights` has them. */
    readonly functions?: readonly string[];
    readonly settings: PostgresSettings;
}
/** Throws `CannotStart` where the server cannot be reached or used. */
export declare function inspectSchema<Tables>({ settings, schema, migrations, functions, }: InspectOptions): Promise<InspectedSchema<Tables>>;
export interface InspectedServer {
    /** As the server writes it: `15.8 (Debian …)`. */
    readonly version: string;
    readonly isReplica: 0 | 1;
    /** The role of the connection, quoted for SQL. */
    readonly role: string;
    readonly fsync: string;
    readonly fullPageWrites: string;
    /** The server's own setting; transactions of ours ask for `on`. */
    readonly synchronousCommit: string;
    /** The setting of the connection: a hub turns it off by itself, except behind a pooler. */
    readonly jit: string;
    /** Empty where no commit waits for a standby. */
    readonly synchronousStandbys: string;
    /** Connected now. */
    readonly replicas: number;
    /** By the clock of the server, in milliseconds since 1970. */
    readonly nowMs: number;
    /** Null where the role may not call the function that tells it. */
    readonly systemIdentifier: string | null;
    /** Null for a replica, and where the role may not ask. */
    readonly timeline: string | null;
}
export declare function inspectServer({ query, }: Pick<PostgresDatabase<unknown>, 'query'>): Promise<InspectedServer>;
export {};

// postgres/listen-postgres.d.ts
/** Hears the notifications of one channel, on a connection of its own that is made again whenever it breaks. */
import type { PostgresDatabase } from './open-postgres.js';
import type { PostgresSettings } from './settings.js';
export interface ListenOptions {
    readonly settings: PostgresSettings;
    readonly channel: string;
    readonly onNotify: (payload: string) => void;
    /** From here on every notification is heard; those before may have been missed. */
    readonly onUp?: () => void;
    /** Told once until it is up again, with the reason in one line. */
    readonly onDown?: (reason: string) => void;
    /** A half-open connection looks like silence, so the server is asked this often. */
    readonly checkEveryMs?: number;
    readonly deadlineMs?: number;
}
export interface NotificationListener {
    close(): Promise<void>;
}
export declare function listenPostgres(options: ListenOptions): NotificationListener;
/** Undefined where it was heard; otherwise why not, in one line. */
export declare function tryNotification({ query }: Pick<PostgresDatabase<unknown>, 'query'>, settings: PostgresSettings, patienceMs?: number): Promise<string | undefined>;

// postgres/migrate-postgres.d.ts
/** Brings a schema of PostgreSQL to this program's version, once, however many processes try. */
import type { PoolClient } from 'pg';
import { type PostgresSettings } from './settings.js';
export interface MigrationOptions extends MigratedSchema {
    readonly settings: PostgresSettings;
    /** How long to wait for another process that migrates. */
    readonly turnTimeoutMs?: number;
    /** How long a step waits for a table: readers wait behind it. */
    readonly lockTimeoutMs?: number;
    /** The advice for the operator if there is no schema and this call must not create it. */
    readonly missing?: string | undefined;
    /** The command for the role that owns the tables, if another one may not change them. */
    readonly command?: string;
}
export interface MigrationResult {
    readonly from: number;
    readonly to: number;
}
/** One transaction for all steps: what is killed or fails leaves the version that was there. */
export declare function migratePostgres(options: MigrationOptions): Promise<MigrationResult>;
/** On a connection that the caller closes where this fails: a transaction may be open on it. */
export declare function migrateOn(client: PoolClient, options: MigrationOptions): Promise<MigrationResult>;
/**
 * The SQL that `migratePostgres` would run now; empty if the schema is current. Changes nothing.
 */
export declare function pendingSql(options: MigrationOptions): Promise<string>;
export interface MigratedSchema {
    readonly schema: string;
    /** Migration n brings the schema from version n to n + 1. */
    readonly migrations: readonly string[];
}
export declare function schemaName(name: string): string;

// postgres/one-client-dialect.d.ts
/** Kysely on top of one connection, in whose transaction every query runs. */
import { Kysely } from 'kysely';
import { type QueryAnswer } from './ask.js';
import type { Connections } from './connections.js';
import { type NeededRights } from './inspect-rights.js';
import { type MigrationOptions } from './migrate-postgres.js';
import { type PostgresSettings } from './settings.js';
type Execute = (text: string, values: readonly unknown[]) => Promise<QueryAnswer>;
export declare function tablesOn<Schema>(execute: Execute): Kysely<Schema>;
export type SchemaToMigrate = Omit<MigrationOptions, 'settings'> & Pick<NeededRights, 'functions'>;
interface Preparation {
    readonly settings: PostgresSettings;
    readonly migrated?: SchemaToMigrate;
}
/** Closes the connections and throws `CannotStart` where the server cannot be used. */
export declare function prepareServer(pool: Connections, { settings, migrated }: Preparation): Promise<void>;
export {};

// postgres/open-postgres.d.ts
/** A PostgreSQL database for a service: reads from one snapshot, changes that happen whole or not at all. */
import { type WriterQueue } from '../database/writer-queue.js';
import { type NamedQuery } from './ask.js';
import { type SchemaToMigrate } from './one-client-dialect.js';
import { type ServerGuard } from './server-guard.js';
import type { PostgresSettings } from './settings.js';
export interface PostgresOptions {
    readonly settings: PostgresSettings;
    /** Where unqualified names of tables are looked up. */
    readonly schema: string;
    /** Brought to this program's version first, by the connection that is then used. Its role must have all rights. */
    readonly migrated?: SchemaToMigrate;
    readonly connections?: number;
    /** How many changes this process makes at the same time. */
    readonly changesAtOnce?: number;
    /** Reads never take this number of connections: however slow they are, a change goes through. */
    readonly keptForChanges?: number;
    /** Below the statement's, which would otherwise hide that it was a lock. */
    readonly lockTimeoutMs?: number;
    readonly statementTimeoutMs?: number;
    /** After this the connection is closed, because the server itself would have given up before. */
    readonly deadlineMs?: number;
    /** How long a change is repeated while others are in its way. */
    readonly busyWaitMs?: number;
    /** Refuse a replica also for reading; true unless told otherwise. */
    readonly primaryOnly?: boolean;
    /** How long work waits for a server that cannot be reached before it fails; 0 to fail at once. */
    readonly reconnectWaitMs?: number;
}
export interface PostgresDatabase<Schema> extends WriterQueue<Schema> {
    query<Row>(query: NamedQuery): Promise<readonly Row[]>;
    /** A pooler such as pgbouncer stands before the server: LISTEN needs another address. */
    isPooled(): boolean;
    /** The same connections. Every transaction and statement compares the server before its result is used. */
    guardedBy(guard: ServerGuard): GuardedDatabase<Schema>;
    /** Connections of before are not used any more: they may lead to a server whose place another one has taken. */
    renew(): void;
    close(): Promise<void>;
}
export type GuardedDatabase<Schema> = Pick<PostgresDatabase<Schema>, 'read' | 'change' | 'query'>;
/** Throws `CannotStart` where the server cannot be used. */
export declare function openPostgres<Schema>(options: PostgresOptions): Promise<PostgresDatabase<Schema>>;

// postgres/server-guard.d.ts
/** Compares the server inside every transaction: after a failover the same address leads to another one, which may lack changes. */
export interface ServerGuard {
    /** The server that is expected now. Throws `DatabaseUnavailable` where no server has been met, or not lately enough. */
    expect(): ExpectedServer;
    /** Meets the server that answers now; false where none can be used. */
    meet(): Promise<boolean>;
}
export interface ExpectedServer {
    /** A SELECT of one row that names the server, and whether it is a replica: the first statement of each transaction. */
    readonly question: string;
    /** Judges a row of `question`, or the first row of a statement that has its columns too. */
    isServer(row: Readonly<Record<string, unknown>> | undefined): boolean;
}
export declare const serverMismatch = "it is a replica, another server, or older than this process has seen it. The hub compares it before it answers.";

// postgres/settings.d.ts
/** How a PostgreSQL server is reached: from an address and the environment, as libpq reads both. */
import { type OptionTypes, Secret } from '@latchkey/protocol';
import { type UrlParameter } from './connection-url.js';
import { type TlsSettings } from './tls-settings.js';
export interface PostgresSettings {
    /** A name, an address, or the folder of a Unix socket. */
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
    readonly password: Secret<'database-password'> | undefined;
    readonly tls: TlsSettings;
    readonly applicationName: string;
    readonly connectTimeoutMs: number;
}
/** In a file without a driver: hubs on SQLite read it too. */
export declare const postgresTypes: OptionTypes<PostgresSettings>;
export interface PostgresEnvironment {
    readonly environment?: Readonly<Record<string, string | undefined>>;
    readonly home?: string;
}
/** Where Debian and most other systems have the socket of their server. */
export declare const usualSocketFolder = "/var/run/postgresql";
/** As libpq calls them. */
export declare const variables: Readonly<Record<UrlParameter, string>>;
/** The address has precedence over the environment. A mistake is thrown as `CannotStart`, without the password. */
export declare function readPostgresSettings(url: string, { environment, home }?: PostgresEnvironment): PostgresSettings;
/** The server and database in words for people. */
export declare function placeOf({ host, port, user, database }: PostgresSettings): string;
/**
 * An address that needs no environment, for a process or thread that has another one. Holds the password, if there is one
 * beside the address.
 */
export declare function completeUrl(url: string, { environment }?: Pick<PostgresEnvironment, 'environment'>): string;

// postgres/tls-settings.d.ts
/** When a connection is encrypted and whose certificate is believed: libpq's `sslmode`. */
import type { ConnectionOptions } from 'node:tls';
import type { OptionTypes } from '@latchkey/protocol';
export declare const tlsModes: readonly ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
export type TlsMode = (typeof tlsModes)[number];
/** Data alone, so that another process can be given them. */
export interface TlsSettings {
    readonly mode: TlsMode;
    /** For the attempts that are encrypted. */
    readonly options: TlsOptions;
}
interface TlsOptions {
    readonly rejectUnauthorized?: boolean;
    /** The certificate may be for another host name. */
    readonly anyName?: boolean;
    readonly ca?: string | readonly string[];
    readonly crl?: string;
    readonly cert?: string;
    readonly key?: string;
}
export declare const tlsTypes: OptionTypes<TlsSettings>;
/** In the words of Node. */
export declare function connectionOptions({ options }: TlsSettings): ConnectionOptions;
type Find = (name: 'sslmode' | 'sslrootcert' | 'sslcert' | 'sslkey') => string | undefined;
export declare function readTls(find: Find, { host, home }: {
    readonly host: string;
    readonly home: string;
}): TlsSettings;
export {};

// postgres/wait-until-back.d.ts
/** Work that failed because the database was unavailable waits for it and is tried again: most restarts are short. */
/** A client waits this much longer for its response, and no longer. */
export declare const reconnectWaitMs = 1500;
interface WaitOptions {
    /** Whether the database can be used again. However many wait, it is asked once at a time. */
    readonly isBack: () => Promise<boolean>;
    readonly maxWaitMs?: number;
    readonly pauseMs?: number;
}
/** Gives a promise only where the work gives one or has to wait. */
type WaitUntilBack = <Result>(work: () => Result | Promise<Result>) => Result | Promise<Result>;
/** A change that may have taken effect is not repeated. */
export declare function waitUntilBack(options: WaitOptions): WaitUntilBack;
export {};

// text/index.d.ts
/** Text made safe for a terminal: what could move the cursor or reorder the line is written out. */
export declare function escapeText(text: string): string;
/** A value somebody gave, as an error line may repeat it: quoted, short, without passwords in URLs. */
export declare function quoteGiven(value: unknown): string;
export declare function shellWord(text: string): string;
/** As a person would type it: quoted only where a shell would read it otherwise. */
export declare function typedWord(text: string): string;
