/** Uploads a file, downloads it again, and compares the two. */

import { randomBytes } from 'node:crypto'
import { createFileClient } from '@latchkey/xet/files'

const { HUB_URL = 'http://127.0.0.1:8080', HUB_TOKEN = '' } = process.env

const files = createFileClient({
  hubUrl: HUB_URL,
  hubToken: HUB_TOKEN,
  repo: 'models/acme/bert',
})
const file = randomBytes(3_000_000)
const { hash, uploadedBytes } = await files.upload(file)

const download = await files.download(hash)
const got = await download.blob()
files.close()

const isSame = Buffer.from(await got.arrayBuffer()).equals(file)
console.log(JSON.stringify({ isSame, bytes: download.bytes, isSent: uploadedBytes >= file.length }))
