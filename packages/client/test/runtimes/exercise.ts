/** What programs do with the client, in any runtime: told in one line of JSON, and never closed. */

import { type ClientClock, createStorageClient } from '@latchkey/client'

const [hubUrl = ''] = process.argv.slice(2)
const options = { hubUrl, hubToken: 'of-the-test', repo: 'models/acme/bert' }
const path = '/v1/chunks/default/abc'

const client = createStorageClient(options)
const read = await textOf(client.fetch(path))

const progress: number[] = []
const onUploadProgress = (bytes: number) => progress.push(bytes)
const blob = new Blob(['twelve bytes'])
const init = { method: 'POST', body: blob, onUploadProgress }
const written = await textOf(client.fetch('/v1/xorbs/default/blob', init))

const streamed = await textOf(
  client.fetch('/v1/xorbs/default/stream', { method: 'POST', body: () => blob.stream() }),
)
const retried = await textOf(client.fetch('/busy/once'))
const readAfterLoss = await textOf(client.fetch('/revoked/once'))

let passedMs = 0
const moved: ClientClock = {
  wallMs: () => Date.now() + passedMs,
  monotonicMs: () => performance.now() + passedMs,
  later: () => () => {},
}
const patient = createStorageClient({ ...options, clock: moved })
const first = await patient.token('read')
const same = await patient.token('read')
passedMs = 880_000
const next = await patient.token('read')
const refreshed = [first === same, first === next]

console.log(
  JSON.stringify({ read, written, progress, streamed, retried, readAfterLoss, refreshed }),
)

async function textOf(asked: Promise<Response>): Promise<string> {
  const response = await asked
  return `${response.status} ${await response.text()}`
}
