/** Moves files between a program and a storage, in Node, Deno, Bun and browsers: tokens, retries and checks included. */

export { type ClientCode, type ErrorCode, LatchkeyError, Secret } from '@latchkey/client'
export { RangeFetchError } from './download/download-calls.ts'
export { createFileClient, type FileClient } from './files/create-file-client.ts'
export type { DownloadOptions, FileDownload } from './files/download-file.ts'
export type { FileSource } from './files/file-source.ts'
export { hashFile } from './files/hash-file.ts'
export type { TransferOptions } from './files/transfer.ts'
export { HashMismatchError, IntegrityError } from './format/format-error.ts'
export type { Hash } from './format/hash.ts'
export type { UploadedFile } from './upload/upload-files.ts'
