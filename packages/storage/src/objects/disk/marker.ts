/**
 * The marker of a store on disk: one file for each version, of which the highest number counts. A link makes the next one:
 * of two writers one wins, and a writer that is killed leaves no lock behind.
 */

import { link, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile, syncToDisk } from '@latchkey/service/machine/files'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { hasCode, ifThere, unlessFull } from '../file-errors.ts'
import type { StoreMarker } from '../object-store.ts'

function markersIn(root: string): string {
  return join(root, 'store')
}

function fileOf(root: string, number: number): string {
  return join(markersIn(root), `${number}.json`)
}

export async function readMarker(root: string): Promise<StoreMarker | undefined> {
  for (;;) {
    const number = await newest(root)
    if (number === undefined) return undefined
    const text = await ifThere(readFile(fileOf(root, number), 'utf8'))
    // Otherwise a writer has made newer ones meanwhile.
    if (text !== undefined) return { text, version: String(number) }
  }
}

/** A listing that runs beside writers finds one of them. */
const keptVersions = 4

/** `false` also where a newer one came at the same moment: the caller reads again. */
export async function writeMarker(
  root: string,
  { text, version }: { readonly text: string; readonly version: string | 'new' },
  randomBytes: RandomBytes,
): Promise<boolean> {
  const before = version === 'new' ? undefined : Number(version)
  if ((await newest(root)) !== before) return false
  const next = (before ?? 0) + 1
  const draft = join(markersIn(root), `${randomBytes(16).toString('hex')}.draft`)
  return unlessFull(async () => {
    await mkdir(markersIn(root), { recursive: true, mode: 0o700 })
    await replaceFile(draft, text)
    const isFirst = await linked(draft, fileOf(root, next)).finally(() =>
      rm(draft, { force: true }),
    )
    if (!isFirst) return false
    await syncToDisk(markersIn(root))
    // A slow writer may have made a number whose file was removed long ago.
    if ((await newest(root)) !== next) {
      await rm(fileOf(root, next), { force: true })
      return false
    }
    await removeOld(root, next - keptVersions)
    return true
  })
}

/** With the drafts of writers that were killed. */
async function removeOld(root: string, last: number): Promise<void> {
  for (const name of await readdir(markersIn(root))) {
    const file = join(markersIn(root), name)
    const number = numberIn(name)
    const isOld = number === undefined ? await isLeft(file) : number <= last
    if (isOld) await rm(file, { force: true })
  }
}

const draftMs = 60_000

async function isLeft(file: string): Promise<boolean> {
  const status = await ifThere(stat(file))
  return status !== undefined && Date.now() - status.mtimeMs > draftMs
}

async function linked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function newest(root: string): Promise<number | undefined> {
  const numbers = await numbersIn(root)
  return numbers.length === 0 ? undefined : Math.max(...numbers)
}

async function numbersIn(root: string): Promise<readonly number[]> {
  const names = (await ifThere(readdir(markersIn(root)))) ?? []
  return names.flatMap((name) => numberIn(name) ?? [])
}

function numberIn(name: string): number | undefined {
  return /^[1-9]\d{0,14}\.json$/.test(name) ? parseInt(name, 10) : undefined
}
