// What xet declares, written by `npm run api`.
// . is index.d.ts
// ./download is download.d.ts
// ./files is files.d.ts
// ./format is format.d.ts
// ./pieces is pieces.d.ts

// blob/blob-reader.d.ts
/** Reads the bytes that blob URLs open: without a token, without following redirects, over connections that stay open. */
import type { BlobReader } from '../download/download-calls.js';
import { type LookUp } from './blob-target.js';
/**
 * @example
 * ```ts
 * const calls: DownloadCalls = { reconstruct, readRun: blobReader().read, pause }
 * ```
 */
export declare function blobReader(lookUp?: LookUp): BlobReader;

// blob/blob-target.d.ts
/** Decides whether a blob URL is opened: never where it leads nearer to this machine than the storage is. */
export interface BlobTarget {
    readonly url: URL;
    /** The host of the URL, in the form for lookups and sockets. */
    readonly host: string;
    /** The addresses that were judged; the connection goes to one of them. */
    readonly addresses: readonly LookupAddress[];
}
/** As Node looks names up. */
export interface LookupAddress {
    readonly address: string;
    readonly family: number;
}
export type LookUp = (hostname: string) => Promise<readonly LookupAddress[]>;
/** The URL comes from the storage's answer; a hostile one must not make this machine ask its own services. */
export declare function blobTarget(text: string, storageUrl: string, lookUp?: LookUp): Promise<BlobTarget>;

// blob/fetch-reader.d.ts
/** Reads the bytes that blob URLs open with the platform's fetch, where there are no sockets. */
import type { BlobReader } from '../download/download-calls.js';
/**
 * @example
 * ```ts
 * const calls: DownloadCalls = { reconstruct, readRun: blobReader().read, pause }
 * ```
 */
export declare function blobReader(): BlobReader;

// cutting/file-cutter.d.ts
/** Cuts files into hashed chunks: small ones here, and large ones on a thread that all files of an upload share. */
import { type Hash } from '../format/hash.js';
export interface HashedChunk {
    readonly bytes: Uint8Array;
    readonly hash: Uint8Array;
}
/** Good until the next is asked for. */
export interface CutBatch {
    readonly chunks: readonly HashedChunk[];
    /** The SHA-256 of the whole file, with its last batch. */
    readonly sha256: Uint8Array | undefined;
}
export interface FileCutter {
    /**
     * The parts of the data are not kept. Each is asked for with memory, which the source may read it into.
     * The thread cuts one file at a time: a large one waits for `threadIsFree`, which a caller that cuts one file after the
     * other leaves out.
     */
    cut(data: AsyncIterable<Uint8Array>, threadIsFree?: Promise<void>): AsyncGenerator<CutBatch>;
    /** The thread ends, and so does what it cuts. */
    end(): void;
}
export declare function fileCutter(): FileCutter;
/** A client that cuts in another way gives the same data another hash. */
export declare function hashData(data: AsyncIterable<Uint8Array>): Promise<Hash>;

// download.d.ts
/** Downloads through a storage that speaks the public API; a program that only downloads loads nothing else. */
export { blobReader } from '#blob-reader';
export { backoffMs, triesWithin } from './download/backoff.js';
export { type ArrivedBytes, type BlobReader, type BlobRequest, type ByteRange, type DownloadCalls, RangeFetchError, } from './download/download-calls.js';
export { type Download, downloadFile, type PreparedDownload, prepareDownload, } from './download/download-file.js';
export type { DownloadTarget, EarlierChunk, EarlierDownload, FoundChunks, } from './download/resume-run.js';
export { HashMismatchError, IntegrityError } from './format/format-error.js';
export { type Hash, parseHash } from './format/hash.js';
export { type AskStorage, reconstructOver, type StorageAnswer, type StorageQuestion, uploadCallsOver, } from './storage/storage-calls.js';

// download/backoff.d.ts
/** Waits between attempts: each twice as long as the one before, up to 10 s. */
export declare function backoffMs(tries: number): number;
/** The number of attempts whose waits together stay within this time; at least one. */
export declare function triesWithin(seconds: number): number;

// download/download-calls.d.ts
import type { Hash } from '../format/hash.js';
export interface DownloadCalls {
    /** The reconstruction of a whole file, or of the chunks that hold these bytes of it. */
    reconstruct(file: Hash, bytes?: ByteRange): Promise<ReconstructionAnswer>;
    /** Fills `into`, from its beginning, with the bytes that a URL opens. `blobReader` does it. */
    readRun(request: BlobRequest, into: Uint8Array): Promise<ArrivedBytes>;
    /** Before something is tried once more. */
    pause(tries: number): Promise<void>;
    /** Attempts in a row that may bring no byte before the download fails. Default: those of 60 s. */
    readonly maxTries?: number;
}
/** The last byte is included. */
export interface ByteRange {
    readonly start: number;
    readonly end: number;
}
export interface ReconstructionAnswer {
    /** Where the storage is that gave the answer. */
    readonly storageUrl: string;
    /** As JSON has it; nothing in it is believed yet. */
    readonly answer: unknown;
}
export interface BlobRequest {
    /** As the storage named it; nothing about it is believed yet. */
    readonly url: string;
    readonly storageUrl: string;
    readonly bytes: ByteRange;
}
export interface ArrivedBytes {
    /** How many bytes came. */
    readonly bytes: number;
    /** Why they are fewer than were asked for. */
    readonly broken?: RangeFetchError;
}
/** Reads the bytes that blob URLs open: without a token, and without following redirects. */
export interface BlobReader {
    /** Every URL is judged before anything is sent, also where a connection is open already. */
    read(request: BlobRequest, into: Uint8Array): Promise<ArrivedBytes>;
    /** Ends what is under way; nothing is opened any more. */
    close(): void;
}
/** A URL does not open what it should, or the bytes break off: with a new one it may go on. */
export declare class RangeFetchError extends Error {
    readonly name = "RangeFetchError";
}

