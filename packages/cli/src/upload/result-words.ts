/** What an upload prints: hashes, or the command that downloads everything again. */

import { escapeText } from '@latchkey/service/text/escape'
import type { UploadedFile } from '@latchkey/xet'
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
  return `${count}, ${amount(sum('bytes'))}; ${amount(sum('uploadedBytes'))} were sent, packed; the names are in ${manifest}. To download:`
}

const reasons: Readonly<Record<LeftOut['kind'], string>> = {
  link: 'links are not followed',
  special: 'these are no regular files',
  git: 'git takes these names for its own folder',
  partial: 'these are downloads that broke off',
}

/** One line for each kind of what was found in folders and left there. */
export function leftOutLines(all: readonly LeftOut[]): string[] {
  return Object.entries(reasons).flatMap(([kind, reason]) => {
    const files = all.filter((one) => one.kind === kind).map(({ file }) => file)
    return files.length === 0 ? [] : [`not uploaded, because ${reason}: ${listOf(files)}`]
  })
}

const mostNamed = 20

function listOf(files: readonly string[]): string {
  const named = files.slice(0, mostNamed).join(', ')
  const more = files.length - mostNamed
  return more > 0 ? `${named} and ${more} more` : named
}
