/** Serves pages that load the built bundle of the file client, under a name that a browser takes for this machine. */

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { sharedBundle } from '../../../../scripts/share-bundles.ts'

/** Hands the client to the functions that a test runs in the page. */
const emptyPage = `<!doctype html><input type="file"><script type="module">
  import * as latchkey from './latchkey-files.js'
  globalThis.latchkey = latchkey
  globalThis.chosenFile = () => document.querySelector('input').files[0]
</script>`
const movingPage = '<!doctype html><script type="module" src="moving-page.js"></script>'

/** What a page needs to be allowed for the client: its own scripts, and WebAssembly. */
const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; connect-src *"

export interface PageServer {
  readonly origin: string
  /** Puts a page under a path of its own. */
  show(path: string, page: string): void
  close(): Promise<void>
}

/** What a page that moves files by itself says, by its step; the answer goes back as JSON. */
export type Hear = (step: string, told: unknown) => unknown

export async function openPageServer(hear: Hear = () => ({})): Promise<PageServer> {
  const own = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
  const [html, script] = ['text/html; charset=utf-8', 'text/javascript; charset=utf-8']
  // biome-ignore format: a table is read by its columns
  const files: Record<string, readonly [type: string, text: string]> = {
    '/':                  [html,   emptyPage],
    '/moving':            [html,   movingPage],
    '/moving-page.js':    [script, own('moving-page.js')],
    '/latchkey-files.js': [script, await sharedBundle('files')],
    '/favicon.ico':       ['image/x-icon', ''],
  }
  const server = createServer(async (request, response) => {
    const { method, url = '' } = request
    if (method === 'POST') {
      response.end(JSON.stringify(hear(url.slice(1), await json(request)) ?? {}))
      return
    }
    const [type, text] = files[url] ?? ['text/plain', undefined]
    const headers = { 'content-type': type, 'content-security-policy': policy }
    response.writeHead(text === undefined ? 404 : 200, headers).end(text)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://files.localhost:${port}`,
    show(path, page) {
      files[path] = [html, page]
    },
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
