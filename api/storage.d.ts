// What storage declares, written by `npm run api`.
// . is index.d.ts
// ./bounds is bounds/index.d.ts
// ./log-events is operations/log-events.d.ts
// ./root-key is blob-url/root-key-file.d.ts
// ./upkeep is upkeep/index.d.ts
// ./backup is backup/index.d.ts
// ./checks is checks/index.d.ts

// backup/carry-objects.d.ts
/** The objects that a catalogue names, carried from one folder to another. */
export interface CarriedObjects {
    readonly count: number;
    readonly bytes: number;
    /** The digests of objects that the catalogue names and the folder does not have. */
    readonly missing: readonly string[];
}
interface ObjectCarriage {
    readonly catalogue: string;
    /** Data directories, or a backup: their objects lie in a folder of the same name. */
    readonly from: string;
    readonly to: string;
    carry(from: string, to: string): void;
    onProgress(count: number, bytes: number): void;
}
/** After a kill, garbage collection deletes a draft of this name. */
export declare function copyObject(from: string, to: string): void;
/** An object that an earlier attempt has carried stays. */
export declare function carryObjects({ catalogue, from, to, carry, onProgress, }: ObjectCarriage): Promise<CarriedObjects>;
export {};

// backup/content-backup.d.ts
/** The content of a storage in the folder of a backup, which is laid out as a data directory is. */
import { type RestoredFile } from '@latchkey/service/backup/database-file';
import type { CatalogSettings } from '../catalog-place/open-catalog.js';
import { type CarriedObjects } from './carry-objects.js';
type OnProgress = (count: number, bytes: number) => void;
/** As a file, whatever its database, while others write. False where no storage has run here. */
export declare function backUpCatalogue({ data, database }: CatalogSettings, folder: string): Promise<boolean>;
/** The objects that the catalogue of the backup names. */
export declare function backUpObjects(data: string, folder: string, onProgress: OnProgress): Promise<CarriedObjects>;
/** The name of the file; undefined where the backup has no content. */
export declare function catalogueIn(folder: string): string | undefined;
/** Before anything is written: this program cannot open the backup of a newer one. */
export declare function refuseNewerCatalogue(folder: string): void;
/** The name of the catalogue, and its name until the restore has copied all of its objects. */
export declare function restoredCatalogue(data: string): RestoredFile;
/** Copies, not links: damage, another owner or another mode on one side must not reach the other. */
export declare function restoreContent(folder: string, data: string, onProgress: OnProgress): Promise<CarriedObjects>;
export {};

// backup/heard-number.d.ts
/** The highest number of the hub's journal that a catalogue has heard of. */
import type { CatalogSettings } from '../catalog-place/open-catalog.js';
/** A hub that is restored gives no number a second time. */
export declare function heardNumber({ data, database }: CatalogSettings): Promise<number>;

// backup/index.d.ts
/** A storage's part of a backup: what to copy, and how it comes back. */
export type { CarriedObjects } from './carry-objects.js';
export { backUpCatalogue, backUpObjects, catalogueIn, refuseNewerCatalogue, restoreContent, restoredCatalogue, } from './content-backup.js';
export { heardNumber } from './heard-number.js';

// blob-url/root-key-file.d.ts
/** Where the root of all keys of blob URLs lies, for the programs that make, replace or look for it. */
/** Of a storage that runs alone. */
export declare const rootKeyName = "blob-url-key";
/** Of the storage that `latchkey serve` runs: by the name it shows that the data directory is a hub's. */
export declare const embeddedRootKeyName = "embedded-blob-url-key";
/** How long after a replacement a running storage may still accept URLs of the old root. */
export declare const noticeMs = 2000;

// bounds/index.d.ts
/** The bounds that an operator gets without asking; loads nothing of the storage. */
export { defaultShardCaps, type ShardCaps } from './shard-caps.js';

// bounds/shard-caps.d.ts
/** How much one shard may hold, unless the operator says otherwise. */
/** A shard's rows are written in one transaction, and every other writer waits for it. */
export interface ShardCaps {
    /** One that comes twice counts twice. */
    readonly files: number;
    /** Distinct ones that its files name or it lists, and also all that it lists. */
    readonly xorbs: number;
    /** Of all files together. */
    readonly terms: number;
    /** That the terms of all files cover, each time they do. */
    readonly chunks: number;
}
export declare const defaultShardCaps: ShardCaps;

// catalog-place/copy-catalog.d.ts
/** Copies the rows of a catalogue into another database. The content stays where it is. */
import type { Secret } from '@latchkey/protocol';
import { type CopiedBetween, type OnCopyProgress } from '@latchkey/service/copy/copy-between';
import type { PostgresSettings } from '@latchkey/service/postgres';
/** A file, or how a PostgreSQL is reached. */
export type CatalogSide = string | PostgresSettings;
export interface CatalogCopy {
    readonly from: CatalogSide;
    readonly to: CatalogSide;
    readonly onProgress?: OnCopyProgress;
}
export type CopiedCatalog = Omit<CopiedBetween, 'head'>;
export declare function copyCatalog({ from, to, onProgress }: CatalogCopy): Promise<CopiedCatalog>;
/** As a file, of one moment, while the storage runs: any machine can restore it, whatever its PostgreSQL. */
export declare function backUpCatalog(database: Secret<'database-url'>, file: string): Promise<void>;

// catalog-place/inspect-catalog.d.ts
/** The catalogue in PostgreSQL for commands that look and change nothing: the driver is loaded when one is asked for. */
import type { Secret } from '@latchkey/protocol';
import type { InspectedPostgresCatalog } from '../catalog/postgres/inspect-catalog.js';
export declare function inspectCatalogIn(database: Secret<'database-url'>): Promise<InspectedPostgresCatalog>;

// catalog-place/migrate-catalog.d.ts
/** Brings the catalogue to this program's version, or says what that would do. */
import type { MigrationResult } from '@latchkey/service/postgres';
import { type CatalogSettings } from './open-catalog.js';
/** The schema, or the file. */
export declare function catalogName({ data, database }: CatalogSettings): string;
/** A file must be there; the tables of a PostgreSQL are made where there are none. */
export declare function migrateCatalog({ data, database, }: CatalogSettings): Promise<MigrationResult>;
/** The SQL that `migrateCatalog` would run; empty where there is nothing to do. Changes nothing. */
export declare function pendingCatalogMigrations({ data, database, }: CatalogSettings): Promise<string>;

