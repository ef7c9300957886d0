// What a page does by itself, in a browser that nobody drives: the test behind its server breaks the line and mends it.

import { createFileClient } from './latchkey-files.js'

const length = 20_000_000

const ask = async (step, told = {}) => {
  const answer = await fetch(`/${step}`, { method: 'POST', body: JSON.stringify(told) })
  return answer.json()
}

/** Noise: it cannot be packed, and no storage has it. */
function noise() {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  }
  return bytes
}

async function upload(options, file) {
  const client = createFileClient(options)
  const progress = []
  const onProgress = (bytes, total) => progress.push([bytes, total])
  try {
    return { progress, uploaded: await client.upload(file, { onProgress }) }
  } catch (error) {
    return { progress, code: error.code, message: error.message }
  } finally {
    client.close()
  }
}

async function download(options, { hash }, content) {
  const client = createFileClient(options)
  const blob = await (await client.download(hash)).blob()
  client.close()
  const came = new Uint8Array(await blob.arrayBuffer())
  return {
    bytes: came.length,
    isSame: came.every((byte, index) => byte === content[index]),
  }
}

/** Both ways, as soon as something has come; gives the reasons with which they fail. */
async function leave(options, { hash }) {
  const client = createFileClient(options)
  const [up, down] = [new AbortController(), new AbortController()]
  const onProgress = (bytes) => bytes > 0 && up.abort('left')
  const uploading = client.upload(new Blob([noise()]), { signal: up.signal, onProgress })
  const upload = await uploading.catch((reason) => reason)
  try {
    const download = await client.download(hash, { signal: down.signal })
    for await (const _ of download) down.abort('left')
    return { upload }
  } catch (download) {
    return { upload, download }
  } finally {
    client.close()
  }
}

try {
  const content = noise()
  const file = new File([content], 'weights.bin')
  const options = await ask('begin')
  const first = await upload({ ...options, retryTimeoutSeconds: 0 }, file)
  await ask('mend')
  const second = await upload(options, file)
  await ask('break-download')
  const downloaded = await download(options, second.uploaded, content)
  const left = await leave(options, second.uploaded)
  await ask('end', { length, first, second, downloaded, left })
} catch (error) {
  await ask('end', { failure: String(error) })
}
