/** Uploads the tarballs of a release to npm's registry: the only part that connects to anything. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sbomFile, spoiledFiles, sumOf, sumsFile } from './artifacts.ts'
import { hasTag } from './git.ts'
import { npm } from './npm.ts'
import type { Refused } from './plan.ts'
import { inOrderOfNeed, type Tarball } from './sbom.ts'
import type { Version } from './version.ts'

type Offered = Omit<Tarball, 'sha256'>

/** Each package comes after those it needs. What is there already, byte for byte, is not sent again. */
export function publish(root: string, folder: string, version: Version): Refused | undefined {
  const refused = refuseMissing(root, folder, version) ?? refuseSpoiled(folder, version, [sbomFile])
  if (refused !== undefined) return refused
  const tarballs = inOrderOfNeed(JSON.parse(readFileSync(join(folder, sbomFile), 'utf8')))
  const names = tarballs.map(({ filename }) => filename)
  const spoiled = refuseSpoiled(folder, version, names)
  if (spoiled !== undefined) return spoiled
  for (const offered of tarballs) {
    const file = join(folder, offered.filename)
    const state = askRegistry(root, offered, `sha512-${sumOf(file, 'sha512', 'base64')}`)
    if (typeof state === 'object') return state
    if (state === 'absent') {
      const { ok, stderr } = npm(root, 'publish', file, '--access', 'public', '--ignore-scripts')
      if (!ok) return { refusal: `npm has not taken ${offered.filename}: ${firstLine(stderr)}` }
    }
    console.log(`${offered.name} ${version}: ${state === 'absent' ? 'published' : 'there already'}`)
  }
  return undefined
}

function refuseMissing(root: string, folder: string, version: Version): Refused | undefined {
  if (hasTag(root, version) && existsSync(join(folder, sumsFile))) return undefined
  return { refusal: `${version} has no tag, or no files to publish. Run: npm run release` }
}

/** What is needed must have a sum: one that was lost would let any file through. */
function refuseSpoiled(
  folder: string,
  version: Version,
  needed: readonly string[],
): Refused | undefined {
  const spoiled = spoiledFiles(folder, readFileSync(join(folder, sumsFile), 'utf8'), needed)
  if (spoiled.length === 0) return undefined
  return {
    refusal: `Not as ${sumsFile} says: ${spoiled.join(', ')}. Nothing was uploaded. Run: npm run release -- --verify ${version}`,
  }
}

/** A version can be published once: one with other bytes was made from something else. */
function askRegistry(root: string, { name, version }: Offered, integrity: string) {
  const { ok, stdout, stderr } = npm(root, 'view', `${name}@${version}`, 'dist.integrity')
  const found = stdout.trim()
  if (ok && found === integrity) return 'present'
  if (ok && found !== '')
    return { refusal: `The registry has another ${name} ${version}. Release a greater version.` }
  if (ok || /\bE404\b/.test(stderr)) return 'absent'
  return { refusal: `The registry does not say whether it has ${name}: ${firstLine(stderr)}` }
}

function firstLine(stderr: string): string {
  return stderr.trim().split('\n', 1)[0] ?? ''
}
