/** Serves website/dist on this machine, as any server of files does. */

import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { siteFolder } from './website.ts'

// biome-ignore format: a table is read by its columns
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8', '.css': 'text/css',  '.js': 'text/javascript',
  '.json': 'application/json',         '.svg': 'image/svg+xml', '.png': 'image/png',
}

export interface SiteServer {
  readonly origin: string
  close(): void
}

export async function serveSite(port = 0): Promise<SiteServer> {
  const server = createServer((request, response) => {
    const file = fileAt(new URL(request.url ?? '/', 'http://site').pathname)
    if (file === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: chosen } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${chosen}`, close: () => void server.close() }
}

/** The URL parser has removed `..` already. */
function fileAt(pathname: string): string | undefined {
  const path = decodeURIComponent(pathname)
  const file = join(siteFolder, path.endsWith('/') ? `${path}index.html` : path)
  const isThere = file.startsWith(siteFolder) && statSync(file, { throwIfNoEntry: false })?.isFile()
  return isThere ? file : undefined
}