// catalog-place/open-catalog.d.ts
/** Opens the catalogue where the operator has it: in a file of the data directory, or in PostgreSQL. */
import type { Secret } from '@latchkey/protocol';
import type { PostgresSettings } from '@latchkey/service/postgres';
import { type CatalogDatabase, type ReadingDatabase } from '../catalog/catalog-database.js';
export interface CatalogSettings {
    /** The data directory of the storage. */
    readonly data: string;
    /** Complete, whatever the environment says. Left out: a file in the data directory. */
    readonly database?: Secret<'database-url'> | undefined;
}
/** For a storage that serves; made where it is missing. */
export declare function openOwnCatalog({ data, database, }: CatalogSettings): Promise<CatalogDatabase>;
/** For a command; it must be there. */
export declare function openCatalogOf({ data, database }: CatalogSettings): Promise<CatalogDatabase>;
/** The same as data that can be copied to a thread. */
export interface CatalogPlace {
    readonly data: string;
    readonly databaseUrl?: string;
}
export declare function placeOf({ data, database }: CatalogSettings): CatalogPlace;
/** For a thread that only looks things up; it must be there. */
export declare function openReader({ data, databaseUrl }: CatalogPlace): ReadingDatabase;
export declare function settingsOf(database: Secret<'database-url'>): Promise<PostgresSettings>;

// catalog/catalog-database.d.ts
/** The storage's own database: one connection that writes, one that answers requests. */
import type { Refusal, RepositoryUid } from '@latchkey/protocol';
import { type LinkState } from './link-state.js';
import type { StorageTables } from './schema.js';
import type { InTurn } from './turns.js';
export interface CatalogDatabase extends ReadingDatabase {
    /** One transaction; a refusal or an exception rolls it back. Throws `DiskFull` when there is no room. */
    change<Result>(work: (tables: StorageTables) => Promise<Result | Refusal>): Promise<Result | Refusal>;
    /** Whether a change keeps every other one waiting, of other processes too. */
    readonly isAlone: boolean;
    /** Changes of one repository by this process wait for each other here, where they take up no connection. */
    readonly inTurn: InTurn<RepositoryUid>;
}
export interface ReadingDatabase {
    /** What is committed; waits for no writer. */
    read<Result>(work: (tables: StorageTables) => Promise<Result>): Promise<Result>;
    close(): Promise<void>;
}
/** Below the data directory of the storage. */
export declare function catalogFile(data: string): string;
/** Whether a storage has run on this data directory. */
export declare function hasCatalog(data: string): boolean;
/** The name of the catalogue until a restore has copied all of its objects. */
export declare function restoringCatalogFile(data: string): string;
/** A catalogue that this program can open, or bring to its own version. Nothing is written. */
export declare function refuseNewerCatalog(file: string): void;
/** The catalogue for somebody who looks after it, and changes nothing. */
export interface InspectedCatalog {
    readonly version: number;
    /** The version that this program brings a catalogue to. */
    readonly newestVersion: number;
    damage(): string | undefined;
    /** Of a catalogue of the newest version. */
    linkState(): Promise<LinkState>;
    close(): void;
}
export declare function inspectCatalog(data: string): InspectedCatalog;
export interface OpenCatalogOptions {
    readonly busyTimeoutMs?: number;
}
export declare function openCatalog(data: string, options?: OpenCatalogOptions): CatalogDatabase;
/** For a thread that only looks things up; the file must be there. */
export declare function openCatalogForReading(data: string): ReadingDatabase;
/** There is one error for a disk that is full, whoever finds it so. */
export declare function unlessFull<Result>(work: () => Promise<Result>): Promise<Result>;

