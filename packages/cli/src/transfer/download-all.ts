/** Downloads files of a manifest into a folder; those that are there already are not fetched again. */

import { createReadStream, lstatSync } from 'node:fs'
import { eachOf } from '@latchkey/service/limits/each-of'
import { quoteGiven } from '@latchkey/service/text'
import type { DownloadCalls } from '@latchkey/xet/download'
import type { ManifestFile } from '../manifest/manifest.ts'
import { Stop } from '../output/stop.ts'
import { checkBelow, makeBelow } from './below-folder.ts'
import { downloadToFile } from './download-to-file.ts'

export interface FilesToGet {
  readonly files: readonly ManifestFile[]
  readonly folder: string
  /** Progress of all files together: stored bytes, and all bytes. */
  readonly onProgress: (bytes: number, total: number) => void
}

export interface Got {
  readonly downloaded: number
  readonly wereThere: number
}

/** Many at once: each takes longer to ask for than to fetch. A larger one is fetched in parts at once, alone. */
const smallBytes = 1024 * 1024
const smallAtOnce = 8

/** Reports files that cannot be written before it fetches any. */
export function checkAll({ files, folder }: Pick<FilesToGet, 'files' | 'folder'>): void {
  for (const { path } of files) checkBelow(folder, path)
}

export async function downloadAll(calls: DownloadCalls, all: FilesToGet): Promise<Got> {
  const total = all.files.reduce((sum, { bytes }) => sum + bytes, 0)
  const placed = new Map<string, number>()
  let [done, wereThere] = [0, 0]
  const get = async (file: ManifestFile) => {
    const onProgress = (bytes: number) => {
      done += bytes - (placed.get(file.path) ?? 0)
      placed.set(file.path, bytes)
      all.onProgress(done, total)
    }
    const to = makeBelow(all.folder, file.path)
    if (await isThere(to.file, file)) {
      wereThere += 1
      onProgress(file.bytes)
    } else await downloadToFile(calls, { ...file, to }, onProgress).catch(named(file))
  }
  const isSmall = ({ bytes }: ManifestFile) => bytes <= smallBytes
  await eachOf(all.files.filter(isSmall), smallAtOnce, get)
  await eachOf(
    all.files.filter((file) => !isSmall(file)),
    1,
    get,
  )
  return { downloaded: all.files.length - wereThere, wereThere }
}

/** Which of many files it is about. */
function named({ path }: ManifestFile) {
  return (error: unknown): never => {
    if (!(error instanceof Stop)) throw error
    throw new Stop(error.exitCode, `${quoteGiven(path)}: ${error.message}`)
  }
}

/** A file with other content is replaced, so it must be read to its end to be left alone. */
async function isThere(path: string, { bytes, hash }: ManifestFile): Promise<boolean> {
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there?.isFile() !== true || there.size !== bytes) return false
  const { hashData } = await import('@latchkey/xet')
  const found = await hashData(createReadStream(path)).catch(() => undefined)
  return found === hash
}