// download/download-file.d.ts
/** Downloads a file as a stream: piece by piece in memory, the next one fetched while one is read. */
import { type Hash } from '../format/hash.js';
import type { DownloadCalls } from './download-calls.js';
import type { DownloadTarget } from './resume-run.js';
export interface Download {
    readonly bytes: number;
    /** Throws at its end if the bytes were not those of the file. */
    readonly chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>;
}
interface StreamOptions {
    /**
     * The first byte that is given. A download that begins later than byte 0 cannot be compared with
     * the hash of the file.
     *
     * @default 0
     */
    readonly from?: number;
    /**
     * Bytes of a piece: two of them are in memory at the same time.
     *
     * @default 33554432
     */
    readonly pieceBytes?: number;
    /** Called with the number of further bytes that have come, before they are given. */
    readonly onPlaced?: (bytes: number) => void;
}
/**
 * @example
 * ```ts
 * const { bytes, chunks } = await downloadFile(calls, hash)
 * await pipeline(chunks, createWriteStream('copy.bin'))
 * ```
 */
export declare function downloadFile(calls: DownloadCalls, file: Hash, options?: StreamOptions): Promise<Download>;
/** Downloads a file to where chunks can be put in any order; in the end they must be the file that was asked for. */
export interface PreparedDownload {
    readonly bytes: number;
    /** Every run is fetched once, however often the file has its chunks. */
    into(target: DownloadTarget, onProgress?: (bytes: number) => void): Promise<void>;
}
/**
 * @example
 * ```ts
 * const prepared = await prepareDownload(calls, hash)
 * await prepared.into(target, (bytes) => console.log(`${bytes} of ${prepared.bytes}`))
 * ```
 */
export declare function prepareDownload(calls: DownloadCalls, file: Hash): Promise<PreparedDownload>;
export {};

// download/download-plan.d.ts
/** Which runs a file is fetched in, and where in the file the terms of each of them go. */
import type { Term } from '../format/hash.js';
import type { Reconstruction, Run } from './read-reconstruction.js';
interface PlannedTerm extends Term {
    /** Where it begins, in bytes. */
    readonly position: number;
}
export interface PlannedRun {
    /** The same for the same bytes of the same xorb, in every answer of the storage. */
    readonly name: string;
    readonly run: Run;
    /** By their first chunk. */
    readonly terms: readonly PlannedTerm[];
}
export interface Plan {
    readonly bytes: number;
    readonly terms: readonly {
        readonly term: PlannedTerm;
        readonly runName: string;
    }[];
    /** Each once, in the order in which the file needs them first. */
    readonly runs: readonly PlannedRun[];
}
export declare function planDownload(reconstruction: Reconstruction): Plan;
/** In bytes. */
export declare function maxRunBytes({ runs }: Plan): number;
export declare function nameOf({ xorb }: Pick<Term, 'xorb'>, { start, end, bytes }: Run): string;
export {};

// download/read-reconstruction.d.ts
/** Reads a storage's description of a file: its terms, and where their bytes are. */
import { type Hash, type Term } from '../format/hash.js';
import type { ByteRange, ReconstructionAnswer } from './download-calls.js';
/** Chunks `start` to before `end` of a xorb, and the URL that opens the bytes they are packed in. */
export interface Run {
    readonly start: number;
    readonly end: number;
    readonly url: string;
    readonly bytes: ByteRange;
}
export interface Reconstruction {
    readonly storageUrl: string;
    /** How many bytes of the first term come before what was asked for. */
    readonly offsetIntoFirst: number;
    readonly terms: readonly Term[];
    readonly runs: ReadonlyMap<Hash, readonly Run[]>;
}
/** The first version's form. */
export declare function readReconstruction({ storageUrl, answer }: ReconstructionAnswer): Reconstruction;

// download/resume-run.d.ts
/** Goes on with a run that an earlier download has begun: what is there counts as far as it has the hashes it had. */
import type { PlannedRun } from './download-plan.js';
import { type FoundChunk, type RunWalk } from './walk-run.js';
export interface ResumedRun {
    readonly walk: RunWalk;
    /** Bytes of the run that need not be fetched. */
    readonly skipped: number;
    /** Bytes of the file that are there. */
    readonly placed: number;
}
export declare function resumeRun(planned: PlannedRun, earlier: EarlierDownload | undefined): Promise<ResumedRun>;
export interface DownloadTarget {
    /** The memory of the chunks is good until it is done. */
    put(batch: FoundChunks): Promise<void>;
    /** All parts are written. The next check finds out whether it is the requested file. */
    allPut?(): void;
    /** The parts of an earlier download, if there was one. */
    readonly earlier?: EarlierDownload;
}
/** Chunks that follow one another in a run. */
export interface FoundChunks {
    readonly runName: string;
    /** Which chunk of the run is the first of them. */
    readonly first: number;
    readonly chunks: readonly FoundChunk[];
}
export interface EarlierDownload {
    /** From the first chunk of the run on, without a gap. None of it is believed before it is hashed again. */
    chunksOf(runName: string): readonly EarlierChunk[];
    /** Fewer bytes where there are no more. */
    read(position: number, length: number): Promise<Uint8Array>;
}
export interface EarlierChunk extends Pick<FoundChunk, 'hash' | 'packedLength'> {
    readonly length: number;
}

// download/walk-run.d.ts
/** Takes a run apart as its bytes come: each chunk is unpacked, hashed and given the places in the file where it goes. */
import type { MerkleTree } from '../format/merkle-tree.js';
import type { PlannedRun } from './download-plan.js';
import type { Run } from './read-reconstruction.js';
export interface FoundChunk {
    /** Good until the batch that it is in has been put. */
    readonly bytes: Uint8Array;
    readonly positions: readonly number[];
    readonly hash: Uint8Array;
    /** The bytes that it takes in its range, with its header. */
    readonly packedLength: number;
}
export interface RunWalk {
    readonly planned: PlannedRun;
    readonly hashes: RunHashes;
    readonly places: ChunkPlaces;
    /** The beginning of a chunk that the next part ends. */
    carried: Uint8Array;
}
export declare function walkOf(planned: PlannedRun): RunWalk;
/** `length` bytes of the part stand behind the headroom of the slab. */
export declare function takePart(walk: RunWalk, slab: Uint8Array, length: number): Generator<FoundChunk[]>;
/** After the last part. */
export declare function refuseIncomplete({ planned: { run }, hashes, carried }: RunWalk): void;
/** The hashes and lengths of the chunks of a run, as they were found: what the hash of the file is made from. */
interface RunHashes {
    /** How many of its chunks are known. */
    readonly count: number;
    add(hash: Uint8Array, length: number): void;
    /** Adds chunks `start` to before `end` of the xorb to a tree. */
    addTo(tree: MerkleTree, start: number, end: number): void;
}
export declare function runHashes(run: Pick<Run, 'start' | 'end'>): RunHashes;
/** Where in a file the chunks of a run go, told one after the other: a chunk may go to several places. */
export interface ChunkPlaces {
    /** Places of the next chunk, which has this length. */
    next(length: number): readonly number[];
}
export declare function chunkPlaces({ run, terms }: PlannedRun): ChunkPlaces;
export {};