// catalog/catalog.d.ts
/** Which content belongs to which repository and ref: the port that a database implements. */
import type { JournalNumber, RefUid, Refusal, RepositoryUid } from '@latchkey/protocol';
import type { Hash } from '@latchkey/xet/format';
import type { Digest } from '../objects/object-store.js';
import type { Sha256 } from './sha256.js';
import type { Terms } from './terms.js';
/** What a token may look at: refs of one repository, each up to a moment; its own comes first and has none. */
export interface View {
    readonly repositoryUid: RepositoryUid;
    /** Undefined: every ref of the repository, whenever it was written. */
    readonly refs: readonly Seen[] | undefined;
}
export interface Seen {
    readonly uid: RefUid;
    /** Only rows with a lower stamp; undefined: all of them. */
    readonly before: JournalNumber | undefined;
}
/** A ref of a repository. */
export interface Place {
    readonly repositoryUid: RepositoryUid;
    readonly refUid: RefUid;
}
/** Where a token writes, for as long as it may. */
export interface WritablePlace extends Place {
    /** The refusal, if the token was taken back meanwhile. Asked in the transaction that writes. */
    refuseIfRevoked(): Refusal | undefined;
    /** The part of the repository's quota that this ref alone may hold; undefined: all of it. */
    readonly quotaPart?: number | undefined;
}
export interface Xorb {
    readonly hash: Hash;
    readonly digest: Digest;
    readonly packedBytes: number;
    readonly unpackedBytes: number;
    readonly chunks: number;
}
/** A xorb as one ref has it. */
export interface OwnedXorb extends Xorb {
    readonly refUid: RefUid;
}
export interface StoredFile {
    readonly hash: Hash;
    readonly bytes: number;
    readonly terms: Terms;
    /** Clients ask for it, to learn what they need not send; undefined for a file without chunks. */
    readonly firstChunk?: Hash | undefined;
    /** Computed from the stored bytes; undefined until then, whatever a client says. */
    readonly sha256?: Sha256 | undefined;
}
/** A file as one ref has it; every xorb it is made of belongs to that ref too. */
export interface OwnedFile extends StoredFile {
    readonly refUid: RefUid;
}
/** One ref's row of a file. */
export interface FileOfRef {
    readonly refUid: RefUid;
    readonly hash: Hash;
}
/** What the bytes of a file were found to be. */
export interface HashedFile extends FileOfRef {
    readonly sha256: Sha256;
}
/** A chunk that clients may ask for, and the xorb that holds it. */
export interface IndexedChunk {
    readonly hash: Hash;
    readonly xorb: Hash;
}
/** Looks content up; threads have one of their own. */
export interface CatalogReader {
    findXorb(view: View, hash: Hash): Promise<OwnedXorb | undefined>;
    /** Those of `hashes` that are in view. */
    findXorbs(view: View, hashes: readonly Hash[]): Promise<ReadonlyMap<Hash, OwnedXorb>>;
    /** The xorbs that a found file is made of, from the ref it was found in. */
    xorbsOf(file: Pick<OwnedFile, 'refUid'>, hashes: readonly Hash[]): Promise<ReadonlyMap<Hash, OwnedXorb>>;
    findFile(view: View, hash: Hash): Promise<OwnedFile | undefined>;
    findChunk(view: View, hash: Hash): Promise<OwnedXorb | undefined>;
    /** The newest file in view that begins with the chunk, of the view's first ref first. */
    findFileFrom(view: View, firstChunk: Hash): Promise<OwnedFile | undefined>;
    /** A file in view that is so long and was found to have this SHA-256. */
    findSha256(view: View, sha256: Sha256, bytes: number): Promise<Hash | undefined>;
    /** Those of `hashes` whose SHA-256 a row in view has. */
    findSha256s(view: View, hashes: readonly Hash[]): Promise<ReadonlyMap<Hash, Sha256>>;
    /** The first files in view that are so long and whose SHA-256 is not known. */
    findUnhashed(view: View, bytes: number, most: number): Promise<readonly FileOfRef[]>;
}
export interface Catalog extends CatalogReader {
    /**
     * Gives a xorb to a ref, in one transaction with `keep`, which gives the object its name: collection cannot come
     * between. False when the ref had it already. The chunks are those that clients may ask for.
     */
    addXorb(place: WritablePlace, xorb: Xorb, chunks: readonly Hash[], keep: () => Promise<void>): Promise<boolean | Refusal>;
    /**
     * Gives files to a ref, with the xorbs they are made of, as `found` had them: each must still be there. False when
     * the ref had all of them already; the first reconstruction of a file stays.
     */
    addFiles(place: WritablePlace, registration: Registration): Promise<boolean | Refusal>;
    /** Writes down what was computed; rows that are gone stay gone. */
    noteSha256s(repositoryUid: RepositoryUid, files: readonly HashedFile[]): Promise<void>;
}
export interface Registration {
    readonly files: readonly StoredFile[];
    readonly xorbs: readonly OwnedXorb[];
    readonly chunks: readonly IndexedChunk[];
}

// catalog/link-state.d.ts
/** How far the storage has followed the hub's journal: two numbers that only rise. */
import { type JournalNumber, type UnixSeconds } from '@latchkey/protocol';
import type { StorageTables } from './schema.js';
export interface LinkState {
    /** Every removal up to this number is applied; undefined until the hub has answered once. */
    readonly applied: JournalNumber | undefined;
    /** The highest number that the storage has heard of: the stamp of what is written now. */
    readonly known: JournalNumber;
    /** When the hub last did not know the number to go on from; undefined when nothing can have been missed. */
    readonly lostAt: UnixSeconds | undefined;
}
export declare function readLinkState(tables: StorageTables): Promise<LinkState>;
export declare function raiseApplied(tables: StorageTables, number: JournalNumber): Promise<void>;
export declare function raiseKnown(tables: StorageTables, number: JournalNumber): Promise<void>;
/** The storage asks as if for the first time: what the hub has removed lately is told again. */
export declare function beginAnew(tables: StorageTables, number: JournalNumber, lostAt: UnixSeconds): Promise<void>;
/** After the catalog was compared with the directory of the hub. */
export declare function clearLoss(tables: StorageTables): Promise<void>;

// catalog/postgres/inspect-catalog.d.ts
/** The catalogue in PostgreSQL for somebody who looks after it, and changes nothing. */
import { type InspectedSchema, type PostgresSettings } from '@latchkey/service/postgres';
import { type LinkState } from '../link-state.js';
import type { StorageSchema } from '../schema.js';
export interface InspectedPostgresCatalog extends Omit<InspectedSchema<StorageSchema>, 'ask' | 'read'> {
    /** Of a schema of the newest version. */
    linkState(): Promise<LinkState>;
}
/** Throws `CannotStart` where the server cannot be reached or used. */
export declare function inspectPostgresCatalog(settings: PostgresSettings): Promise<InspectedPostgresCatalog>;

// catalog/schema.d.ts
/** The tables of the storage's database. */
import type { RefUid, RepositoryUid } from '@latchkey/protocol';
import type { Generated, Kysely } from 'kysely';
/** A row belongs to one ref or commit, by its uid, and so to one repository. */
interface Owned {
    ref_uid: RefUid;
    hash: string;
    repository_uid: RepositoryUid;
    /** In Unix seconds: its age, for collection. */
    written_at: number;
    /** The journal's number that decides who else sees it. */
    stamp: number;
}
export interface XorbRow extends Owned {
    digest: string;
    packed_bytes: number;
    unpacked_bytes: number;
    chunks: number;
    /** When the ref got it again: its age begins anew, what sees it does not change. */
    renewed_at: Generated<number>;
}
export interface FileRow extends Owned {
    /** Grows with every file, whichever repository it is of. */
    position: Generated<number>;
    bytes: number;
    terms: Uint8Array;
    /** Null for a file without chunks. */
    first_chunk: string | null;
    /** Null until the storage has computed it from the bytes. */
    sha256: string | null;
}
export interface ChunkRow extends Owned {
    xorb_hash: string;
}
/** How far the hub's journal is followed. */
export interface HubLinkRow {
    id: number;
    /** Every removal up to this number is applied; null until the hub has answered once. */
    applied: number | null;
    /** The highest number that the storage has heard of. */
    known: number;
    /** When the hub last did not know the number to go on from. */
    lost_at: number | null;
}
export interface RemovedPlaceRow {
    /** Of a repository, ref or commit. */
    uid: string;
    removed_at: number;
    /** Whether its rows are deleted. */
    is_swept: Generated<number>;
}
export type StorageSchema = {
    stored_xorbs: XorbRow;
    stored_files: FileRow;
    stored_chunks: ChunkRow;
    /** Of all refs together; kept by the database itself. */
    stored_totals: {
        repository_uid: RepositoryUid;
        bytes: number;
        objects: number;
    };
    hub_link: HubLinkRow;
    removed_places: RemovedPlaceRow;
    epoch_outbox: {
        position: Generated<number>;
        repository_uid: RepositoryUid;
    };
    settings: {
        name: string;
        value: string;
    };
};
export type StorageTables = Kysely<StorageSchema>;
export {};

