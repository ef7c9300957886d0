/**
 * The manifest of a backup. It is written last, so that a folder without it is no complete backup.
 */

import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quoteGiven } from '@latchkey/service/text'
import { z } from 'zod'
import { createDraft } from '../output/new-file.ts'
import { refused } from '../output/stop.ts'

/** Raised when an earlier program could not restore the backup: it would pass over repositories, or miss the bucket. */
const knownVersion = 3

const amount = z.object({ count: z.number().int(), bytes: z.number().int() })

const always = {
  version: z.number().int(),
  takenAt: z.string(),
  latchkey: z.string().describe('The version of the program that made it.'),
  objects: amount,
  /** Objects that the catalogue names and the storage itself did not have. */
  missing: z.number().int(),
  /** In git; earlier programs wrote none. */
  repositories: amount.default({ count: 0, bytes: 0 }),
  /** Null where the objects are in the backup. */
  bucket: z.string().nullable().default(null),
}

const manifest = z.union([
  z.object({
    ...always,
    database: z.string(),
    journal: z.number().int().describe("The number of the journal's last entry in it."),
    /** Null where the hub has no storage here. */
    catalogue: z.string().nullable(),
  }),
  /** The manifest of a storage that runs without its hub. */
  z.object({ ...always, database: z.null(), journal: z.null(), catalogue: z.string() }),
  /** The manifest of a forge that runs without its hub. */
  z.object({ ...always, database: z.null(), journal: z.null(), catalogue: z.null() }),
])

export type Manifest = z.output<typeof manifest>

const manifestName = 'backup.json'

/** A backup holds a hub with or without its storage, a storage alone, or a forge alone. */
export type Contents =
  | ContentsOf<Extract<Manifest, { database: string }>>
  | ContentsOf<Extract<Manifest, { database: null; catalogue: string }>>
  | ContentsOf<Extract<Manifest, { catalogue: null; database: null }>>

type ContentsOf<Backup extends Manifest> = Pick<Backup, 'database' | 'journal' | 'catalogue'>

export function writeManifest(
  folder: string,
  contents: Contents & Omit<Manifest, 'version' | keyof Contents>,
): Manifest {
  const made = { version: versionFor(contents), ...contents }
  const draft = createDraft(join(folder, manifestName), 0o600)
  writeFileSync(draft.descriptor, `${JSON.stringify(made, undefined, 2)}\n`)
  draft.keep()
  return made
}

function versionFor({ bucket, repositories }: Pick<Manifest, 'bucket' | 'repositories'>): number {
  if (bucket !== null) return knownVersion
  return repositories.count > 0 ? 2 : 1
}

export function readManifest(folder: string): Manifest {
  if (!existsSync(folder)) {
    throw refused(
      `There is no folder ${quoteGiven(folder)}: name one that "latchkey backup" has written.`,
    )
  }
  const text = textIn(folder)
  const read = manifest.safeParse(text)
  const { version } = z.object({ version: z.number() }).catch({ version: 0 }).parse(text)
  if (version > knownVersion) {
    throw refused(
      `${quoteGiven(folder)} is a backup of a newer version of Latchkey (version ${version}; this program supports up to ${knownVersion}). Restore it with that version.`,
    )
  }
  if (read.success) return read.data
  throw refused(
    `${quoteGiven(folder)} is not a complete backup: its ${manifestName} is missing or cannot be read. An interrupted backup has none; name a folder that "latchkey backup" has finished.`,
  )
}

/** Ours has a few hundred bytes. */
const maxManifestBytes = 64 * 1024

function textIn(folder: string): unknown {
  const file = join(folder, manifestName)
  try {
    const status = lstatSync(file)
    if (!status.isFile() || status.size > maxManifestBytes) return undefined
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
