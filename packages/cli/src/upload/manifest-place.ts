/** Where the manifest of an upload goes, and that it takes the place of nothing else. */

import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { quoteGiven, shellWord } from '@latchkey/service/text'
import type { Target } from '../client/target.ts'
import { readManifest } from '../manifest/read-manifest.ts'
import { checkWritable } from '../manifest/write-manifest.ts'
import { refused, Stop, wrongUsage } from '../output/stop.ts'
import type { CollectedSources } from './collect-sources.ts'

/** Undefined where files alone are uploaded, and no manifest is asked for. */
export function manifestPlace(
  flagValue: string | undefined,
  { folders, sources }: CollectedSources,
  target: Target,
): string | undefined {
  const place = flagValue ?? placeFor(folders)
  if (place === undefined) return undefined
  checkWritable(place)
  for (const folder of folders) if (isInside(place, folder)) throw inside(place, folder)
  if (sources.some(({ file }) => file !== '-' && isSameFile(file, place))) {
    throw wrongUsage(`--manifest: ${quoteGiven(place)} is one of the files that are uploaded`)
  }
  if (existsSync(place)) mustBeFor(target, place)
  return place
}

function placeFor(folders: readonly string[]): string | undefined {
  const [folder, second] = folders
  if (folder === undefined) return undefined
  const name = basename(resolve(folder))
  if (second === undefined && name !== '') return `${name}.manifest.json`
  throw wrongUsage(
    '--manifest: name the file for the manifest, because no single folder gives it a name',
  )
}

/** By where they really are, whatever links lead there. */
function isInside(file: string, folder: string): boolean {
  const place = existsSync(file) ? file : dirname(file)
  const way = relative(realpathSync(folder), realpathSync(place))
  return !(way === '..' || way.startsWith('../') || isAbsolute(way))
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(other) && realpathSync(one) === realpathSync(other)
}

function inside(place: string, folder: string): Stop {
  const outside = join(folder, '..', basename(place))
  return wrongUsage(
    `--manifest: ${quoteGiven(place)} would be inside ${quoteGiven(folder)}, which is uploaded; choose another file: --manifest ${shellWord(outside)}`,
  )
}

/** An older manifest of the same target is replaced, and nothing else is. */
function mustBeFor({ repo, revision }: Target, place: string): void {
  const there = manifestAt(place)
  if (there?.repository === repo && there.revision === revision) return
  const what =
    there === undefined
      ? 'exists and is not a manifest'
      : `is the manifest of ${there.repository}@${there.revision}`
  throw refused(
    `${quoteGiven(place)} ${what}, and is not overwritten; remove it, or name another file with --manifest`,
  )
}

function manifestAt(place: string): ReturnType<typeof readManifest> | undefined {
  try {
    return readManifest(place)
  } catch (error) {
    if (error instanceof Stop) return undefined
    throw error
  }
}