// catalog/sha256.d.ts
/** SHA-256 of the bytes of a file: what other programs than those of the Xet protocol know a file by. */
/** 64 lower-case hexadecimal digits, in the order of the bytes. */
export type Sha256 = string & {
    readonly brand: 'sha256';
};
export declare function parseSha256(text: string): Sha256 | undefined;

// catalog/terms.d.ts
/** What a file is made of: runs of chunks of xorbs, packed so that a large file stays small. */
import { type Hash, type Term } from '@latchkey/xet/format';
export declare class Terms implements Iterable<Term> {
    readonly packed: Buffer;
    constructor(packed: Uint8Array);
    static of(terms: readonly Term[]): Terms;
    get count(): number;
    /** Of one term, without looking at the rest of it. */
    unpackedBytes(index: number): number;
    at(index: number): Term;
    [Symbol.iterator](): Iterator<Term>;
    /** Every xorb that is used, once. */
    xorbs(): readonly Hash[];
}

// catalog/turns.d.ts
/** One piece of work at a time for each name, in the order in which they came; names do not wait for each other. */
export type InTurn<Name> = <Result>(name: Name, work: () => Promise<Result>) => Promise<Result>;
export declare function turns<Name>(): InTurn<Name>;

// checks/catalogue.d.ts
/** Whether the database of the embedded storage opens, and is one that this program can work with. */
import { type Check } from '@latchkey/service/checks';
import type { StorageInstallation } from './installation.js';
export declare const catalogue: Check<StorageInstallation>;

// checks/following.d.ts
/** Whether the embedded storage has followed the hub's journal to its end. */
import { type Check } from '@latchkey/service/checks';
import type { StorageInstallation } from './installation.js';
export declare const following: Check<StorageInstallation>;

// checks/index.d.ts
/** The health checks of a storage. */
export { contentFolders } from '../objects/data-folder.js';
export { catalogue } from './catalogue.js';
export { following } from './following.js';
export type { HubJournal, StorageInstallation } from './installation.js';

// checks/installation.d.ts
/** The storage of an installation, for its checks. */
import type { DatabaseAnswer, Finding } from '@latchkey/service/checks';
import type { InspectedPostgresCatalog } from '../catalog/postgres/inspect-catalog.js';
import type { StorageSettings } from '../settings.js';
export interface StorageInstallation {
    /** Undefined where the hub runs without one. */
    readonly storage: Pick<StorageSettings, 'data'> | undefined;
    /** Of the catalogue in PostgreSQL, once for all checks; undefined where it is a file. */
    readonly catalogue: (() => Promise<DatabaseAnswer<InspectedPostgresCatalog>>) | undefined;
    /** Whether a hub answers that runs a storage. */
    readonly isStorageRunning: () => Promise<boolean>;
    /** Runs the check with the journal of the hub; says why where that cannot be read. */
    readonly withJournal: (run: (journal: HubJournal) => Promise<readonly Finding[]>) => Promise<readonly Finding[]>;
}
export interface HubJournal {
    /** The number of its last entry. */
    head(): Promise<number>;
    countAfter(number: number): Promise<number>;
}

// index.d.ts
/** The embedded storage: content by its hash, which only its own repository and ref can reach. */
export { objectsFolder } from './objects/object-places.js';
export type { ContentIsolation } from './request/view-of.js';
export type { StorageSettings } from './settings.js';
export { type RunningStorage, startStorage } from './start-storage.js';

// objects/data-folder.d.ts
/** Where objects lie below a data directory, or in a backup of one. */
import { type ObjectPlace } from './object-places.js';
import type { Digest } from './object-store.js';
/** The folders that a storage fills; each may be on a disk of its own. */
export declare function contentFolders(data: string): readonly string[];
export declare function hasObjects(data: string): boolean;
export declare function objectPlaceIn(data: string, digest: Digest): ObjectPlace;

// objects/object-places.d.ts
/** Where in its directory an object lies: in one of 256 folders, all of which are there from the start. */
import { type Digest } from './object-store.js';
export interface ObjectPlace {
    readonly file: string;
    readonly folder: string;
    /** Where stores of earlier versions have it: one folder deeper. */
    readonly oldFile: string;
}
/** The content of a hub, below its data. */
export declare function objectsFolder(data: string): string;
export declare function placeOf(root: string, digest: Digest): ObjectPlace;
/** The name of every folder that holds objects. */
export declare const fanOut: readonly string[];
export declare function draftsIn(root: string): string;
/** What a draft is called beside an object that has the same bytes, until it is removed. */
export declare function copyIn(folder: string, draftFile: string): string;
export declare function isCopy(name: string): boolean;

// objects/object-store.d.ts
/** Where the bytes of xorbs live: the port that a directory implements. */
import type { UnixSeconds } from '@latchkey/protocol';
import type { ChunkTable } from '@latchkey/xet/format';
/** BLAKE3 of the serialised bytes, in plain hexadecimal: two encodings of the same chunks are two objects. */
export type Digest = string & {
    readonly brand: 'digest';
};
export declare function parseDigest(text: string): Digest | undefined;
/** A body that has arrived, without a name yet; a file, so that a checker on another thread can read it. */
export interface Draft {
    readonly file: string;
    readonly bytes: number;
    /** Comes back when all of it is on the disk for good. */
    sync(): Promise<void>;
    /** Removes it, unless it was kept. */
    discard(): Promise<void>;
}
/** One object as `list` meets it. */
export interface StoredObject {
    readonly digest: Digest;
    /** What it takes on the disk. */
    readonly bytes: number;
    readonly changedAt: UnixSeconds;
}
export interface ObjectStore {
    /** Writes a body down as it comes; undefined when it is longer than `most`, and the rest is not read. */
    receive(body: AsyncIterable<Uint8Array>, most: number): Promise<Draft | undefined>;
    /** Gives a synced draft its name for good; an object of that name stays as it is, and the draft a draft. */
    keep(draft: Draft, digest: Digest): Promise<void>;
    has(digest: Digest): Promise<boolean>;
    /** Bytes `start` to `end`, the last one included; a part is good until the next is asked for. */
    read(digest: Digest, start: number, end: number): AsyncIterable<Uint8Array>;
    table(digest: Digest): Promise<ChunkTable>;
    remove(digest: Digest): Promise<void>;
    list(): AsyncIterable<StoredObject>;
    /** Removes drafts of processes that are gone; gives how many and how large they were. */
    sweepDrafts(olderThan: UnixSeconds, isDryRun: boolean): Promise<{
        count: number;
        bytes: number;
    }>;
}
/** An object is there, but not what was kept. */
export declare class DamagedObject extends Error {
    readonly name = "DamagedObject";
}
/** There is no room left to write; nothing was kept. */
export declare class DiskFull extends Error {
    readonly name = "DiskFull";
}

