/** Serves an empty page that loads the built bundle of the file client, under names that a browser takes for this machine. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bundle, filesEntry } from '../../../../scripts/bundle-client.ts'

/** Hands the client to the functions that a test runs in the page. */
const page = `<!doctype html><input type="file"><script type="module">
  import * as latchkey from './latchkey-files.js'
  globalThis.latchkey = latchkey
  globalThis.chosenFile = () => document.querySelector('input').files[0]
</script>`

/** What a page needs to be allowed for the client: its own scripts, and WebAssembly. */
const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; connect-src *"

export interface PageServer {
  readonly origin: string
  close(): Promise<void>
}

export async function openPageServer(): Promise<PageServer> {
  const script = await bundle(filesEntry)
  // biome-ignore format: a table is read by its columns
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/':                  ['text/html; charset=utf-8', page],
    '/latchkey-files.js': ['text/javascript; charset=utf-8', script],
    '/favicon.ico':       ['image/x-icon', ''],
  }
  const server = createServer(({ url = '' }, response) => {
    const [type, text] = files[url] ?? ['text/plain', undefined]
    const headers = { 'content-type': type, 'content-security-policy': policy }
    response.writeHead(text === undefined ? 404 : 200, headers).end(text)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://files.localhost:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
