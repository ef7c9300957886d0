import { basename } from 'node:path'
import { escapeText, typedWord as word } from '@latchkey/service/text'
import type { UploadedFile } from '@latchkey/xet'
import type { Target } from '../client/target.ts'
import { placeFlags } from '../configuration/flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import { Stop } from '../output/stop.ts'
import { amount } from '../transfer/amount.ts'
import type { LeftOut } from './walk-folder.ts'

export interface NamedFile extends UploadedFile {
  readonly file: string
  readonly path: string
}

/** One file has its hash alone; several have a line each. */
export function hashLines(files: readonly NamedFile[]): string {
  const line = ({ hash, file }: NamedFile) =>
    files.length === 1 ? hash : `${hash}  ${escapeText(file)}`
  return files.map((one) => `${line(one)}\n`).join('')
}

export function summaryLine(files: readonly NamedFile[], manifest: string): string {
  const sum = (key: 'bytes' | 'uploadedBytes') => files.reduce((all, file) => all + file[key], 0)
  const count = files.length === 1 ? '1 file' : `${files.length} files`
  return `${count}, ${amount(sum('bytes'))}; ${amount(sum('uploadedBytes'))} were sent after compression; the names are in ${manifest}. To download:`
}

const reasons: Readonly<Record<LeftOut['kind'], string>> = {
  link: 'links are not followed',
  special: 'these are not regular files',
  git: 'git uses these names for its own folder',
  partial: 'these are interrupted downloads',
}

/** One line for each kind of what was found in folders and left there. */
export function leftOutLines(all: readonly LeftOut[]): string[] {
  return Object.entries(reasons).flatMap(([kind, reason]) => {
    const files = all.filter((one) => one.kind === kind).map(({ file }) => file)
    return files.length === 0 ? [] : [`not uploaded, because ${reason}: ${listOf(files)}`]
  })
}

const maxNamed = 20

function listOf(files: readonly string[]): string {
  const named = files.slice(0, maxNamed).join(', ')
  const more = files.length - maxNamed
  return more > 0 ? `${named} and ${more} more` : named
}

/** Into a new folder: what was uploaded may have changed since, and would be lost. */
export function downloadWords({ repo, revision }: Target, manifest: string, flags: Flags): string {
  const into = `${basename(manifest).replace(/(?:\.manifest)?\.json$/, '')}-downloaded`
  const target = word(`${repo}@${revision}`)
  const where = placeFlags(flags)
  return ['latchkey', 'download', target, '--manifest', word(manifest), '-o', word(into), ...where]
    .map(escapeText)
    .join(' ')
}

/** `keptBytes` are those of this run, packed, that the storage has acknowledged. */
export function stoppedLine(keptBytes: number): string {
  return keptBytes === 0
    ? 'stopped: no new data is saved yet; run the same command to continue'
    : `stopped: ${keptWords(keptBytes)}`
}

/** The same after a failure; any other error as it is. */
export function withKept(error: unknown, keptBytes: number): unknown {
  if (!(error instanceof Stop) || keptBytes === 0) return error
  return new Stop(error.exitCode, `${error.message}; ${keptWords(keptBytes)}`)
}

function keptWords(bytes: number): string {
  return `the storage has saved ${amount(bytes)} of this run; run the same command to continue`
}
