/** A client that moves files of one repository and revision, for one identity. */

import {
  createStorageClient,
  LatchkeyError,
  type StorageClient,
  type StorageClientOptions,
} from '@latchkey/client'
import type { UploadedFile } from '../upload/upload-files.ts'
import {
  type DownloadOptions,
  downloadFile,
  downloadTypes,
  type FileDownload,
} from './download-file.ts'
import type { FileSource } from './file-source.ts'
import { checkOptions, type TransferOptions } from './transfer.ts'
import { uploadFile } from './upload-file.ts'

export interface FileClient {
  /** The file is registered when this resolves. After a failure, the same call sends only what the storage lacks. */
  upload(source: FileSource, options?: TransferOptions): Promise<UploadedFile>
  /** By the hash that `upload` gave. */
  download(hash: string, options?: DownloadOptions): Promise<FileDownload>
  /** Ends all transfers. A `StorageClient` that was passed in stays open. */
  close(): void
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
export function createFileClient(
  clientOrOptions: StorageClient | StorageClientOptions,
): FileClient {
  const leaving = new AbortController()
  const client = isClient(clientOrOptions) ? clientOrOptions : createStorageClient(clientOrOptions)
  const both = ({ signal }: TransferOptions) =>
    signal === undefined ? leaving.signal : AbortSignal.any([leaving.signal, signal])
  return {
    async upload(source, options = {}) {
      checkOptions('upload', options)
      return uploadFile(client, source, { ...options, signal: both(options) })
    },
    async download(hash, options = {}) {
      checkOptions('download', options, downloadTypes)
      return downloadFile(client, hash, { ...options, signal: both(options) })
    },
    close() {
      leaving.abort(new LatchkeyError('closed', 'The client is closed.'))
      if (!isClient(clientOrOptions)) client.close()
    },
  }
}

function isClient(
  clientOrOptions: StorageClient | StorageClientOptions,
): clientOrOptions is StorageClient {
  return (
    typeof clientOrOptions === 'object' &&
    clientOrOptions !== null &&
    'token' in clientOrOptions &&
    'fetch' in clientOrOptions
  )
}
