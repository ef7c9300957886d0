/** `GET` and `POST /v1/reconstructions`: several files at once. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { type Hash, parseHash } from '@latchkey/xet/format'
import type { Asked, Handle, Reply } from '../request/asked.ts'
import { readWhole } from '../request/read-whole.ts'
import { tooLarge } from '../request/refusals.ts'
import { answer, type Reconstructing } from './reconstruct.ts'

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
  return answer(reconstructing, asked, { form: 'batch', files: [...hashes], range: undefined })
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
