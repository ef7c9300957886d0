/** Uploads a file, downloads it again, and compares the two. */

import { randomBytes } from 'node:crypto'
import { createStorageClient } from '@latchkey/client'
import { downloadFile, startUpload } from '@latchkey/xet'
import { downloadCalls, uploadCalls } from './calls.js'

const { HUB_URL = 'http://127.0.0.1:8080', HUB_TOKEN = '' } = process.env

const client = createStorageClient({
  hubUrl: HUB_URL,
  hubToken: HUB_TOKEN,
  repo: 'models/acme/bert',
})
const file = randomBytes(3_000_000)

async function* parts(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += 65_536) yield file.subarray(at, at + 65_536)
}

const upload = startUpload(uploadCalls(client))
const { hash, uploadedBytes } = await upload.add(parts())
await upload.finish()

const { bytes, chunks } = await downloadFile(downloadCalls(client), hash)
const got: Uint8Array[] = []
for await (const chunk of chunks) got.push(chunk.slice())
client.close()

const isSame = Buffer.concat(got).equals(file)
console.log(JSON.stringify({ isSame, bytes, isSent: uploadedBytes >= file.length }))