// files.d.ts
/** Moves files between a program and a storage, in Node, Deno, Bun and browsers: tokens, retries and checks included. */
export { type ClientCode, type ErrorCode, LatchkeyError, Secret } from '@latchkey/client';
export { RangeFetchError } from './download/download-calls.js';
export { createFileClient, type FileClient } from './files/create-file-client.js';
export type { DownloadOptions, FileDownload } from './files/download-file.js';
export type { FileSource } from './files/file-source.js';
export { hashFile } from './files/hash-file.js';
export type { TransferOptions } from './files/transfer.js';
export { HashMismatchError, IntegrityError } from './format/format-error.js';
export type { Hash } from './format/hash.js';
export type { UploadedFile } from './upload/upload-files.js';

// files/create-file-client.d.ts
/** A client that moves files of one repository and revision, for one identity. */
import { type StorageClient, type StorageClientOptions } from '@latchkey/client';
import type { UploadedFile } from '../upload/upload-files.js';
import { type DownloadOptions, type FileDownload } from './download-file.js';
import type { FileSource } from './file-source.js';
import { type TransferOptions } from './transfer.js';
export interface FileClient {
    /** The file is registered when this resolves. After a failure, the same call sends only what the storage lacks. */
    upload(source: FileSource, options?: TransferOptions): Promise<UploadedFile>;
    /** By the hash that `upload` gave. */
    download(hash: string, options?: DownloadOptions): Promise<FileDownload>;
    /** Ends all transfers. A `StorageClient` that was passed in stays open. */
    close(): void;
}
/**
 * Takes a client, which other code may use as well, or the options for a new one.
 *
 * @example
 * ```ts
 * const files = createFileClient({
 *   hubUrl: 'https://hub.example',
 *   hubToken: 'lk_…',
 *   repo: 'models/acme/bert',
 * })
 * const { hash } = await files.upload(new Blob(['some text']))
 * const copy = await (await files.download(hash)).blob()
 * ```
 */
export declare function createFileClient(clientOrOptions: StorageClient | StorageClientOptions): FileClient;

// files/download-file.d.ts
/** Downloads one file, as a stream that is checked at its end. */
import { type StorageClient } from '@latchkey/client';
import { type OptionTypes } from '@latchkey/protocol';
import { type TransferOptions } from './transfer.js';
export interface DownloadOptions extends TransferOptions {
    /**
     * The first byte that is given. A download that begins later than byte 0 cannot be compared with
     * the hash of the file.
     *
     * @default 0
     */
    readonly from?: number;
}
export declare const downloadTypes: OptionTypes<DownloadOptions>;
/** Read it once, in one of three ways. Each fails at its end if the bytes were not those of the file: use nothing before that. */
export interface FileDownload extends AsyncIterable<Uint8Array<ArrayBuffer>> {
    /** Bytes of the whole file, even if the download begins further on. */
    readonly bytes: number;
    stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
    /** A browser keeps a large one on disk. */
    blob(): Promise<Blob>;
}
export declare function downloadFile(client: StorageClient, text: string, { from, onProgress, signal }?: DownloadOptions): Promise<FileDownload>;

// files/file-source.d.ts
/** The bytes of a file, wherever a program has them. */
/** A stream or an iterable is read once. */
export type FileSource = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Uint8Array | ArrayBuffer;
/** Said before anything is sent: a path given for its file would otherwise be uploaded as nothing, or fail deep inside. */
export declare function checkSource(source: unknown): asserts source is FileSource;
/** In bytes; undefined for what is read once. */
export declare function lengthOf(source: FileSource): number | undefined;
/** Releases the source when the reader stops, and when the signal is aborted. */
export declare function partsOf(source: FileSource, signal: AbortSignal): AsyncGenerator<Uint8Array>;

// files/hash-file.d.ts
/** The hash that a file has at every storage, without asking one. */
import type { Hash } from '../format/hash.js';
import { type FileSource } from './file-source.js';
import { type TransferOptions } from './transfer.js';
/** A client that cuts in another way gives the same data another hash. */
export declare function hashFile(source: FileSource, options?: Pick<TransferOptions, 'signal'>): Promise<Hash>;

// files/transfer.d.ts
/** A transfer under way: the caller's signal, or its own end, aborts all of its requests. */
import { type OptionType, type OptionTypes } from '@latchkey/protocol';
export interface TransferOptions {
    /** How many bytes of the file are where they belong, and how many there are; undefined for a stream. */
    readonly onProgress?: (bytes: number, total: number | undefined) => void;
    readonly signal?: AbortSignal | undefined;
}
export declare const transferTypes: OptionTypes<TransferOptions>;
/** `of` is the function that takes the options. */
export declare function checkOptions(of: string, value: unknown, types?: Readonly<Record<string, OptionType>>): void;
export interface Transfer {
    /** For every request of the transfer. */
    readonly signal: AbortSignal;
    /** Gives what the work gives, or fails with the reason of the caller's signal as soon as that is aborted. */
    wait<Result>(work: Promise<Result>): Promise<Result>;
    /** Aborts all requests that are still under way. */
    end(): void;
}
export declare function beginTransfer(abortSignal: AbortSignal | undefined): Transfer;

