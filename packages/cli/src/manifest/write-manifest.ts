/** Writes a manifest: the old one stays until the new one is complete. */

import { realpathSync, statSync, writeFileSync } from 'node:fs'
import { createDraft, type Draft } from '../output/draft.ts'
import { cannotWrite } from '../output/new-file.ts'
import { type Manifest, sortByPath } from './manifest.ts'

export function writeManifest(file: string, manifest: Manifest): void {
  draftManifest(file)(manifest)
}

/** Begun before the upload, so that its result never has nowhere to go. */
export function draftManifest(file: string): (manifest: Manifest) => void {
  const draft = openDraft(file)
  return (manifest) => {
    try {
      writeFileSync(draft.descriptor, manifestText(manifest))
      draft.keep()
    } catch (error) {
      throw cannotWrite(file, error)
    }
  }
}

function openDraft(file: string): Draft {
  try {
    return createDraft(replaceable(file), 0o666)
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

/** A link stays one: the file that it names is replaced. A device must never be. */
function replaceable(file: string): string {
  const there = statSync(file, { throwIfNoEntry: false })
  if (there?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
  if (there?.isFile() === false) throw new Error('it is no regular file')
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
