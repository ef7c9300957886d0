/** What a storage that was killed has left on its disk, and what of it should not be there. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { complaints, type Dump, dump } from '@latchkey/testing/hub/dump'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { catalogFile } from '../../src/catalog/catalog-database.ts'
import { Terms } from '../../src/catalog/terms.ts'
import { objectsIn } from '../../src/index.ts'
import { draftsIn, isCopy, placeOf } from '../../src/objects/disk/places.ts'
import { readTable } from '../../src/objects/disk/tables.ts'
import { parseKey } from '../../src/objects/keys.ts'

export interface LeftBehind {
  /** In words; none when all is well. */
  readonly flaws: readonly unknown[]
  readonly drafts: number
  /** Objects that no row names. */
  readonly strays: number
  /** The hash of every xorb and file that a ref has. */
  readonly hashes: ReadonlySet<string>
}

/** Objects never change: those in `known` are not read again, and the others join them. */
export async function leftBehind(
  data: string,
  known: Set<string> = new Set(),
): Promise<LeftBehind> {
  const database = catalogFile(data)
  const root = objectsIn(data).folder
  const rows = dump(database)
  const isDraft = (file: string) => file.startsWith(draftsIn(root)) || isCopy(file)
  const isMarker = (file: string) => file.startsWith(join(root, 'store'))
  const below = filesBelow(root).filter((file) => !isMarker(file))
  const [drafts = [], objects = []] = partition(below, isDraft)
  const fresh = objects.filter((file) => !known.has(file))
  const digestOf = new Map(
    (rows['stored_objects'] ?? []).map(({ key, digest }) => [String(key), digest]),
  )
  const keyOf = new Map(Array.from(digestOf, ([key, digest]) => [String(digest), key]))
  const broken = await Promise.all(fresh.map((file) => flawOfObject(root, file, digestOf)))
  for (const file of fresh) known.add(file)
  const digests = new Set((rows['stored_xorbs'] ?? []).map((row) => String(row['digest'])))
  const isLost = (digest: string) => {
    const key = parseKey(keyOf.get(digest) ?? '')
    return key === undefined || !existsSync(placeOf(root, key).file)
  }
  return {
    flaws: [
      ...complaints(database),
      ...complaintsOfHub(data),
      ...broken.flatMap((flaw) => flaw ?? []),
      ...[...digests].filter(isLost),
      ...lostXorbs(rows),
    ],
    drafts: drafts.length,
    strays: objects.length - digests.size,
    hashes: new Set(
      ['stored_xorbs', 'stored_files'].flatMap((table) =>
        (rows[table] ?? []).map((row) => String(row['hash'])),
      ),
    ),
  }
}

/** A storage alone has none beside it. */
function complaintsOfHub(data: string): readonly unknown[] {
  const file = join(data, 'latchkey.db')
  return existsSync(file) ? complaints(file) : []
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean) {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

/** Every file at the place of a key is a whole object: its table fits its bytes, which have the digest that names it. */
async function flawOfObject(
  root: string,
  file: string,
  digestOf: ReadonlyMap<string, unknown>,
): Promise<string | undefined> {
  const key = parseKey(file.split('/').at(-1) ?? '')
  if (key === undefined || placeOf(root, key).file !== file) return `${file} is no object`
  const table = await readTable(file).catch(() => undefined)
  if (table === undefined) return `${file} has no table that fits`
  const bytes = readFileSync(file).subarray(0, table.packedBytes)
  const digest = digestOf.get(key) ?? undefined
  if (digest === undefined) return undefined
  const isSame = new Blake3Hasher().update(bytes).digest('hex') === digest
  return isSame ? undefined : `${file} has other bytes`
}

/** Xorbs that a file or a chunk is said to be in, and that its ref has not. */
function lostXorbs(rows: Dump): readonly string[] {
  const owned = ownedIn(rows)
  const ofFiles = (rows['stored_files'] ?? []).flatMap((row) =>
    new Terms(row['terms'] as Uint8Array).xorbs().map((xorb) => `${row['ref_uid']} ${xorb}`),
  )
  const ofChunks = (rows['stored_chunks'] ?? []).map(
    (row) => `${row['ref_uid']} ${row['xorb_hash']}`,
  )
  return [...ofFiles, ...ofChunks].filter((xorb) => !owned.has(xorb))
}

function ownedIn(rows: Dump): ReadonlySet<string> {
  return new Set((rows['stored_xorbs'] ?? []).map((row) => `${row['ref_uid']} ${row['hash']}`))
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}
