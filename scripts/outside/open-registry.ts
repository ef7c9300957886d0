/** A registry on this machine that has our packages as if they were published, and sends npm elsewhere for all others. */

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Tarball } from '../pack.ts'

export interface Registry {
  readonly url: string
  close(): Promise<void>
}

/** `others` is the registry that npm would ask. */
export async function openRegistry(
  tarballs: readonly Tarball[],
  others: string,
): Promise<Registry> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const own = tarballs.find(({ name }) => path === name || path === `${name}.tgz`)
    if (own === undefined) {
      response.writeHead(302, { Location: new URL(request.url ?? '', others).href }).end()
    } else if (path === own.name) {
      response.end(JSON.stringify(descriptionOf(own, `http://${request.headers.host}`)))
    } else response.end(readFileSync(own.file))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

/** What a registry says of a package: its versions, each with its package.json. */
function descriptionOf({ name, file }: Tarball, registry: string): object {
  const { stdout } = spawnSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' })
  const manifest = JSON.parse(stdout)
  const hash = createHash('sha512').update(readFileSync(file)).digest('base64')
  const dist = { tarball: `${registry}/${name}.tgz`, integrity: `sha512-${hash}` }
  return {
    name,
    'dist-tags': { latest: manifest.version },
    versions: { [manifest.version]: { ...manifest, dist } },
  }
}
