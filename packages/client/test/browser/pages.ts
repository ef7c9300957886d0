/** The files that a browser is served: the example, the bundle that it loads, and an empty page for what the example lacks. */

import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { sharedBundle } from '../../../../scripts/share-bundles.ts'

const example = new URL('../../../../examples/browser/', import.meta.url)

/** Hands the client to the functions that a test runs in the page. */
const emptyPage = `<!doctype html><script type="module">
  import * as latchkey from './latchkey-client.js'
  globalThis.latchkey = latchkey
</script>`

export async function pages(): Promise<RequestListener> {
  const shipped = (name: string) => readFileSync(new URL(name, example), 'utf8')
  const html = 'text/html; charset=utf-8'
  const script = 'text/javascript; charset=utf-8'
  // biome-ignore format: a table is read by its columns
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/':                   [html,   shipped('index.html')],
    '/main.js':            [script, shipped('main.js')],
    '/latchkey-client.js': [script, await sharedBundle('client')],
    '/empty':              [html,   emptyPage],
    '/favicon.ico':        ['image/x-icon', ''],
  }
  return ({ url = '' }, response) => {
    const [type, text] = files[url] ?? []
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' })
    response.end(text)
  }
}
