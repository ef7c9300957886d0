/** A worker as a storage would write it: the gate is made when the module is loaded, and a handler stands behind it. */

import { createGate, guardFetch } from '@latchkey/gate'

const { HUB_URL: hubUrl = '', CAS_URL: casUrl = '' } = process.env

const gate = createGate({ hubUrl, casUrl })

const served = guardFetch(gate, async (request, { grant, path, signal }) => {
  if (path.endsWith('/slow')) return slowDownload(signal)
  const bytes = (await request.arrayBuffer()).byteLength
  return Response.json({ path, bytes, repository: grant.repository })
})

/** Its first part comes at once, and no other ever does. */
function slowDownload(signal: AbortSignal): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  void writer.write(new TextEncoder().encode('first')).catch(() => {})
  signal.addEventListener('abort', () => console.log('the handler is told: cut'))
  return new Response(readable, { headers: { 'Content-Length': '10' } })
}

export default {
  async fetch(request: Request): Promise<Response> {
    // For the test, which would otherwise wait until the news are late.
    if (new URL(request.url).pathname === '/ask-the-hub') {
      await gate.revocations.refresh()
      return new Response('asked')
    }
    return served(request)
  },
}
