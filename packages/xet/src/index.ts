/** Uploads and downloads through a storage that speaks the public API. */

export { type Hash, parseHash } from './format/hash.ts'
export { type BlobRequest, BrokenRun, type DownloadCalls } from './transfer/download-calls.ts'
export { type Download, downloadFile } from './transfer/download-file.ts'
export { Misdelivered } from './transfer/misdelivered.ts'
export { readBlob } from './transfer/read-blob.ts'
export type { UploadCalls } from './transfer/upload-calls.ts'
export { startUpload, type Upload, type UploadedFile } from './transfer/upload-files.ts'
