/** Reads a manifest, and believes nothing in it: a path that could lead out of a folder is refused. */

import { readFileSync, statSync } from 'node:fs'
import { readJson } from '@latchkey/admin-api/read-json'
import { isRefusal, parseRepoRef, pathFlaw, treeFlaw } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import { parseHash } from '@latchkey/xet/download'
import { cannotRead } from '../output/cannot-read.ts'
import { refused } from '../output/stop.ts'
import { type Members, membersOf } from '../reading/members-of.ts'
import { type Manifest, type ManifestFile, sortByPath } from './manifest.ts'

/** About a million files. */
const maxManifestBytes = 256 * 1024 * 1024

export function readManifest(file: string): Manifest {
  const json = readJson(textOf(file))
  const read = isRefusal(json) ? json.detail.replace(/\.$/, '') : parseManifest(json)
  if (typeof read !== 'string') return read
  throw refused(
    `${quoteGiven(file)} is not a manifest: ${read}. Name a file that "latchkey upload --manifest" has written.`,
  )
}

/** Memory is not spent on what is no manifest, and a pipe without a writer would hold the process. */
function textOf(file: string): string {
  try {
    const status = statSync(file)
    if (status.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    if (!status.isFile()) throw new Error('it is not a regular file')
    if (status.size > maxManifestBytes) {
      throw new Error(`it is longer than ${maxManifestBytes} bytes`)
    }
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw cannotRead(file, error)
  }
}

/** A text says what is wrong. Unknown members are left out: a newer program may write more. */
function parseManifest(json: unknown): Manifest | string {
  const { repository, revision, files } = membersOf(json)
  if (typeof repository !== 'string' || parseRepoRef(repository) === undefined) {
    return 'repository must be a repository such as "models/acme/bert"'
  }
  if (typeof revision !== 'string' || revision === '') return 'revision must be a text'
  const read = Array.isArray(files) ? parseFiles(files) : 'files must be a list'
  return typeof read === 'string' ? read : { repository, revision, files: read }
}

function parseFiles(list: readonly unknown[]): ManifestFile[] | string {
  const files: ManifestFile[] = []
  for (const [index, item] of list.entries()) {
    const file = parseFile(membersOf(item))
    if (typeof file === 'string') return `files[${index}].${file}`
    files.push(file)
  }
  const tree = treeFlaw(files.map(({ path }) => path))
  return tree === undefined ? sortByPath(files) : `${quoteGiven(tree.path)} ${tree.flaw}`
}

function parseFile({ path, hash: text, bytes }: Members): ManifestFile | string {
  if (typeof path !== 'string') return 'path must be a text'
  const flaw = pathFlaw(path)
  if (flaw !== undefined) return `path ${quoteGiven(path)} ${flaw}`
  const hash = typeof text === 'string' ? parseHash(text) : undefined
  if (hash === undefined) return 'hash must be 64 hexadecimal digits in lower case'
  const isAmount = typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0
  return isAmount ? { path, hash, bytes } : 'bytes must be a whole number, 0 or more'
}