// format.d.ts
/** The format of xorbs, shards and their hashes, for programs that read or write them. */
/** Where hashes are WebAssembly, it has to be awaited before the first of them: in browsers, Deno and Bun. */
export { loadHashes } from '#platform/hashes';
export { sameBytes } from './format/bytes.js';
export { type CheckedChunks, checkXorb } from './format/check-xorb.js';
export { type ChunkHeader, chunkHeaderLength, readChunkHeader, type Scheme, } from './format/chunk-header.js';
export { ChunkTable, chunkTableBuilder, rowsLengthOf, tableLength, tableTrailerLength, } from './format/chunk-table.js';
export { type FormatError, isFormatError } from './format/format-error.js';
export { bytesOfHash, type Hash, hashAt, hashLength, parseHash, type Term } from './format/hash.js';
export { chunkHash, fileHash, isEligible, rangeHash } from './format/hashing.js';
export { maxChunkBytes, maxShardBytes, maxXorbBytes, maxXorbChunks, maxXorbFooterBytes, } from './format/limits.js';
export { type MerkleTree, merkleTree } from './format/merkle-tree.js';
export { packChunk, type WrittenXorb, writeXorb } from './format/pack-chunk.js';
export { readShard, type ShardFile, type ShardPart, type ShardXorb } from './format/read-shard.js';
export { footerLength } from './format/shard-rows.js';
export { unpackChunk, unpackWhole } from './format/unpack-chunk.js';
export { type FileToRegister, type NamedTable, writeDedupShard, writeShard, } from './format/write-shard.js';

