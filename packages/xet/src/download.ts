/** Downloads through a storage that speaks the public API; a program that only downloads loads nothing else. */

export { blobReader } from '#blob-reader'
export { backoffMs, triesWithin } from './download/backoff.ts'
export {
  type ArrivedBytes,
  type BlobReader,
  type BlobRequest,
  type ByteRange,
  type DownloadCalls,
  RangeFetchError,
} from './download/download-calls.ts'
export {
  type Download,
  downloadFile,
  type PreparedDownload,
  prepareDownload,
} from './download/download-file.ts'
export type {
  DownloadTarget,
  EarlierChunk,
  EarlierDownload,
  FoundChunks,
} from './download/resume-run.ts'
export { HashMismatchError, IntegrityError } from './format/format-error.ts'
export { type Hash, parseHash } from './format/hash.ts'
export {
  type AskStorage,
  reconstructOver,
  type StorageAnswer,
  type StorageQuestion,
  uploadCallsOver,
} from './storage/storage-calls.ts'
