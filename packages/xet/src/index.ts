/** Uploads and downloads through a storage that speaks the public API. */

export { hashData } from './cutting/file-cutter.ts'
export * from './download.ts'
export { readParts } from './upload/read-parts.ts'
export type { UploadCalls } from './upload/upload-calls.ts'
export { startUpload, type Upload, type UploadedFile } from './upload/upload-files.ts'
