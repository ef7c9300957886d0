/** Uploads and downloads through a storage that speaks the public API. */

export { type BlobReader, blobReader } from './blob/blob-reader.ts'
export { hashData } from './cutting/hash-data.ts'
export {
  type Arrived,
  type BlobRequest,
  BrokenRun,
  type ByteRange,
  type DownloadCalls,
} from './download/download-calls.ts'
export { type Download, downloadFile } from './download/download-file.ts'
export { type PreparedDownload, prepareDownload } from './download/download-into.ts'
export type {
  DownloadTarget,
  EarlierChunk,
  EarlierDownload,
  FoundChunks,
} from './download/download-target.ts'
export { type Hash, parseHash } from './format/hash.ts'
export { Misdelivered, OtherFile } from './format/misdelivered.ts'
export { readAhead } from './upload/read-ahead.ts'
export type { UploadCalls } from './upload/upload-calls.ts'
export { startUpload, type Upload, type UploadedFile } from './upload/upload-files.ts'
