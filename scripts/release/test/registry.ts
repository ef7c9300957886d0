/** A registry of packages on this machine, which remembers every request. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export interface Registry {
  /** Method and path of every request. */
  readonly requests: string[]
  /** The integrity of what was published, by name and version. */
  readonly published: Map<string, string>
  /** Settings with which npm uses this registry and no other. */
  readonly env: Readonly<Record<string, string>>
  close(): void
}

interface Document {
  readonly name: string
  readonly versions: Readonly<Record<string, { readonly dist: { readonly integrity: string } }>>
}

/** `folder` takes npm's cache. */
export async function startRegistry(folder: string): Promise<Registry> {
  const requests: string[] = []
  const published = new Map<string, string>()
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    requests.push(`${request.method} ${path}`)
    if (request.method === 'PUT') {
      const { name, versions }: Document = JSON.parse(await text(request))
      for (const [version, { dist }] of Object.entries(versions)) {
        published.set(`${name}@${version}`, dist.integrity)
      }
    }
    const document = documentOf(path, published)
    response.writeHead(request.method === 'PUT' || document !== undefined ? 200 : 404)
    response.end(JSON.stringify(document ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const env = {
    npm_config_registry: `http://127.0.0.1:${port}/`,
    [`npm_config_//127.0.0.1:${port}/:_authToken`]: 'a-token',
    npm_config_userconfig: join(folder, 'none'),
    npm_config_cache: join(folder, 'cache'),
    npm_config_fetch_retries: '0',
  }
  return { requests, published, env, close: () => server.close() }
}

function documentOf(name: string, published: Registry['published']) {
  const found = [...published].filter(([id]) => id.slice(0, id.lastIndexOf('@')) === name)
  if (found.length === 0) return undefined
  const versions = found.map(([id, integrity]) => {
    const version = id.slice(id.lastIndexOf('@') + 1)
    return [version, { name, version, dist: { integrity } }] as const
  })
  const [latest] = versions.at(-1) ?? []
  return { name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }
}
