/** Uploads a file piece by piece, however long that takes: `npx node upload-for-an-hour.ts models/acme/bert main big.bin`. */

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createStorageClient, type StorageClient } from '@latchkey/client'

// For a storage of your own that takes pieces by their SHA-256: the embedded one takes xorbs, as `latchkey upload` makes them.
const pieceLength = 8 * 1024 * 1024

/** Gives the name of every piece that has arrived. The client renews its token in between, and sends a piece again that was lost on the way. */
export async function* upload(
  client: StorageClient,
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    const name = createHash('sha256').update(piece).digest('hex')
    const answer = await client.fetch(`/v1/xorbs/default/${name}`, { method: 'POST', body: piece })
    if (!answer.ok) throw new Error(`the storage responded with ${answer.status} to ${name}`)
    // An answer that nobody reads would keep its connection.
    await answer.body?.cancel()
    yield name
  }
}

/** A function: when the hub no longer takes the token, the file is read again. */
async function hubToken(): Promise<string> {
  const file = process.env['LATCHKEY_HUB_TOKEN_FILE']
  if (file === undefined) throw new Error('set LATCHKEY_HUB_TOKEN_FILE')
  return (await readFile(file, 'utf8')).trim()
}

if (import.meta.main) {
  const [repo = '', revision = '', file = ''] = process.argv.slice(2)
  const hubUrl = process.env['LATCHKEY_HUB'] ?? 'http://127.0.0.1:8080'
  try {
    const client = createStorageClient({ hubUrl, hubToken, repo, revision })
    const pieces = createReadStream(file, { highWaterMark: pieceLength })
    for await (const name of upload(client, pieces)) console.log(name)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