// operations/log-events.d.ts
/** Every event that a storage logs, and how loud it is. */
import type { Log } from '@latchkey/service/observe/log';
export declare const levelOf: {
    readonly storage_started: 'info';
    readonly storage_stopping: 'info';
    readonly storage_stopped: 'info';
    readonly storage_served: 'info';
    readonly storage_refused: 'info';
    readonly storage_preflight: 'info';
    readonly storage_cut: 'warn';
    readonly storage_failed: 'error';
    readonly hub_reached: 'info';
    readonly hub_unreached: 'warn';
    readonly keys_not_fetched: 'warn';
    readonly blob_url_key_unreadable: 'error';
    readonly revocations_not_fetched: 'warn';
    readonly epochs_undelivered: 'warn';
    readonly content_unreadable: 'error';
    readonly removals_missed: 'error';
};
export type StorageLog = Log<keyof typeof levelOf>;

// request/asked.d.ts
/** An admitted request as the work behind it sees it, and what that work answers. */
import type { Grant } from '@latchkey/gate';
import type { Refusal } from '@latchkey/protocol';
import type { Hash } from '@latchkey/xet/format';
import type { View, WritablePlace } from '../catalog/catalog.js';
import type { Payer } from './payer.js';
export interface Asked {
    readonly grant: Grant;
    readonly payer: Payer;
    /** What the token may look at. */
    readonly view: View;
    /** Where the token writes. */
    readonly place: WritablePlace;
    /** What another token of the same repository sees, if it is as good as one in Authorization must be. */
    lookThrough(token: string): Promise<Sight | Refusal>;
    readonly query: URLSearchParams;
    /** The value of the Range header. */
    readonly range: string | undefined;
    readonly body: Body;
    /** Aborted when the client has gone, or its token was taken back. */
    readonly signal: AbortSignal;
}
/** What a token sees, for as long as it is good. */
export interface Sight extends Pick<WritablePlace, 'refuseIfRevoked'> {
    readonly view: View;
}
export interface Body {
    readonly stream: AsyncIterable<Uint8Array>;
    /** As announced; undefined when it comes in chunks. */
    readonly length: number | undefined;
}
export interface Reply {
    readonly status: number;
    /** Names and values in turn. */
    readonly headers: readonly string[];
    /** Parts come with their length among the headers, or without one when nobody knows it. */
    readonly body: string | Buffer | AsyncIterable<Uint8Array | string>;
    /** Called when all of it has left, or there is nobody to take it. */
    readonly whenSent?: (() => void) | undefined;
}
/** `hash` is the one in the path; routes without one do not look at it. */
export type Handle = (asked: Asked, hash: Hash) => Promise<Reply | Refusal>;
export declare function jsonReply(value: unknown): Reply;

// request/payer.d.ts
/** To which account the work for a request is charged. */
import type { Grant } from '@latchkey/gate';
import { type RepositoryUid } from '@latchkey/protocol';
export interface Payer {
    /** The account's id, or the network that an anonymous request comes from. */
    readonly account: string;
    readonly repositoryUid: RepositoryUid;
}
/** All anonymous tokens have one subject: one visitor must not use up the share of all others. */
export declare function payerOf({ subject, repositoryUid }: Grant, address: string | undefined): Payer;

// request/view-of.d.ts
/** What a grant lets its bearer look at, and where it lets him write. */
import type { Gate, Grant } from '@latchkey/gate';
import { type Refusal } from '@latchkey/protocol';
import type { View, WritablePlace } from '../catalog/catalog.js';
import type { Sight } from './asked.js';
/** How far content reaches: its own ref and what the token sees besides, or every ref of its repository. */
export type ContentIsolation = 'ref' | 'repository';
export declare function viewOf(grant: Grant, isolation: ContentIsolation): View;
export interface Looking extends Pick<Gate, 'judge' | 'judgeToken'> {
    readonly isolation: ContentIsolation;
    /** Called before a view is looked at. */
    readonly hear: (view: View) => Promise<View>;
}
/** Security boundary: a second token is verified and judged as the first one was, and opens no other repository. */
export declare function sightThrough({ judge, judgeToken, isolation, hear }: Looking, own: Grant, address: string | undefined): (token: string) => Promise<Sight | Refusal>;
export declare function placeOf(grant: Grant, judge: Gate['judge']): WritablePlace;

