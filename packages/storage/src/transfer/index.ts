/** Uploads and downloads through a storage that speaks the public API, for the command. */

export { type Hash, parseHash } from '../format/hash.ts'
export { type BlobRequest, BrokenRun, type DownloadCalls } from './download-calls.ts'
export { type Download, downloadFile } from './download-file.ts'
export { Misdelivered } from './misdelivered.ts'
export { readBlob } from './read-blob.ts'
export type { UploadCalls } from './upload-calls.ts'
export { startUpload, type Upload, type UploadedFile } from './upload-files.ts'
