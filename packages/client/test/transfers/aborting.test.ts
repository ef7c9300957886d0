/** A signal ends what is on a real connection: an upload with its source, and a download. */

import { describe, expect, it } from 'vitest'
import { openRealWorld } from '../safety/loopback.ts'

const reason = new Error('changed my mind')

describe('a signal that is aborted on a real connection', () => {
  // conformance: Client / Streams, progress and abort signals work
  it('during an upload ends it, lets go of its source, and leaves other uploads alone', async () => {
    const world = await openRealWorld()
    world.storage = (request, response) => {
      request.resume().once('end', () => response.end('all of it'))
    }
    const client = world.client()
    const controller = new AbortController()
    const source = endless(() => controller.abort(reason))
    const staying = client.fetch('/v1/shards', { method: 'POST', body: 'abc' })
    const { signal } = controller
    const leaving = client.fetch('/v1/shards', { method: 'POST', body: source.stream, signal })
    await expect(leaving).rejects.toBe(reason)
    expect(await source.cancelled).toBe(reason)
    expect(await (await staying).text()).toBe('all of it')
  })

  it.each([undefined, () => {}])('during a download ends it: progress %s', async (onProgress) => {
    const world = await openRealWorld()
    world.storage = (_request, response) => void response.write('the beginning')
    const controller = new AbortController()
    const init = {
      signal: controller.signal,
      ...(onProgress && { onDownloadProgress: onProgress }),
    }
    const answer = await world.client().fetch('/v1/a', init)
    const reader = answer.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('the beginning')
    controller.abort(reason)
    await expect(reader?.read()).rejects.toBe(reason)
  })

  it('closing the client ends uploads and downloads as well', async () => {
    const world = await openRealWorld()
    world.storage = (request, response) => {
      request.resume()
      if (request.method === 'GET') response.write('the beginning')
    }
    const client = world.client()
    const answer = await client.fetch('/v1/a')
    const source = endless(() => client.close())
    const uploading = client.fetch('/v1/shards', { method: 'POST', body: source.stream })
    await expect(uploading).rejects.toMatchObject({ code: 'closed' })
    expect(await source.cancelled).toMatchObject({ code: 'closed' })
    await expect(answer.text()).rejects.toMatchObject({ code: 'closed' })
  })
})

/** A stream without an end that tells when some of it is on its way, and when it is let go. */
function endless(onTheWay: () => void) {
  const { promise: cancelled, resolve: cancel } = Promise.withResolvers<unknown>()
  let pieces = 0
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      pieces += 1
      if (pieces === 20) onTheWay()
      await new Promise((done) => setImmediate(done))
      controller.enqueue(new Uint8Array(10_000))
    },
    cancel,
  })
  return { stream, cancelled }
}