// settings.d.ts
/** Everything an operator can decide about the embedded storage, already checked. */
import type { WithoutNews } from '@latchkey/gate';
import type { OptionTypes, Secret } from '@latchkey/protocol';
import { type BodyTimeouts } from '@latchkey/service/http/deadlines';
import type { LogLevel } from '@latchkey/service/observe/log';
import type { ShardCaps } from './bounds/shard-caps.js';
import type { ContentIsolation } from './request/view-of.js';
export interface StorageSettings {
    readonly host: string;
    readonly port: number;
    /** The flag that chooses the port, for the message that it is taken; `--storage-port` where left out. */
    readonly portFlag?: string;
    /** As the hub has it: holds `{repo}` and `{ref}`. */
    readonly casUrl: string;
    /** The hub's `publicUrl`: the tokens' `iss`. */
    readonly issuer: string;
    /** The hub's data directory; the content lies in `objects` below it. */
    readonly data: string;
    /** Where the catalogue is; its address is complete. Left out: in a file of the data directory. */
    readonly database?: Secret<'database-url'> | undefined;
    /** The file in the data directory with the root of all keys of blob URLs; left out: `blob-url-key`. */
    readonly blobUrlKeyName?: string;
    readonly isolation: ContentIsolation;
    /** For one repository; undefined is no limit. */
    readonly quota: {
        readonly bytes: number | undefined;
        readonly objects: number | undefined;
    };
    /** Left out: the defaults of `bounds/`. */
    readonly shardCaps?: ShardCaps;
    /** What one account may have in unfinished uploads, in bytes; left out: as much as `hf_xet` sends at once. No option sets it. */
    readonly inFlightBytes?: number;
    /** Bytes on the disk of `data` that uploads leave free; left out: none. */
    readonly reservedBytes?: number;
    readonly leewaySeconds: number;
    /** How the storage learns which tokens were taken back, and what it does without news of the hub; left out: as the gate does by default. */
    readonly revocations?: {
        readonly pollSeconds: number;
        readonly withoutNews: WithoutNews;
    };
    readonly timeouts: BodyTimeouts;
    readonly cors: {
        readonly origins: readonly string[];
    };
    /** Host names that requests may come under beside that of `casUrl`; `*` is every one. */
    readonly allowedHosts: readonly string[];
    readonly trustedProxies: readonly string[];
    readonly limits: {
        readonly failuresPerMinute: number;
        readonly connections: number;
    };
    /** `/healthz`, `/readyz` and `/metrics`, by a listener of their own or, without a port, beside the rest. Left out: nowhere. */
    readonly operations?: {
        readonly port: number | undefined;
        readonly host: string;
    };
    /** Whether the hub that runs the storage shows its metrics on a listener of their own. Left out: the port of `operations` decides. */
    readonly hasPrivateMetrics?: boolean;
    readonly log: {
        readonly level: LogLevel;
    };
    readonly stopDeadlineSeconds: number;
}
export declare const settingTypes: OptionTypes<StorageSettings>;

// start-storage.d.ts
/** The entry point: settings and a link to the hub become a running storage. */
import { type HubLink } from '@latchkey/gate/hub-link';
import { type Surroundings } from '@latchkey/service/machine/surroundings';
import type { MetricsPage } from '@latchkey/service/observe/metrics';
import { type StorageSettings } from './settings.js';
import { type OpenPool } from './threads/thread-pool.js';
export interface RunningStorage {
    readonly url: string;
    /** Of the listener for `/healthz`, `/readyz` and `/metrics`, where they have one of their own. */
    readonly operationsUrl: string | undefined;
    readonly metrics: MetricsPage;
    /** Whether there are keys to verify tokens with, the hub has said which tokens were taken back, and the content can be used. */
    isReady(): Promise<boolean>;
    /** In-flight requests finish; the promise settles within the deadline of the settings. Comes before the hub's. */
    stop(): Promise<void>;
}
/** What a storage is given beside its settings. */
export interface StorageTrust {
    readonly link: HubLink;
}
/** What a storage takes from its machine. */
export interface StorageSurroundings extends Surroundings {
    readonly openPool: OpenPool;
}
export declare function startStorage(settings: StorageSettings, trust: StorageTrust, given?: Partial<StorageSurroundings>): Promise<RunningStorage>;

// threads/thread-pool.d.ts
/** Work on threads of its own, so that requests go on meanwhile; a task that finds no thread free waits. */
export interface ThreadPool<Task, Progress, Result> {
    /** Rejects when the work throws, when its thread dies, when the pool closes, and with the reason of an abort. */
    run(task: Task, watching?: Watching<Progress>): Promise<Result>;
    /** Tasks that are not done yet fail. */
    close(): Promise<void>;
}
export interface Watching<Progress> {
    /** Aborted: a task that waits is dropped at once; one under way settles when its thread has given it up. */
    readonly signal?: AbortSignal;
    readonly onProgress?: (progress: Progress) => void;
}
export interface PoolOptions {
    /** Exports `openWork`. */
    readonly module: URL;
    /** What all tasks have in common; copied to each thread when it starts. */
    readonly data?: unknown;
    /** They start when they are needed first; one that dies is replaced. */
    readonly threads: number;
    /** How many tasks one thread has under way at once: work that yields takes turns with other work. */
    readonly tasksEach?: number;
}
export type OpenPool = <Task, Progress, Result>(options: PoolOptions) => ThreadPool<Task, Progress, Result>;
export declare const threadPool: OpenPool;

// upkeep/amount.d.ts
/** How many of something there are, and what they take. */
export interface Amount {
    readonly count: number;
    readonly bytes: number;
}
export declare const nothing: Amount;
export declare function plus(one: Amount, other: Amount): Amount;
export declare function sumOf(sizes: Iterable<number>): Amount;

// upkeep/catch-up.d.ts
/** Before upkeep removes anything: what the hub has removed is applied, and what the hub has not been told is told. */
import { type Refusal } from '@latchkey/protocol';
import type { Upkeep } from './upkeep.js';
/**
 * Rejects with `LinkFailure` when the hub cannot be asked. Refuses when the hub does not have the journal that the storage
 * has followed: it may be another hub, which would take the epochs and lose them.
 */
export declare function catchUp({ database, link, clock }: Upkeep): Promise<Refusal | undefined>;
/** For a command that only looks: says in one sentence why what it shows may not be what the hub has now. */
export declare function tryToCatchUp(upkeep: Upkeep): Promise<string | undefined>;
/** One sentence, when removals may have been missed and `reconcile` has not removed them since. */
export declare function missedRemovals({ database }: Upkeep): Promise<string | undefined>;

// upkeep/collect.d.ts
/** Frees what nothing leads to any more: unused xorbs, then objects without a name, then old drafts. */
import { type Refusal, type UnixSeconds } from '@latchkey/protocol';
import { type Amount } from './amount.js';
import type { Upkeep } from './upkeep.js';
export declare const defaultGraceSeconds: number;
/** An upload that is under way has sent xorbs that no file is made of yet. */
export declare const shortestGraceSeconds = 3600;
export interface CollectOptions {
    readonly now: UnixSeconds;
    readonly graceSeconds?: number;
    readonly isDryRun?: boolean;
}
/** What went, or in a dry run would go. */
export interface Collected {
    /** Logical: every ref's row counts. */
    readonly xorbs: Amount;
    /** On the disk. */
    readonly objects: Amount;
    readonly drafts: Amount;
    readonly freedBytes: number;
    /** Objects that stay although nothing leads to them, because they came within the grace time. */
    readonly young: Amount;
}
/**
 * A row goes before its object: wherever this is cut off, nothing that is there lacks anything. Nothing goes without the
 * hub, which must be told what went; rejects with `LinkFailure` when it cannot be asked.
 */
