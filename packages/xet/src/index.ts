/** Uploads and downloads through a storage that speaks the public API. */

export { type Hash, parseHash } from './format/hash.ts'
export { type BlobReader, blobReader } from './transfer/blob-reader.ts'
export {
  type Arrived,
  type BlobRequest,
  BrokenRun,
  type ByteRange,
  type DownloadCalls,
} from './transfer/download-calls.ts'
export { type Download, downloadFile } from './transfer/download-file.ts'
export { type PreparedDownload, prepareDownload } from './transfer/download-into.ts'
export type {
  DownloadTarget,
  EarlierChunk,
  EarlierDownload,
  FoundChunks,
} from './transfer/download-target.ts'
export { hashData } from './transfer/hash-data.ts'
export { Misdelivered, OtherFile } from './transfer/misdelivered.ts'
export { readAhead } from './transfer/read-ahead.ts'
export type { UploadCalls } from './transfer/upload-calls.ts'
export { startUpload, type Upload, type UploadedFile } from './transfer/upload-files.ts'
