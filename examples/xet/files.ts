/** Puts a file into the embedded storage and gets it back: `npx node files.ts upload models/acme/bert main big.bin`, then `download … HASH > big.bin`. */

import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { createStorageClient, type StorageClient } from '@latchkey/client'
import {
  blobReader,
  type DownloadCalls,
  downloadFile,
  parseHash,
  startUpload,
  type UploadCalls,
} from '@latchkey/xet'

/** What an upload asks of the storage; the client adds the token and renews it. */
function uploadCalls(client: StorageClient): UploadCalls {
  const send = async (path: string, parts: readonly Uint8Array[]) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    // A function: a part that was lost on the way is sent again.
    const body = () => ReadableStream.from(parts)
    const headers = { 'content-length': `${length}` }
    const answer = await client.fetch(path, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`the storage answers ${answer.status}: ${await answer.text()}`)
    await answer.body?.cancel()
  }
  return {
    async findChunk(chunk) {
      const answer = await client.fetch(`/v1/chunks/default-merkledb/${chunk}`, { scope: 'write' })
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer())
      await answer.body?.cancel()
      if (answer.status !== 404)
        throw new Error(`the storage responded with ${answer.status} to ${chunk}`)
      return undefined
    },
    async hasFile(file) {
      const answer = await client.fetch(`/v1/files/${file}`, { method: 'HEAD', scope: 'write' })
      // What another ref has can go with that ref, so it is registered here as well.
      return answer.ok && answer.headers.get('x-latchkey-registered') === 'own'
    },
    sendXorb: (xorb, parts) => send(`/v1/xorbs/default/${xorb}`, parts),
    sendShard: (shard) => send('/v1/shards', [shard]),
  }
}

/** What a download asks: the token opens the list of URLs, and each URL carries its own proof. */
function downloadCalls(client: StorageClient): DownloadCalls {
  return {
    async reconstruct(file, bytes) {
      const headers = bytes === undefined ? {} : { range: `bytes=${bytes.start}-${bytes.end}` }
      const answer = await client.fetch(`/v1/reconstructions/${file}`, { headers })
      if (!answer.ok) throw new Error(`the storage responded with ${answer.status} to ${file}`)
      const { casUrl: storageUrl } = await client.token('read')
      return { storageUrl, answer: await answer.json() }
    },
    readRun: blobReader().read,
    pause: (tries) => delay(50 * 2 ** tries),
  }
}

/** Gives the hash under which the file can be downloaded. */
export async function upload(client: StorageClient, file: string): Promise<string> {
  const started = startUpload(uploadCalls(client))
  const { hash } = await started.add(createReadStream(file))
  await started.finish()
  return hash
}

/** Fails in its end if the chunks were not the file. */
export async function download(client: StorageClient, text: string) {
  const hash = parseHash(text)
  if (hash === undefined) throw new Error('a hash has 64 hexadecimal digits')
  const { chunks } = await downloadFile(downloadCalls(client), hash)
  return chunks
}

/** A function: when the hub no longer takes the token, the file is read again. */
async function hubToken(): Promise<string> {
  const file = process.env['LATCHKEY_HUB_TOKEN_FILE']
  if (file === undefined) throw new Error('set LATCHKEY_HUB_TOKEN_FILE')
  return (await readFile(file, 'utf8')).trim()
}

if (import.meta.main) {
  const [word, repo = '', revision = '', what = ''] = process.argv.slice(2)
  const hubUrl = process.env['LATCHKEY_HUB'] ?? 'http://127.0.0.1:8080'
  try {
    const client = createStorageClient({ hubUrl, hubToken, repo, revision })
    if (word === 'upload') console.log(await upload(client, what))
    else if (word === 'download') await pipeline(await download(client, what), process.stdout)
    else throw new Error('say upload or download')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