export declare function collect(upkeep: Upkeep, { now, graceSeconds, isDryRun }: CollectOptions): Promise<Collected | Refusal>;

// upkeep/forget.d.ts
/** Removes one file or xorb from a repository for good. */
import { type Refusal } from '@latchkey/protocol';
import type { Hash } from '@latchkey/xet/format';
import { type Amount } from './amount.js';
import { type WantedRepository } from './repository-names.js';
import type { Upkeep } from './upkeep.js';
export interface ForgetOptions {
    readonly isDryRun?: boolean;
}
/** What went, or in a dry run would go; every ref's row counts. */
export interface Forgotten {
    readonly repository: string;
    readonly kind: 'file' | 'xorb';
    readonly files: Amount;
    readonly xorbs: Amount;
    /** Xorbs that stay, because other files of the repository are made of them. */
    readonly sharedXorbs: number;
    /** Objects that go from the disk, because no repository has them any more. */
    readonly objects: number;
}
/** Like collection, it removes nothing without the hub. */
export declare function forget(upkeep: Upkeep, target: {
    readonly repository: WantedRepository;
    readonly hash: Hash;
}, { isDryRun }?: ForgetOptions): Promise<Forgotten | Refusal>;

// upkeep/has-content.d.ts
/** Whether a storage has run on a data directory. */
/** Where the catalogue is in PostgreSQL, only the objects lie there. */
export declare function hasContent(data: string, { isCatalogInFile }: {
    readonly isCatalogInFile: boolean;
}): boolean;

// upkeep/hub-side.d.ts
/** The hub, as upkeep asks it: what it has, what it is told, and what it calls its repositories. */
import type { HubLink } from '@latchkey/gate/hub-link';
import type { RepoRef, RepositoryUid } from '@latchkey/protocol';
/** What a command knows of the hub. */
export interface HubSide {
    /** Over HTTP, or the hub's own database where it lies on this machine. */
    readonly link: UpkeepLink;
    /** Undefined over HTTP, where everything goes by its uid. */
    readonly names: RepositoryNames | undefined;
}
export interface UpkeepLink extends Pick<HubLink, 'changes' | 'raiseEpochs' | 'findUnknown'> {
    /** Only where the hub's database can be asked which repositories there are; gives how many. */
    raiseAllEpochs?(): Promise<number>;
}
/** Only a hub's own database answers: a link tells no names, and then everything goes by its uid. */
export interface RepositoryNames {
    uidOf(repo: RepoRef): Promise<RepositoryUid | undefined>;
    /** `models/acme/bert`, for those that have a name. */
    pathsOf(uids: readonly RepositoryUid[]): Promise<ReadonlyMap<RepositoryUid, string>>;
}

// upkeep/index.d.ts
/** What an operator does with stored content: measure, collect, forget, verify, readdress, reconcile. */
export { parseHash } from '@latchkey/xet/format';
export { hasCatalog, openCatalog } from '../catalog/catalog-database.js';
export { Terms } from '../catalog/terms.js';
export { type CatalogSide, type CopiedCatalog, copyCatalog, } from '../catalog-place/copy-catalog.js';
export { inspectCatalogIn } from '../catalog-place/inspect-catalog.js';
export { catalogName, migrateCatalog, pendingCatalogMigrations, } from '../catalog-place/migrate-catalog.js';
export { openCatalogOf } from '../catalog-place/open-catalog.js';
export { parseDigest } from '../objects/object-store.js';
export type { Amount } from './amount.js';
export { missedRemovals, tryToCatchUp } from './catch-up.js';
export { type Collected, collect, defaultGraceSeconds, shortestGraceSeconds, } from './collect.js';
export { type Forgotten, forget } from './forget.js';
export { hasContent } from './has-content.js';
export type { HubSide, UpkeepLink } from './hub-side.js';
export { readdress } from './readdress.js';
export { type OrphanedPlace, type Reconciled, reconcile } from './reconcile.js';
export type { WantedRepository } from './repository-names.js';
export { openUpkeep, type Upkeep } from './upkeep.js';
export { type RepositoryUsage, type Usage, usage, usageOf } from './usage.js';
export { type BadXorb, type Verified, verify } from './verify.js';

// upkeep/inspect-object.d.ts
/** Is an object there, and is it what its rows say? */
import type { NamedObject } from './named-objects.js';
import type { Upkeep } from './upkeep.js';
export interface Problem {
    readonly problem: 'missing' | 'damaged';
    /** One sentence. */
    readonly detail: string;
}
/** Its length and its chunk table; with `withContent` also every byte. Undefined when it is whole. */
export declare function inspectObject({ objects, fileOf }: Upkeep, named: NamedObject, withContent: boolean): Promise<Problem | undefined>;

// upkeep/named-objects.d.ts
/** Every object that a row names, once, with what its rows say of it. */
import { type RepositoryUid } from '@latchkey/protocol';
import type { Hash } from '@latchkey/xet/format';
import type { Digest } from '../objects/object-store.js';
import type { Upkeep } from './upkeep.js';
export interface NamedObject {
    readonly digest: Digest;
    readonly hash: Hash;
    readonly packedBytes: number;
    readonly unpackedBytes: number;
    readonly chunks: number;
}
/** Of one repository, or of all. */
export declare function namedObjects({ read }: Upkeep, repositoryUid: RepositoryUid | undefined): AsyncGenerator<NamedObject>;

// upkeep/readdress.d.ts
/** Gives repositories addresses that they never had, so that no client relies on what it remembers. */
import { type Refusal } from '@latchkey/protocol';
import type { HubSide } from './hub-side.js';
import { type WantedRepository } from './repository-names.js';
/** One repository, or all of the hub; gives how many. One that lost everything has no rows here any more. */
export declare function readdress(hub: HubSide, wanted?: WantedRepository): Promise<number | Refusal>;