// format/bytes.d.ts
export declare function readUint24(bytes: Uint8Array, offset: number): number;
/** With a sign: where only the bits matter. */
export declare function readInt32(bytes: Uint8Array, offset: number): number;
export declare function readUint32(bytes: Uint8Array, offset: number): number;
export declare function readUint64(bytes: Uint8Array, offset: number): bigint;
export declare function writeUint24(bytes: Uint8Array, value: number, offset: number): void;
export declare function writeUint32(bytes: Uint8Array, value: number, offset: number): void;
export declare function writeUint64(bytes: Uint8Array, value: bigint, offset: number): void;
export declare function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer>;
/** The same bytes with more room behind them, which is zero. */
export declare function withRoom(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer>;
export declare function sameBytes(one: Uint8Array, other: Uint8Array): boolean;

// format/check-xorb.d.ts
/** Is a serialised xorb what it is called? Every chunk is unpacked and hashed; nothing is believed, little is held. */
import { type ChunkTable } from './chunk-table.js';
import { type FormatError } from './format-error.js';
import { type Hash } from './hash.js';
import { type XorbLimits } from './limits.js';
export interface CheckedChunks {
    /** Bytes of the chunks with their headers; a footer behind them is not counted. */
    readonly packedBytes: number;
    readonly unpackedBytes: number;
    readonly table: ChunkTable;
    /** BLAKE3 of the serialised chunks, in plain hexadecimal. */
    readonly digest: string;
}
export declare function checkXorb(read: ReadNext, expected: Hash, limits?: XorbLimits): CheckedChunks | FormatError;
/** Fills from the beginning of `into`; gives how many bytes it was, 0 at the end. */
type ReadNext = (into: Uint8Array) => number;
export {};

// format/chunk-header.d.ts
/** The eight bytes before every chunk of a xorb. */
import { type FormatError } from './format-error.js';
export declare const chunkHeaderLength = 8;
/** How the bytes of a chunk are packed. */
export declare const schemes: {
    readonly none: 0;
    readonly lz4: 1;
    readonly groupedLz4: 2;
};
export type Scheme = keyof typeof schemes;
export interface ChunkHeader {
    readonly scheme: Scheme;
    readonly packedLength: number;
    readonly unpackedLength: number;
}
/** Reads the eight bytes that `bytes` begins with. */
export declare function readChunkHeader(bytes: Uint8Array): ChunkHeader | FormatError;
export declare function writeChunkHeader(header: ChunkHeader, into: Uint8Array, offset?: number): void;

// format/chunk-table.d.ts
/** Which chunks a xorb holds and where: kept behind its bytes, in the same object. */
import { type Hash } from './hash.js';
export declare const tableTrailerLength = 24;
/** How long the table of so many chunks is. */
export declare function tableLength(chunks: number): number;
export declare class ChunkTable {
    #private;
    constructor(rows: Uint8Array);
    get count(): number;
    get packedBytes(): number;
    get unpackedBytes(): number;
    /** Bytes that it takes in memory. */
    get size(): number;
    hash(index: number): Hash;
    hashBytes(index: number): Uint8Array;
    unpackedLength(index: number): number;
    /** Where the chunk's header begins in the serialised xorb. */
    packedStart(index: number): number;
    packedEnd(index: number): number;
    unpackedBetween(start: number, end: number): number;
    /** The rows and what says how many there are: what stands behind the serialised bytes. */
    encoded(): Uint8Array<ArrayBuffer>;
}
/** Collects rows while a xorb is read or written. */
export interface ChunkTableBuilder {
    readonly count: number;
    add(hash: Uint8Array, unpackedLength: number, packedEnd: number): void;
    build(): ChunkTable;
}
export declare function chunkTableBuilder(): ChunkTableBuilder;
/** How long the rows before this trailer are; undefined when it is none of ours. */
export declare function rowsLengthOf(trailer: Uint8Array): number | undefined;

// format/format-error.d.ts
/**
 * A format error in the data of a client: returned, not thrown, because the client has to correct
 * it.
 */
export interface FormatError {
    /** One sentence: what is wrong, where, and what was expected. */
    readonly flaw: string;
}
export declare function formatError(sentence: string): FormatError;
export declare function isFormatError(value: unknown): value is FormatError;
export declare class IntegrityError extends Error {
    readonly name = "IntegrityError";
}
/** All of it came, and it is another file: what was put of it is worth nothing. */
export declare class HashMismatchError extends IntegrityError {
}

// format/hash.d.ts
/** A hash as requests and tables write it: four words of 64 bits, each in hexadecimal. */
/** 64 lower-case hexadecimal digits; the bytes of each 64-bit word are turned around. */
export type Hash = string & {
    readonly brand: 'hash';
};
export declare const hashLength = 32;
/**
 * @example
 * ```ts
 * parseHash('0'.repeat(64)) // a Hash
 * parseHash('0123') // undefined
 * ```
 */
export declare function parseHash(text: string): Hash | undefined;
/** The hash in the 32 bytes from `offset` on. */
export declare function hashAt(bytes: Uint8Array, offset?: number): Hash;
export declare function bytesOfHash(hash: Hash): Uint8Array<ArrayBuffer>;
/** A run of chunks of one xorb: `start` to before `end`. */
export interface Term {
    readonly xorb: Hash;
    readonly start: number;
    readonly end: number;
    readonly unpackedBytes: number;
}

// format/hashing.d.ts
/** The hashes of the format: BLAKE3 under a key for each purpose, so that none passes for another. */
/** Hashes the unpacked bytes of a chunk. */
export declare const chunkHash: import("../platform/hash-functions.js").HashOf;
/** Hashes the lines that make a node of the tree. */
export declare const nodeHash: import("../platform/hash-functions.js").HashOf;
/**
 * Hashes chunk hashes, one behind the other: proves that a client that names a range of chunks had
 * them.
 */
export declare const rangeHash: import("../platform/hash-functions.js").HashOf;
/**
 * Hashes the root of the tree over a file's chunks; a file without chunks has the hash of an empty
 * text.
 */
export declare function fileHash(root: Uint8Array): Uint8Array<ArrayBuffer>;
/** Which chunks clients ask for, besides the first of a file: one in 1024, by the last word of its hash. */
export declare function isEligible(hash: Uint8Array): boolean;

// format/limits.d.ts
export declare const maxChunkBytes: number;
/** A chunk that packing made larger is still read, up to twice its longest. */
export declare const maxPackedChunkBytes: number;
export declare const maxXorbChunks = 8192;
/** Clients fill a xorb with 64 MiB before the headers of its chunks come on top. */
export declare const maxXorbBytes: number;
/**
 * Bytes that a client may add behind the chunks: a hash and two offsets for each, and less than 256
 * bytes.
 */
export declare const maxXorbFooterBytes: number;
export declare const maxShardBytes: number;
export interface XorbLimits {
    readonly chunks: number;
    readonly bytes: number;
}
export declare const xorbLimits: XorbLimits;

// format/merkle-tree.d.ts
/** The tree over chunk hashes that names xorbs and files: grown chunk by chunk, a few nodes a level in memory. */
import { type Hash } from './hash.js';
export interface MerkleTree {
    add(hash: Uint8Array, size: number): void;
    /** The root of the hashes so far; all zero without any. */
    root(): Uint8Array;
    /** The state that another tree goes on from. */
    save(): SavedTree;
}
/** A tree that is not complete, as data that can be copied and saved: its levels, the chunks first. */
export type SavedTree = readonly SavedLevel[];
interface SavedLevel extends Omit<Level, 'first'> {
    readonly first: Hash;
}
/** The children of the node that is not complete yet. */
interface Level {
    lines: string;
    size: number;
    children: number;
    /** Complete or not, how many nodes this level has had. */
    nodes: number;
    first: Uint8Array;
}
export declare function merkleTree(saved?: SavedTree): MerkleTree;
export {};

// format/pack-chunk.d.ts
/** Makes a chunk ready for a xorb: its header, and its bytes as small as they get. */
import { type Scheme } from './chunk-header.js';
import { type ChunkTable } from './chunk-table.js';
import { type Hash } from './hash.js';
/** Without its header; the bytes may be the chunk's own. */
interface PackedBytes {
    readonly scheme: Scheme;
    readonly bytes: Uint8Array;
}
/** Without a scheme, the one that gives the smallest. */
export declare function packChunk(chunk: Uint8Array, scheme?: Scheme): Uint8Array<ArrayBuffer>;
/** As the sample promises; a chunk that gets no smaller stays as it is. */
export declare function packBytes(chunk: Uint8Array): PackedBytes;
/** Writes header and bytes to the beginning of `into`. */
export declare function writePacked({ scheme, bytes }: PackedBytes, unpackedLength: number, into: Uint8Array): void;
export declare function chooseScheme(chunk: Uint8Array): Scheme;
export interface WrittenXorb {
    readonly hash: Hash;
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly table: ChunkTable;
}
/** Without a scheme, each chunk gets the one that makes it smallest. */
export declare function writeXorb(chunks: Iterable<Uint8Array>, scheme?: Scheme): WrittenXorb;
export {};

// format/read-shard.d.ts
/** Reads a shard part by part as it arrives; what it says is only well-formed then, not true. */
import { type FormatError } from './format-error.js';
import { type Hash } from './hash.js';
import { type ShardLimits } from './row-reader.js';
import { ShardChunks, ShardRanges, ShardTerms } from './shard-rows.js';
export type { ShardLimits } from './row-reader.js';
/** After a flaw nothing follows. */
export type ShardPart = ShardFile | ShardXorb | FormatError;
export declare function readShard(source: AsyncIterable<Uint8Array>, limits?: ShardLimits): AsyncGenerator<ShardPart>;
export interface ShardFile {
    readonly kind: 'file';
    readonly hash: Hash;
    readonly terms: ShardTerms;
    /** As many as there are terms. */
    readonly ranges: ShardRanges | undefined;
    /** In plain hexadecimal. */
    readonly sha256: string | undefined;
}
export interface ShardXorb {
    readonly kind: 'xorb';
    readonly hash: Hash;
    readonly chunks: ShardChunks;
    readonly unpackedBytes: number;
    readonly packedBytes: number;
}

// format/row-reader.d.ts
/** Takes rows out of bytes that arrive as they like. */
import { type FormatError } from './format-error.js';
export interface RowReader {
    /** How much was taken so far. */
    readonly offset: number;
    /** So many rows; undefined when the bytes end before. Memory grows with what arrives, not with what is asked for. */
    take(rows: number): Promise<Uint8Array | undefined>;
    /** Takes all that is left without keeping it; gives how much it was. */
    drain(): Promise<number>;
    close(): Promise<void>;
}
export declare function rowReader(source: AsyncIterable<Uint8Array>): RowReader;
export interface ShardLimits {
    readonly bytes: number;
    /** Terms of one file: they are held together. */
    readonly terms: number;
}
export declare const shardLimits: ShardLimits;
export declare function takeRows(reader: RowReader, count: number, limits: ShardLimits): Promise<Uint8Array | FormatError>;
/** An error in the row that was taken last. */
export declare function flawedRow(reader: RowReader, what: string): FormatError;
export declare function flawAt(offset: number, what: string): FormatError;
export declare function cutOff(reader: RowReader): FormatError;
export declare function tooLong({ bytes }: ShardLimits): FormatError;

// format/shard-rows.d.ts
/** Rows of a shard as they came: read only where somebody looks. */
import { type Hash } from './hash.js';
export declare const shardVersion = 2n;
export declare const footerVersion = 1n;
/** The header is as long as a row; so are headers of files and xorbs, and what follows them. */
export declare const rowLength = 48;
export declare const footerLength = 200;
/** Said of a file: its terms are followed by the hashes of their runs, and by a SHA-256. */
export declare const withRanges = 2147483648;
export declare const withSha256 = 1073741824;
/** Ends the files, and the xorbs. */
export declare const bookend: Uint8Array<ArrayBuffer>;
/** The header, and a bookend each behind the files and the xorbs. */
export declare const emptyShardLength: number;
/** A run of chunks of one xorb: `start` to before `end`. */
export interface ShardTerm {
    readonly xorb: Hash;
    readonly start: number;
    readonly end: number;
    readonly unpackedBytes: number;
}
/** Rows that begin with a hash. */
declare class Rows {
    protected readonly rows: Uint8Array;
    constructor(rows: Uint8Array);
    get count(): number;
    hash(index: number): Hash;
    hashBytes(index: number): Uint8Array;
}
export declare class ShardTerms extends Rows implements Iterable<ShardTerm> {
    at(index: number): ShardTerm;
    [Symbol.iterator](): Iterator<ShardTerm>;
}
/** For each term the hash of its run of chunks. */
export declare class ShardRanges extends Rows {
}
export declare class ShardChunks extends Rows {
    unpackedLength(index: number): number;
    /** Whether the shard wants questions for this chunk to be answered. */
    isMarked(index: number): boolean;
}
export declare const shardTag: Uint8Array<ArrayBuffer>;
export declare function isBookend(row: Uint8Array): boolean;
/** A row of its own, two for each term, and the SHA-256. */
export declare function fileLength(terms: number): number;
/** A row of its own, and one for each chunk. */
export declare function xorbLength(chunks: number): number;
export {};

// format/unpack-chunk.d.ts
/** The bytes of a chunk as they were before they were packed: exactly as many as its header says, or a flaw. */
import { type ChunkHeader } from './chunk-header.js';
import { type FormatError } from './format-error.js';
/** `packed` is what stands behind the header; the result may be a view of it. */
export declare function unpackChunk(header: ChunkHeader, packed: Uint8Array): Uint8Array | FormatError;
/** Unpacks one chunk with its header, and no bytes behind it. */
export declare function unpackWhole(chunk: Uint8Array): Uint8Array | FormatError;

// format/write-shard.d.ts
/** Writes shards: one that registers files, one that answers who asks for a chunk. */
import type { ChunkTable } from './chunk-table.js';
import { type Hash } from './hash.js';
import { type ShardTerm } from './shard-rows.js';
export interface NamedTable {
    readonly hash: Hash;
    readonly table: ChunkTable;
}
export interface FileToRegister {
    readonly hash: Hash;
    /** Each with the hash of its run of chunks. */
    readonly terms: readonly (ShardTerm & {
        readonly range: Uint8Array;
    })[];
    readonly sha256?: Uint8Array;
}
/** In seconds since 1970. */
interface Validity {
    readonly createdAt: number;
    readonly expiresAt: number;
}
/** The form that is uploaded: without a footer. */
export declare function writeShard(files: readonly FileToRegister[], xorbs: readonly NamedTable[]): Uint8Array<ArrayBuffer>;
/** No files; the chunk hashes are under no key. */
export declare function writeDedupShard(xorbs: readonly NamedTable[], validity: Validity): Uint8Array<ArrayBuffer>;
export {};

// index.d.ts
/** Uploads and downloads through a storage that speaks the public API. */
export { hashData } from './cutting/file-cutter.js';
export * from './download.js';
export { readParts } from './upload/read-parts.js';
export type { UploadCalls } from './upload/upload-calls.js';
export { startUpload, type Upload, type UploadedFile } from './upload/upload-files.js';

// pieces.d.ts
/** Packs a file that comes piece by piece, by programs that keep their place between two pieces. */
export { canContinue, maxPieceBytes, type PackedPiece, type PackedXorb, type PieceCalls, type PieceState, packPiece, type WholeFile, } from './pieces/pack-piece.js';

// pieces/pack-piece.d.ts
/** Cuts and packs one piece of a file. Its state can be saved, so that the next piece may come after a restart. */
import { type Hash, type Term } from '../format/hash.js';
import { type SavedTree } from '../format/merkle-tree.js';
import { type PackedXorb } from './xorb-writer.js';
export type { PackedXorb } from './xorb-writer.js';
/** With the rest of the piece before it, its new chunks fit into one xorb. */
export declare const maxPieceBytes: number;
/** The place in a file between two pieces, as data that can be copied and saved. */
export interface PieceState {
    /** The length of the file so far, with the rest. */
    readonly bytes: number;
    readonly tree: SavedTree;
    readonly sha256: Uint8Array;
    /** Bytes after the last whole chunk. */
    readonly rest: Uint8Array;
    readonly firstChunk: Hash | undefined;
}
export interface PieceCalls {
    /** The next bytes of the piece; 0 at its end. */
    read(into: Uint8Array): number;
    /** The next bytes of the xorb. */
    write(bytes: Uint8Array): void;
    /** A shard with xorbs that have the chunk; undefined where none has. */
    findChunk(chunk: Hash): Promise<Uint8Array | undefined>;
}
export interface WholeFile {
    readonly hash: Hash;
    readonly sha256: Uint8Array;
}
export interface PackedPiece {
    readonly state: PieceState;
    /** The chunks of the piece, in its own xorb and in xorbs that were found. */
    readonly terms: readonly Term[];
    /** Undefined where every chunk was found. */
    readonly xorb: PackedXorb | undefined;
    /** With the last piece. */
    readonly file: WholeFile | undefined;
}
/** False for a state that was saved with another version of the hash function. */
export declare function canContinue({ sha256 }: Pick<PieceState, 'sha256'>): Promise<boolean>;
/** Each costs milliseconds of the thread, and one names a whole xorb. A body made of first chunks asks for one per chunk. */
export declare const maxShards = 32;
/** Without a state, the file begins. */
export declare function packPiece({ read, write, findChunk }: PieceCalls, { state, isLast }: {
    readonly state: PieceState | undefined;
    readonly isLast: boolean;
}): Promise<PackedPiece>;

// pieces/xorb-writer.d.ts
/** Writes a xorb chunk by chunk as it is packed, so that none of it stays in memory. */
import { type Hash } from '../format/hash.js';
import type { ChunkPlace } from '../upload/known-chunks.js';
export interface PackedXorb {
    readonly hash: Hash;
    readonly bytes: number;
}
export interface XorbWriter {
    isEmpty(): boolean;
    add(chunk: Uint8Array, hash: Uint8Array): ChunkPlace;
    /** Gives it its name; undefined for one without chunks. */
    seal(): PackedXorb | undefined;
}
export declare function xorbWriter(write: (bytes: Uint8Array) => void): XorbWriter;

// platform/hash-functions.d.ts
/** The result has memory of its own. */
export type HashOf = (bytes: Uint8Array | string) => Uint8Array<ArrayBuffer>;
export interface RunningBlake3 {
    update(bytes: Uint8Array): unknown;
    digest(format: 'hex'): string;
}
export interface RunningSha256 {
    update(bytes: Uint8Array): unknown;
    digest(): Uint8Array;
}

// platform/node/hashes.d.ts
/** BLAKE3 and SHA-256 in native code. */
import type { HashOf, RunningBlake3, RunningSha256 } from '../hash-functions.js';
/** Native code is there from the start. */
export declare function loadHashes(): Promise<void>;
/** One hasher a key: making one takes longer than hashing a node. */
export declare function blake3Under(key: Uint8Array): HashOf;
export declare function newBlake3(): RunningBlake3;
export declare function newSha256(): RunningSha256 | Promise<RunningSha256>;

// platform/portable/hashes.d.ts
/** BLAKE3 and SHA-256 as WebAssembly, which has to be loaded before the first hash. */
import type { HashOf, RunningBlake3, RunningSha256 } from '../hash-functions.js';
/** Callers that hash wait for it; it loads only once. */
export declare function loadHashes(): Promise<void>;
/** Called as modules are loaded, so that all keys are known before any hash is. */
export declare function blake3Under(key: Uint8Array): HashOf;
/** One hasher for all: a call ends what the last one has begun. */
export declare function newBlake3(): RunningBlake3;
export declare function newSha256(): Promise<RunningSha256>;

// storage/storage-calls.d.ts
/**
 * Makes the storage calls of transfers, over any HTTP function: the command has another one than a
 * page.
 */
import type { DownloadCalls } from '../download/download-calls.js';
import type { UploadCalls } from '../upload/upload-calls.js';
export interface StorageQuestion {
    readonly method?: 'GET' | 'HEAD' | 'POST';
    /** The scope of the token. */
    readonly scope?: 'write';
    readonly headers?: Readonly<Record<string, string>>;
    /** The body. */
    readonly parts?: readonly Uint8Array[];
    /** Whether a 404 is an answer. */
    readonly mayBeMissing?: boolean;
}
export interface StorageAnswer {
    readonly headers: {
        get(name: string): string | null;
    };
    /** Empty where parts were sent. */
    readonly bytes: Uint8Array;
}
/** Undefined for what is missing and may be; any other "no" is thrown. */
export type AskStorage = (path: string, question: StorageQuestion) => Promise<StorageAnswer | undefined>;
/** With a token that may write. One token is enough: it may read as well. */
export declare function uploadCallsOver(ask: AskStorage): UploadCalls;
/** The token opens the answer that names URLs, and goes no further. */
export declare function reconstructOver(ask: AskStorage, readStorageUrl: () => Promise<string>): DownloadCalls['reconstruct'];
/** Undefined for invalid JSON, which a download refuses. */
export declare function jsonIn(bytes: Uint8Array | undefined): unknown;

// upload/known-chunks.d.ts
/** Chunks that need not be sent, because a xorb has them already. */
import type { Hash } from '../format/hash.js';
import type { UploadCalls } from './upload-calls.js';
/** A xorb that terms may refer to. One that is being filled gets its name when it is complete. */
export interface KnownXorb {
    name: Hash | undefined;
    /** Empty once it is forgotten: terms need the name alone. */
    readonly chunks: Hash[];
}
export interface ChunkPlace {
    readonly xorb: KnownXorb;
    readonly index: number;
}
interface KnownChunks {
    find(chunk: Hash): ChunkPlace | undefined;
    learn(place: ChunkPlace): void;
}
/** Only so many chunks are remembered: those of the xorbs that were learnt of last. */
export declare function knownChunks(maxChunks: number): KnownChunks;
export interface ChunkFinder {
    placeOf(chunk: Hash): ChunkPlace | undefined;
    /** The storage is asked once for each chunk, also by several files at once. */
    ask(chunk: Hash): Promise<ChunkPlace | undefined>;
    learn(place: ChunkPlace): void;
}
export declare function chunkFinder({ findChunk }: Pick<UploadCalls, 'findChunk'>, maxChunks?: number): ChunkFinder;
export {};

// upload/packed-blocks.d.ts
/** Memory for packed chunks: blocks that are used again, because new ones keep the garbage collector busy. */
import { type ChunkTable } from '../format/chunk-table.js';
import { type Hash } from '../format/hash.js';
import type { ChunkPlace } from './known-chunks.js';
interface BlockPool {
    take(): Uint8Array;
    /** For the next `take`: nothing may read them from now on. */
    giveBack(blocks: readonly Uint8Array[]): void;
}
export declare function blockPool(): BlockPool;
/** Chunks that do not get smaller fit as well, with what stands before each. */
export declare const maxUnpackedBytes: number;
export interface PackedPlace extends ChunkPlace {
    readonly packedBytes: number;
}
export interface SealedXorb {
    readonly hash: Hash;
    readonly table: ChunkTable;
    readonly parts: readonly Uint8Array[];
    /** The memory of the parts is used for another xorb. */
    release(): void;
}
interface OpenXorb {
    /** Bytes of its chunks before they are packed, headers included. */
    readonly unpackedBytes: number;
    hasRoomFor(chunkBytes: number): boolean;
    add(chunk: Uint8Array, hash: Uint8Array): PackedPlace;
    /** Gives it its name; nothing is added afterwards. */
    seal(): SealedXorb;
}
export declare function openXorb(pool: BlockPool): OpenXorb;
export {};

// upload/read-parts.d.ts
/** Reads a file in large parts, each where its reader wants it. */
/** As much of a file that Node has opened as is used here. */
interface ReadableHandle {
    read(memory: Uint8Array, offset: number, length: number): Promise<{
        readonly bytesRead: number;
    }>;
}
/**
 * From where the handle stands to the end. A part is read into the memory that `next` was called with, or else into memory
 * of our own, where it is good until the next is asked for.
 *
 * @example
 * ```ts
 * const upload = startUpload(calls)
 * const { hash } = await upload.add(readParts(await open('weights.bin')))
 * ```
 */
export declare function readParts(handle: ReadableHandle): AsyncGenerator<Uint8Array, void, Uint8Array | undefined>;
export {};

// upload/upload-calls.d.ts
import type { Hash } from '../format/hash.js';
export interface UploadCalls {
    /** A shard that tells which xorbs have the chunk and what may follow it; undefined where none has it. */
    findChunk(chunk: Hash): Promise<Uint8Array | undefined>;
    /** Whether the file is registered where it is uploaded to, so that it need not be again. */
    hasFile(file: Hash): Promise<boolean>;
    /** The bytes come in parts, whose memory is used for other bytes as soon as this is done. */
    sendXorb(xorb: Hash, parts: readonly Uint8Array[]): Promise<void>;
    sendShard(shard: Uint8Array): Promise<void>;
}

// upload/upload-files.d.ts
/** Uploads files: each is cut into chunks, what the storage lacks is sent, and shards register them in the end. */
import type { Hash } from '../format/hash.js';
import type { UploadCalls } from './upload-calls.js';
import { type SegmentSize, type SendLimits } from './xorb-packer.js';
export interface UploadedFile {
    readonly hash: Hash;
    readonly bytes: number;
    /** Bytes of it that were sent, packed. */
    readonly uploadedBytes: number;
    /** Bytes of it that the storage had already, unpacked. */
    readonly deduplicatedBytes: number;
}
export interface Upload {
    /**
     * A file counts only once `finish` is done. Where files are added at once, the storage is asked about all of them, and
     * their chunks are sent in the order of the calls. The parts of the data are not kept.
     */
    add(data: AsyncIterable<Uint8Array>): Promise<UploadedFile>;
    finish(): Promise<void>;
}
interface UploadOptions {
    /** Called after each xorb that the storage has acknowledged, with the packed bytes of all of them so far. */
    readonly onAcknowledged?: (bytes: number) => void;
    /** Called with how much of the data the storage has by now: found there, or acknowledged. */
    readonly onSettled?: (bytes: number) => void;
    /** @default the pace of `latchkey upload` */
    readonly pace?: UploadPace;
}
/** How files are divided into xorbs, and how many of them are on their way at once. */
export interface UploadPace {
    readonly segments: readonly SegmentSize[];
    readonly limits: SendLimits;
}
/**
 * @example
 * ```ts
 * const upload = startUpload(calls)
 * const { hash } = await upload.add(createReadStream('weights.bin'))
 * await upload.finish()
 * ```
 */
export declare function startUpload(calls: UploadCalls, options?: UploadOptions): Upload;
export {};

// upload/xorb-packer.d.ts
/** Fills xorbs with new chunks; those that are complete are on their way while the next is filled. */
import type { ChunkTable } from '../format/chunk-table.js';
import type { Hash } from '../format/hash.js';
import { type PackedPlace } from './packed-blocks.js';
import type { UploadCalls } from './upload-calls.js';
export interface SendLimits {
    readonly bytes: number;
    /** The first ones arrive sooner, and the storage checks them while the next come. */
    readonly atOnce: number;
}
/** Told after each xorb that the storage has acknowledged: the bytes of all of them so far, packed and unpacked. */
type OnAcknowledged = (packedBytes: number, unpackedBytes: number) => void;
interface SentXorb {
    readonly hash: Hash;
    readonly table: ChunkTable;
}
export interface XorbPacker {
    /** Whether such a chunk would be the first of a xorb, if it were added. */
    wouldBegin(chunkBytes: number, segment: Segment): boolean;
    /** Waits for room when too much is on its way. */
    add(chunk: Uint8Array, hash: Uint8Array, segment: Segment): Promise<PackedPlace>;
    /** A chunk of the segment was found: nothing is added, but a xorb that ends before the segment is sent. */
    pass(segment: Segment): Promise<void>;
    /** Begins to send the last xorb, too. */
    finish(): Promise<PackedXorbs>;
}
export interface PackedXorbs {
    readonly sent: readonly SentXorb[];
    /** Resolves when the storage has acknowledged all of them. */
    arrived(): Promise<void>;
}
export declare function xorbPacker(send: UploadCalls['sendXorb'], onAcknowledged?: OnAcknowledged, limits?: SendLimits): XorbPacker;
export interface SegmentSize {
    readonly bytes: number;
    /** Packs the segments that begin before this byte of the file. */
    readonly until: number;
}
/** A part of a file whose chunks go into one xorb, if all of them are new. */
export interface Segment {
    readonly bytes: number;
}
/** Gives the segment of a chunk by where the chunk begins, which only grows: the same object until the next begins. */
export declare function fileSegments(sizes?: readonly SegmentSize[]): (chunkStart: number) => Segment;
export {};
