/** The proxies whose shipped files stand in front of a hub and its storage, with TLS. */

import { writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { newIssuer } from '@latchkey/testing/tls/certificates'
import { caddyWith } from './caddy.ts'
import { envoyWith } from './envoy.ts'
import { nginxWith } from './nginx.ts'
import type { RunningProgram } from './running-program.ts'
import { type Replacement, shipped } from './shipped.ts'
import { traefikWith } from './traefik.ts'

/** Two names of this machine that need no resolver: one for the hub, one for the storage. */
export const [hubName, casName] = ['localhost', '127.0.0.1']

export const issuer = newIssuer('Latchkey test issuer')

interface Ports {
  readonly hub: number
  readonly storage: number
}

type Run = (ports: Ports, certificates: string) => Promise<RunningProgram>

function common({ hub, storage }: Ports, folder: string): readonly Replacement[] {
  return [
    ['/etc/ssl/latchkey', folder],
    ['127.0.0.1:8080', `127.0.0.1:${hub}`],
    ['127.0.0.1:8081', `127.0.0.1:${storage}`],
  ]
}

const namesOfNginx: readonly Replacement[] = [
  ['server_name hub.example', `server_name ${hubName}`],
  ['server_name cas.example', `server_name ${casName}`],
]

export const hubProxies = {
  nginx: (ports, folder) =>
    nginxWith((port) =>
      shipped('nginx/hub-and-storage.conf', [
        ...common(ports, folder),
        ...namesOfNginx,
        ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ]),
    ),
  caddy: (ports, folder) =>
    caddyWith((port) =>
      shipped('caddy/hub-and-storage.Caddyfile', [
        ...common(ports, folder),
        ['\nhub.example {', `\nhttps://${hubName}:${port} {\n\tbind 127.0.0.1`],
        ['\ncas.example {', `\nhttps://${casName}:${port} {\n\tbind 127.0.0.1`],
      ]),
    ),
  envoy: ({ hub, storage }, folder) =>
    envoyWith((port) =>
      shipped('envoy/hub-and-storage.yaml', [
        ['/etc/ssl/latchkey', folder],
        ['address: 0.0.0.0, port_value: 443', `address: 127.0.0.1, port_value: ${port}`],
        ['port_value: 8080', `port_value: ${hub}`],
        ['port_value: 8081', `port_value: ${storage}`],
        ["[hub.example, 'hub.example:*']", `[${hubName}, '${hubName}:*']`],
        ["[cas.example, 'cas.example:*']", `[${casName}, '${casName}:*']`],
      ]),
    ),
  traefik: (ports, folder) =>
    traefikWith(
      (port, dynamic) =>
        shipped('traefik/hub-and-storage.yml', [
          ['/etc/traefik/hub-and-storage-dynamic.yml', dynamic],
          ['address: :443', `address: 127.0.0.1:${port}`],
        ]),
      shipped('traefik/hub-and-storage-dynamic.yml', [
        ...common(ports, folder),
        ['Host(`hub.example`)', `Host(\`${hubName}\`)`],
        ['Host(`cas.example`)', `Host(\`${casName}\`)`],
      ]),
      async (url) => (await send(url.replace(/.*:/, `https://${hubName}:`), { path: '/' })).status,
    ),
} as const satisfies Record<string, Run>

/** Three hubs behind one nginx; the two names are those of the hubs and of the storage. */
export function runManyHubs(
  hubs: readonly [number, number, number],
  folder: string,
): Promise<RunningProgram> {
  return nginxWith((port) =>
    shipped('many-hubs/nginx.conf', [
      ...common({ hub: hubs[0], storage: hubs[0] }, folder),
      ...namesOfNginx,
      ['127.0.0.1:8180', `127.0.0.1:${hubs[1]}`],
      ['127.0.0.1:8280', `127.0.0.1:${hubs[2]}`],
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ]),
  )
}

interface HubsAndForge {
  readonly hubs: readonly [number, number]
  readonly forge: number
}

/** Two hubs, and their forge with routes of its own. */
export function runHubsAndForge(
  proxy: 'nginx' | 'caddy',
  { hubs, forge }: HubsAndForge,
  folder: string,
): Promise<RunningProgram> {
  const places: readonly Replacement[] = [
    ['/etc/ssl/latchkey', folder],
    ['127.0.0.1:8080', `127.0.0.1:${hubs[0]}`],
    ['127.0.0.1:8180', `127.0.0.1:${hubs[1]}`],
    ['127.0.0.1:8083', `127.0.0.1:${forge}`],
  ]
  if (proxy === 'caddy') {
    return caddyWith((port) =>
      shipped('caddy/hubs-and-forge.Caddyfile', [
        ...places,
        ['\nhub.example {', `\nhttps://${hubName}:${port} {\n\tbind 127.0.0.1`],
      ]),
    )
  }
  return nginxWith((port) =>
    shipped('nginx/hubs-and-forge.conf', [
      ...places,
      ['server_name hub.example', `server_name ${hubName}`],
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ]),
  )
}

/** Both names are in one certificate, which each file of the example holds. */
export function writeCertificates(folder: string): void {
  const { cert, key } = issuer.issue({ names: [hubName, casName] })
  writeFileSync(join(folder, 'ca.pem'), issuer.cert)
  for (const name of ['hub.example', 'cas.example']) {
    writeFileSync(join(folder, `${name}.pem`), cert)
    writeFileSync(join(folder, `${name}.key`), key)
  }
}

interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** The first part of a body that is never sent whole. */
  readonly part?: Buffer
}

/** Settles when the answer is whole, also if the request is not. */
export function send(
  url: string,
  { part, ...options }: Sent,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname } = new URL(url)
    // Otherwise Node takes the name for TLS from the Host header; an address is none.
    const servername = isIP(hostname) === 0 ? hostname : ''
    const asked = request(url, { ...options, ca: issuer.cert, agent: false, servername })
    asked.on('error', reject)
    asked.on('response', async (response) => {
      const body = await text(response).catch(() => '')
      asked.destroy()
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
    })
    if (part === undefined) asked.end()
    else asked.write(part)
  })
}