// upkeep/reconcile.d.ts
/** Compares the places that have content here with the hub's directory, after the two may have lost each other. */
import { type RefUid, type Refusal, type RepositoryUid } from '@latchkey/protocol';
import type { Upkeep } from './upkeep.js';
export interface ReconcileOptions {
    readonly isDryRun?: boolean;
    /** Also when the hub lacks so many places that it may be another hub. */
    readonly evenMost?: boolean;
}
/** A place that has content here and is not in the hub's directory. */
export interface OrphanedPlace {
    readonly kind: 'repository' | 'ref or commit';
    readonly uid: RepositoryUid | RefUid;
    /** By its name, where it has one. */
    readonly repository: string;
    readonly bytes: number;
    readonly objects: number;
}
export interface Reconciled {
    /** How many repositories, refs and commits have content here. */
    readonly places: number;
    readonly orphans: readonly OrphanedPlace[];
    /** How many places the hub had removed and has again, from a backup: nothing can be written to them here. */
    readonly returned: number;
    /** So many are orphans that the hub may be another one. */
    readonly isDoubtful: boolean;
    /** The hub's journal did not have the entry that the storage had followed, and no `reconcile` has ended that. */
    readonly isLinkLost: boolean;
}
/**
 * The uids were read here before the hub was asked for them. A hub makes a uid before any token names it, so a place that
 * it does not have then will never come. Rejects with `LinkFailure`.
 */
export declare function reconcile(upkeep: Upkeep, { isDryRun, evenMost }?: ReconcileOptions): Promise<Reconciled | Refusal>;

// upkeep/repository-names.d.ts
/** What the hub calls the repositories that the storage knows by uid. */
import { type Refusal, type RepoRef, type RepositoryUid } from '@latchkey/protocol';
import type { HubSide } from './hub-side.js';
import type { Upkeep } from './upkeep.js';
/** As an operator names one: by its name, or by its uid. */
export type WantedRepository = RepoRef | RepositoryUid;
export interface FoundRepository {
    readonly uid: RepositoryUid;
    /** The uid again, where there is no name. */
    readonly path: string;
    /** The hub does not have it. */
    readonly isUnknown?: true;
}
export declare function findRepository({ names, link }: HubSide, wanted: WantedRepository): Promise<FoundRepository | Refusal>;
/** The same, for what has content here: a uid without a name and without content is a mistake. */
export declare function findStored(upkeep: Upkeep, wanted: WantedRepository): Promise<FoundRepository | Refusal>;
/** In order of their names; a repository without one is called by its uid, and comes after the others. */
export declare function named({ names, link }: HubSide, uids: readonly RepositoryUid[]): Promise<readonly FoundRepository[]>;

// upkeep/upkeep.d.ts
/** What upkeep works on: the storage's database, the objects beside it, and the hub, while others use all of them. */
import { type Clock } from '@latchkey/protocol';
import type { CatalogDatabase } from '../catalog/catalog-database.js';
import type { StorageTables } from '../catalog/schema.js';
import type { Digest, ObjectStore } from '../objects/object-store.js';
import type { HubSide } from './hub-side.js';
export interface Upkeep extends HubSide {
    readonly objects: ObjectStore;
    readonly database: CatalogDatabase;
    readonly clock: Clock;
    /** Where an object lies, to be read from beginning to end. */
    fileOf(digest: Digest): string;
    /** The same, below the data directory: where it lies in a backup, too. */
    placeOf(digest: Digest): string;
    read<Result>(work: (tables: StorageTables) => Promise<Result>): Promise<Result>;
    /** One transaction; what it must keep uploads away from, it holds. */
    change<Result>(work: (tables: StorageTables) => Promise<Result>): Promise<Result>;
}
export interface UpkeepOptions extends HubSide, Pick<Upkeep, 'database' | 'clock'> {
    /** The storage's data directory: the objects lie in it. */
    readonly data: string;
}
export declare function openUpkeep({ data, database, link, names, clock }: UpkeepOptions): Upkeep;

// upkeep/usage.d.ts
/** How much the storage holds: by repository as if nothing were shared, and on the disk as it is. */
import { type Refusal } from '@latchkey/protocol';
import { type Amount } from './amount.js';
import { type WantedRepository } from './repository-names.js';
import type { Upkeep } from './upkeep.js';
export interface RepositoryUsage {
    readonly repository: string;
    /** The hub does not have it. */
    readonly isUnknown?: true;
    readonly bytes: number;
    readonly objects: number;
}
export interface Usage {
    /** Those that hold something, in order of their names. */
    readonly repositories: readonly RepositoryUsage[];
    readonly disk: Amount;
}
export declare function usage(upkeep: Upkeep): Promise<Usage>;
export declare function usageOf(upkeep: Upkeep, wanted: WantedRepository): Promise<RepositoryUsage | Refusal>;

// upkeep/verify.d.ts
/** Looks whether every object that a row names is there and whole; changes nothing. */
import { type Refusal } from '@latchkey/protocol';
import type { Hash } from '@latchkey/xet/format';
import type { Digest } from '../objects/object-store.js';
import { type Problem } from './inspect-object.js';
import { type WantedRepository } from './repository-names.js';
import type { Upkeep } from './upkeep.js';
export interface VerifyOptions {
    /** Only what this one has. */
    readonly repository?: WantedRepository | undefined;
    /** Read every byte, too. */
    readonly withContent?: boolean;
    readonly mostTold?: number;
}
/** A xorb of one repository that cannot be read as it was. */
export interface BadXorb extends Problem {
    readonly repository: string;
    /** The hub does not have the repository. */
    readonly isUnknown?: true;
    readonly xorb: Hash;
    readonly digest: Digest;
    /** Those that are made of it, a hundred at most. */
    readonly files: readonly Hash[];
}
export interface Verified {
    /** How many were looked at. */
    readonly objects: number;
    readonly badObjects: number;
    /** In every repository that has it. */
    readonly badXorbs: readonly BadXorb[];
    /** There are more than could be told. */
    readonly isCut: boolean;
}
export declare function verify(upkeep: Upkeep, { repository, withContent, mostTold }?: VerifyOptions): Promise<Verified | Refusal>;
