/** The bytes of a file that is uploaded, and how many of all there are have passed. */

import type { ProgressBar } from './progress-bar.ts'
import type { FileData } from './request-data.ts'

type OnProgress = ProgressBar['watch']['onUploadProgress']

/** Opened before the first is read, so that what changes meanwhile is noticed. */
export async function fileBytes(
  files: readonly FileData[],
  onProgress: OnProgress = () => {},
): Promise<AsyncIterable<Uint8Array>[]> {
  const opened = await Promise.all(
    files.map((file) => (typeof file === 'function' ? file() : file)),
  )
  const total = opened.reduce<number | undefined>(
    (sum, one) => (sum !== undefined && one instanceof Blob ? sum + one.size : undefined),
    0,
  )
  let passed = 0
  const counted = async function* (data: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const part of data) {
      yield part
      passed += part.length
      onProgress(passed, total)
    }
  }
  return opened.map((one) => counted(one instanceof Blob ? one.stream() : one))
}
