import { statSync } from 'node:fs'
import { quoteGiven } from '@latchkey/service/text'
import { type Hash, parseHash } from '@latchkey/xet/download'
import type { Target } from '../client/target.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import type { Manifest, ManifestFile } from '../manifest/manifest.ts'
import { readManifest } from '../manifest/read-manifest.ts'
import { refused, wrongUsage } from '../output/stop.ts'
import { textOf } from '../reading/members-of.ts'
import { checkAll } from '../transfer/download-all.ts'
import type { FileToGet } from '../transfer/download-to-file.ts'
import { outputFile } from '../transfer/output-file.ts'

/** To standard output, or to what is no file. */
export interface StreamOrder {
  readonly kind: 'stream'
  readonly hash: Hash
  readonly output: string | undefined
}

export type FileOrder =
  | { readonly kind: 'file'; readonly file: FileToGet }
  | { readonly kind: 'folder'; readonly files: readonly ManifestFile[]; readonly folder: string }

type DownloadOrder = StreamOrder | FileOrder

/** Mistakes first: nothing is asked for on behalf of what cannot be written. */
export function downloadOrder(
  meant: Target,
  names: readonly string[],
  flags: Flags,
): DownloadOrder {
  const [manifest, output] = [textOf(flags['manifest']), textOf(flags['output'])]
  if (manifest !== undefined) return byManifest(meant, names, { manifest, output })
  const [name, ...more] = names
  if (name === undefined) {
    throw wrongUsage('name a file by its hash, or give a manifest with --manifest')
  }
  if (more.length > 0) {
    throw wrongUsage('one hash at a time; several files have their names in a manifest: --manifest')
  }
  return oneFile({ hash: readHash(name) }, output)
}

function oneFile(
  file: Pick<FileToGet, 'hash' | 'bytes'>,
  output: string | undefined,
): DownloadOrder {
  const { hash } = file
  if (output === undefined && process.stdout.isTTY) {
    throw wrongUsage('standard output is a terminal: name a file with -o, or say -o -')
  }
  if (output === undefined || output === '-') return { kind: 'stream', hash, output }
  const to = outputFile(output)
  return to === undefined
    ? { kind: 'stream', hash, output }
    : { kind: 'file', file: { ...file, to } }
}

interface Given {
  readonly manifest: string
  readonly output: string | undefined
}

function byManifest(meant: Target, names: readonly string[], { manifest, output }: Given) {
  const read = readManifest(manifest)
  if (read.repository !== meant.repo) {
    throw refused(
      `the manifest ${quoteGiven(manifest)} is of ${read.repository}; name that instead of ${meant.repo}`,
    )
  }
  const files = chooseFiles(read, names, manifest)
  const [only, ...more] = files
  const isOne = only !== undefined && more.length === 0 && names[0] === only.path
  if (isOne && output !== undefined && !isFolder(output)) return oneFile(only, output)
  if (output === '-') {
    throw wrongUsage('-o -: one file goes to standard output; name one, or a folder with -o')
  }
  const order = { kind: 'folder', files, folder: output ?? '.' } as const
  checkAll(order)
  return order
}

/** As cp has it. */
function isFolder(path: string): boolean {
  return path.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function readHash(text: string): Hash {
  const hash = parseHash(text)
  if (hash !== undefined) return hash
  throw wrongUsage(
    `<name>: ${quoteGiven(text)} must be 64 hexadecimal digits in lower case, as upload prints; for a name give the manifest that upload wrote, with --manifest`,
  )
}

/** Which files of a manifest somebody means: all, or those with a name, and those in a folder with it. */
function chooseFiles(
  { files }: Manifest,
  names: readonly string[],
  manifestName: string,
): readonly ManifestFile[] {
  if (names.length === 0) return files
  const chosen = new Set<ManifestFile>()
  for (const name of names) {
    const meant = files.filter((file) => isMeant(file, name))
    if (meant.length === 0) throw notThere(name, manifestName, files)
    for (const file of meant) chosen.add(file)
  }
  return files.filter((file) => chosen.has(file))
}

/** As a shell completes it, a folder ends with a slash. */
function isMeant({ path }: ManifestFile, name: string): boolean {
  return path === name || path.startsWith(name.endsWith('/') ? name : `${name}/`)
}

function notThere(name: string, manifestName: string, files: readonly ManifestFile[]) {
  const first = files[0] === undefined ? '' : `, such as ${quoteGiven(files[0].path)}`
  return refused(
    `${quoteGiven(name)} is not in the manifest ${quoteGiven(manifestName)}, which has ${files.length === 1 ? '1 file' : `${files.length} files`}${first}; leave the name out to download all of them`,
  )
}
