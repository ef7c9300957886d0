/** Uploads or downloads a file that is never whole in memory, and tells in one line of JSON how much memory that took at most, for its beginning and for all of it. */

import { setTimeout } from 'node:timers/promises'
import { createFileClient } from '@latchkey/xet/files'

/** A xorb is made in less time: if nothing held the source back, the xorbs of a whole file would wait in memory. */
const msForXorb = 400

const [hubUrl = '', hubToken = '', beginning = '', way = '', ...words] = process.argv.slice(2)
let atFirst = 0
let line = Promise.resolve()
const slowFetch: typeof fetch = async (input, init) => {
  if (init?.method === 'POST') {
    line = line.then(() => setTimeout(msForXorb))
    await line
  }
  return fetch(input, init)
}
const options = { hubUrl, hubToken, repo: 'models/acme/bert', fetch: slowFetch }
const files = createFileClient(options)
const moved = way === 'upload' ? await upload(words.map(Number)) : await download(words[0])
files.close()
console.log(JSON.stringify({ ...moved, atFirst, inAll: peakMegabytes() }))

async function upload([megabytes = 0, seed = 0]: readonly number[]) {
  const { hash, uploadedBytes } = await files.upload(noise(megabytes, seed))
  return { hash, bytes: uploadedBytes }
}

async function download(hash = '') {
  let bytes = 0
  for await (const part of await files.download(hash)) {
    bytes += part.length
    noteBeginning(bytes / 1_000_000)
  }
  return { hash, bytes }
}

function noteBeginning(megabytes: number): void {
  if (megabytes < Number(beginning)) atFirst = peakMegabytes()
}

function peakMegabytes(): number {
  return process.resourceUsage().maxRSS / 1024
}

/** Nothing of it comes again, or can be packed. */
async function* noise(count: number, seed: number): AsyncGenerator<Uint8Array> {
  let state = seed | 1
  for (let part = 0; part < count; part += 1) {
    noteBeginning(part)
    const words = new Uint32Array(250_000)
    for (let index = 0; index < words.length; index += 1) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      words[index] = state
    }
    yield new Uint8Array(words.buffer)
  }
}
