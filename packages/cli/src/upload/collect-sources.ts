/** From the files and folders that a person named to the files that are uploaded. */

import { type Stats, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { quoteGiven } from '@latchkey/service/text/escape'
import { cannotRead } from '../output/cannot-read.ts'
import { refused, wrongUsage } from '../output/stop.ts'
import { openData } from '../transfer/request-data.ts'
import { readUnchanged } from './read-unchanged.ts'
import type { Source } from './source.ts'
import { type FoundFile, type LeftOut, walkFolder } from './walk-folder.ts'

export interface Collected {
  readonly sources: readonly Source[]
  /** Those of the names that are folders. */
  readonly folders: readonly string[]
  readonly leftOut: readonly LeftOut[]
}

/** A name that is a link was meant, and is followed; a link inside a folder is not. */
export function collectSources(given: readonly string[]): Collected {
  if (given.indexOf('-') !== given.lastIndexOf('-')) {
    throw wrongUsage('<file...>: standard input can be read once; name - once')
  }
  const all = given.map(collect)
  return {
    sources: all.flatMap(({ sources }) => sources),
    folders: all.flatMap(({ folders }) => folders),
    leftOut: all.flatMap(({ leftOut }) => leftOut),
  }
}

const nothing: Collected = { sources: [], folders: [], leftOut: [] }

function collect(given: string): Collected {
  if (given === '-')
    return { ...nothing, sources: [streamed({ file: given, path: '' }, process.stdin)] }
  const status = statusOf(given)
  return status.isDirectory() ? ofFolder(given) : { ...nothing, sources: [ofFile(given, status)] }
}

function statusOf(file: string): Stats {
  try {
    return statSync(file)
  } catch (error) {
    throw cannotRead(file, error)
  }
}

/** What is no regular file, such as a pipe with a name, is opened at once. */
function ofFile(file: string, seen: Stats): Source {
  const path = basename(resolve(file))
  const data = openData(file)
  return typeof data === 'function' ? regular({ file, path, seen }) : streamed({ file, path }, data)
}

function regular({ file, path, seen }: FoundFile): Source {
  return { file, path, size: seen.size, open: () => readUnchanged(file, seen), close() {} }
}

function streamed(named: Pick<Source, 'file' | 'path'>, data: AsyncIterable<Uint8Array>): Source {
  const close = () => void (data instanceof Readable && data.destroy())
  return { ...named, size: undefined, open: () => data, close }
}

function ofFolder(folder: string): Collected {
  const { files, leftOut } = walkFolder(folder)
  if (files.length === 0)
    throw refused(`${quoteGiven(folder)} holds no file that could be uploaded`)
  const sources = files.map(regular)
  return { sources, folders: [folder], leftOut }
}
