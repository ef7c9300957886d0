/** From the files and folders that a person named to the files that are uploaded. */

import { constants, type Stats, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pathFlaw, treeFlaw } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import { readParts } from '@latchkey/xet'
import { cannotRead } from '../output/cannot-read.ts'
import { refused, Stop, wrongUsage } from '../output/stop.ts'
import { hasChanged, openData } from '../transfer/request-data.ts'
import { type FoundFile, type LeftOut, walkFolder } from './walk-folder.ts'

export interface CollectedSources {
  readonly sources: readonly Source[]
  /** The names that are folders. */
  readonly folders: readonly string[]
  readonly leftOut: readonly LeftOut[]
}

/** A name that is a link was meant, and is followed; a link inside a folder is not. */
export function collectSources(paths: readonly string[]): CollectedSources {
  if (paths.indexOf('-') !== paths.lastIndexOf('-')) {
    throw wrongUsage('<file...>: standard input can be read once; name - once')
  }
  const all = paths.map(collect)
  return {
    sources: all.flatMap(({ sources }) => sources),
    folders: all.flatMap(({ folders }) => folders),
    leftOut: all.flatMap(({ leftOut }) => leftOut),
  }
}

const nothing: CollectedSources = { sources: [], folders: [], leftOut: [] }

function collect(file: string): CollectedSources {
  if (file === '-') return { ...nothing, sources: [streamed({ file, path: '' }, process.stdin)] }
  const status = statusOf(file)
  return status.isDirectory() ? ofFolder(file) : { ...nothing, sources: [ofFile(file, status)] }
}

function statusOf(file: string): Stats {
  try {
    return statSync(file)
  } catch (error) {
    throw cannotRead(file, error)
  }
}

/** Opens a file that is not regular, such as a named pipe, immediately. */
function ofFile(file: string, stats: Stats): Source {
  const path = basename(resolve(file))
  const data = openData(file)
  return typeof data === 'function'
    ? regular({ file, path, stats })
    : streamed({ file, path }, data)
}

function regular({ file, path, stats }: FoundFile): Source {
  return { file, path, size: stats.size, open: () => readUnchanged(file, stats), close() {} }
}

function streamed(named: Pick<Source, 'file' | 'path'>, data: AsyncIterable<Uint8Array>): Source {
  const close = () => void (data instanceof Readable && data.destroy())
  return { ...named, size: undefined, open: () => data, close }
}

function ofFolder(folder: string): CollectedSources {
  const { files, leftOut } = walkFolder(folder)
  if (files.length === 0) throw refused(`${quoteGiven(folder)} has no file to upload`)
  const sources = files.map(regular)
  return { sources, folders: [folder], leftOut }
}

export function checkNames(sources: readonly Source[]): void {
  for (const { file, path } of sources) {
    if (file === '-')
      throw wrongUsage(
        '<file...>: - (standard input) cannot be used with --manifest, because it has no file name',
      )
    const flaw = pathFlaw(path)
    if (flaw === undefined) continue
    throw refused(`${quoteGiven(file)} cannot be in a manifest: its path ${flaw}; rename it`)
  }
  const flawed = treeFlaw(sources.map(({ path }) => path))
  if (flawed === undefined) return
  const files = sources
    .filter(({ path }) => path === flawed.path)
    .map(({ file }) => quoteGiven(file))
  throw refused(
    `${quoteGiven(flawed.path)} ${flawed.flaw} in the manifest (${files.join(', ')}); upload the folder above, or one after the other`,
  )
}

export interface Source {
  /** As the person named it, or below the folder they named. */
  readonly file: string
  /** Empty where it has no name: standard input. */
  readonly path: string
  /** Undefined where it is not known before the end: standard input, a pipe. */
  readonly size: number | undefined
  open(): AsyncIterable<Uint8Array>
  /** Lets go of what may never end. */
  close(): void
}

/** Read at once, without memory for two parts. */
const smallBytes = 1024 * 1024

/** A file that was put in its place since, or a link to another one, has another inode. */
export async function* readUnchanged(file: string, stats: Stats): AsyncGenerator<Uint8Array> {
  const handle = await openFile(file)
  try {
    await mustBe(stats, handle, file)
    if (stats.size <= smallBytes) yield await handle.readFile()
    else yield* readParts(handle)
    await mustBe(stats, handle, file)
  } catch (error) {
    throw error instanceof Stop ? error : cannotRead(file, error)
  } finally {
    await handle.close()
  }
}

/** A pipe without a writer that stands there by now would hold the process for ever. */
async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    throw cannotRead(file, error)
  }
}

async function mustBe(stats: Stats, handle: FileHandle, file: string): Promise<void> {
  const now = await handle.stat()
  const same = (['dev', 'ino', 'size', 'mtimeMs'] as const).every((key) => now[key] === stats[key])
  if (!same) throw hasChanged(quoteGiven(file))
}
