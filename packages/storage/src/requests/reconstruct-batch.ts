/** `GET` and `POST /v1/reconstructions`: several files at once. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { type Hash, parseHash } from '@latchkey/xet/format'
import type { OwnedFile } from '../catalog/catalog.ts'
import { type Asked, type Handle, jsonReply, type Reply } from './asked.ts'
import { touchedBy } from './plan-fetches.ts'
import { readWhole } from './read-whole.ts'
import {
  type Fetch,
  fetchInfoJson,
  mostTerms,
  type Reconstructing,
  reconstructFile,
  termsJson,
} from './reconstruct.ts'
import { makeInSlot } from './reconstruction-slots.ts'
import { inTooManyPieces, notHere, tooLarge } from './refusals.ts'

const mostFiles = 1000
const mostBytes = 1024 * 1024

/** `?file_id=…&file_id=…` */
export function reconstructListed(reconstructing: Reconstructing): Handle {
  return async (asked) => reconstructAll(reconstructing, asked, asked.query.getAll('file_id'))
}

/** `[{ "prefix": "default", "hash": "…" }]` */
export function reconstructPosted(reconstructing: Reconstructing): Handle {
  return async (asked) => {
    const body = await readWhole(asked.body, mostBytes)
    if (body === undefined) return tooLarge('list of files', mostBytes)
    const words = readKeys(body.toString('utf8'))
    return words === undefined ? badList : reconstructAll(reconstructing, asked, words)
  }
}

const badList = refuse(
  'bad_request',
  `The files must be given by their hashes: 1 to ${mostFiles}, each 64 lower-case hexadecimal digits, as ?file_id=… or as a JSON list of { "prefix": "default", "hash": "…" }.`,
)

async function reconstructAll(
  reconstructing: Reconstructing,
  asked: Asked,
  words: readonly string[],
): Promise<Reply | Refusal> {
  const hashes = readHashes(words)
  if (hashes === undefined) return badList
  const found = await makeInSlot(reconstructing.slots, asked, {
    find: () => findAll(reconstructing, asked, hashes),
    make: (wanted) => reconstructEach(reconstructing, asked, wanted),
  })
  return isRefusal(found) ? found : { ...found.made, whenSent: found.release }
}

interface WantedFiles {
  readonly files: readonly OwnedFile[]
  /** Of all of them. */
  readonly terms: number
}

async function findAll(
  { catalog }: Reconstructing,
  { view }: Asked,
  hashes: ReadonlySet<Hash>,
): Promise<WantedFiles | Refusal> {
  const files: OwnedFile[] = []
  let terms = 0
  for (const hash of hashes) {
    const file = await catalog.findFile(view, hash)
    if (file === undefined) return notHere('file', hash)
    terms += file.terms.count
    if (terms > mostTerms) return inTooManyPieces
    files.push(file)
  }
  return { files, terms }
}

async function reconstructEach(
  reconstructing: Reconstructing,
  asked: Asked,
  wanted: WantedFiles,
): Promise<Reply> {
  const files: Record<string, unknown> = {}
  const fetches = new Map<Hash, Fetch[]>()
  for (const file of wanted.files) {
    const touched = touchedBy(file.terms, undefined, mostTerms)
    const found = await reconstructFile(reconstructing, asked, { file, touched })
    files[file.hash] = termsJson(found.plan)
    for (const [xorb, own] of found.fetches) {
      const all = fetches.get(xorb)
      if (all === undefined) fetches.set(xorb, [...own])
      else all.push(...own)
    }
  }
  return jsonReply({ files, fetch_info: fetchInfoJson(fetches) })
}

function readHashes(words: readonly string[]): ReadonlySet<Hash> | undefined {
  const hashes = words.map(parseHash).filter((hash) => hash !== undefined)
  const isReadable = hashes.length === words.length && words.length > 0
  return isReadable && words.length <= mostFiles ? new Set(hashes) : undefined
}

function readKeys(text: string): readonly string[] | undefined {
  try {
    const keys: unknown = JSON.parse(text)
    return Array.isArray(keys) ? keys.map((key) => String(key?.hash)) : undefined
  } catch {
    return undefined
  }
}
