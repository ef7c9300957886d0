/** Writes a manifest: the old one stays until the new one is complete. */

import { accessSync, constants, fchmodSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { cannotWrite, createDraft } from '../output/new-file.ts'
import { type Manifest, sortByPath } from './manifest.ts'

export function writeManifest(file: string, manifest: Manifest): void {
  try {
    const draft = createDraft(replaceable(file), 0o600)
    // A manifest that others may read stays so.
    const { mode } = statSync(file, { throwIfNoEntry: false }) ?? {}
    if (mode !== undefined) fchmodSync(draft.descriptor, mode & 0o777)
    writeFileSync(draft.descriptor, manifestText(manifest))
    draft.keep()
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

/** Asked before an upload, whose result must have somewhere to go. */
export function checkWritable(file: string): void {
  try {
    // The slash asks for a directory.
    accessSync(`${dirname(replaceable(file))}/`, constants.W_OK)
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

/** A link stays one: the file that it names is replaced. A device must never be. */
function replaceable(file: string): string {
  const there = statSync(file, { throwIfNoEntry: false })
  if (there?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
  if (there?.isFile() === false) throw new Error('it is not a regular file')
  if (file === '' || file.endsWith('/')) throw new Error('it names no file')
  return there === undefined ? file : realpathSync(file)
}

/** One line for each file, so that two manifests can be compared line by line. */
export function manifestText({ repository, revision, files }: Manifest): string {
  const head = `{\n  "repository": ${JSON.stringify(repository)},\n  "revision": ${JSON.stringify(revision)},`
  const lines = sortByPath(files).map(
    ({ path, hash, bytes }) => `    ${JSON.stringify({ path, hash, bytes })}`,
  )
  const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n  ]`
  return `${head}\n  "files": ${list}\n}\n`
}
