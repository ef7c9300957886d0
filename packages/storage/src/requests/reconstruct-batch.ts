/** `GET` and `POST /v1/reconstructions`: several files at once. */

import { isRefusal, refuse } from '@latchkey/protocol'
import type { Hash } from '../format/hash.ts'
import { parseHash } from '../format/hash.ts'
import { type Asked, type Handle, jsonReply } from './asked.ts'
import { readWhole } from './read-whole.ts'
import {
  type Fetch,
  fetchInfoJson,
  type Reconstructing,
  reconstructFile,
  termsJson,
} from './reconstruct.ts'
import { notHere, tooLarge } from './refusals.ts'

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
) {
  const hashes = readHashes(words)
  if (hashes === undefined) return badList
  const files: Record<string, unknown> = {}
  const fetches = new Map<Hash, readonly Fetch[]>()
  for (const hash of hashes) {
    const found = await reconstructOne(reconstructing, asked, hash)
    if (isRefusal(found)) return found
    files[hash] = termsJson(found.plan)
    for (const [xorb, own] of found.fetches) {
      fetches.set(xorb, [...(fetches.get(xorb) ?? []), ...own])
    }
  }
  return jsonReply({ files, fetch_info: fetchInfoJson(fetches) })
}

async function reconstructOne(reconstructing: Reconstructing, asked: Asked, hash: Hash) {
  const file = await reconstructing.catalog.findFile(asked.view, hash)
  return file === undefined
    ? notHere('file', hash)
    : reconstructFile(reconstructing, asked, file, undefined)
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
