/** What programs do with the file client, in any runtime: told in one line of JSON. */

import { createFileClient, hashFile } from '@latchkey/xet/files'

const [hubUrl = '', hubToken = '', seed = ''] = process.argv.slice(2)
/** Long enough for two xorbs. */
const length = 6_500_000
const content = noise(Number(seed))

const files = createFileClient({ hubUrl, hubToken, repo: 'models/acme/bert' })
const progress: number[] = []
const uploaded = await files.upload(new Blob([content]), {
  onProgress: (bytes) => void progress.push(bytes),
})
const again = await files.upload(
  (async function* () {
    yield content.subarray(0, 1_000_000)
    yield content.subarray(1_000_000)
  })(),
)
const blob = await (await files.download(uploaded.hash)).blob()
const whole = new Uint8Array(await blob.arrayBuffer())
const from = 6_000_001
const rest: number[] = []
for await (const part of await files.download(uploaded.hash, { from })) rest.push(part.length)
const aborted = await files
  .upload(new Uint8Array(1000), { signal: AbortSignal.abort('left') })
  .catch((reason: unknown) => reason)
files.close()

console.log(
  JSON.stringify({
    uploaded: uploaded.bytes === length && uploaded.deduplicatedBytes === 0,
    hasHash: uploaded.hash === (await hashFile(content)),
    progress: [progress.at(0), progress.at(-1), progress.length > 3],
    again: again.uploadedBytes,
    downloaded: isSame(whole, content),
    rest: rest.reduce((sum, bytes) => sum + bytes, 0) === length - from,
    aborted,
  }),
)

/** The same for the same seed; it cannot be packed. */
function noise(start: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(length / 4)
  let state = start | 1
  for (let index = 0; index < words.length; index += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[index] = state
  }
  return new Uint8Array(words.buffer)
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false
  return true
}
