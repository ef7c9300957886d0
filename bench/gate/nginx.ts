/** nginx processes for a benchmark: a storage of plain files, a plain proxy before it, and the shipped configurations. */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram } from '@latchkey/testing/tools/find-program'

const examples = resolve(import.meta.dirname, '../../examples/nginx')
const modules = '/usr/lib/nginx/modules'

export const nginxProgram = findProgram('nginx')

export const hasNginx = nginxProgram !== undefined
export const hasScripting = existsSync(join(modules, 'ngx_http_js_module.so'))

/** Serves the files of a folder under `/v1/`, whatever stands before it. */
export function storageConfiguration(port: number, files: string): string {
  return `server { listen 127.0.0.1:${port}; location ~ /v1/(?<name>.*)$ { alias ${files}/$name; } }`
}

/** `more` is what else stands in the location. */
export function plainProxyConfiguration(port: number, storagePort: number, more = ''): string {
  return `upstream storage { server 127.0.0.1:${storagePort}; keepalive 64; }
    server { listen 127.0.0.1:${port}; location / { proxy_pass http://storage; proxy_http_version 1.1; proxy_set_header Connection ""; ${more} } }`
}

/** The buffers of the shipped configurations, so that what is compared differs in the gate alone. */
export const shippedBuffers =
  'proxy_max_temp_file_size 0; proxy_buffers 16 32k; proxy_buffer_size 32k;'

export interface Ports {
  readonly own: number
  readonly gate: number
  readonly storage: number
}

/** A configuration as it is shipped, with only its addresses changed. */
export function shippedConfiguration(name: string, ports: Ports, folder: string): string {
  return readFileSync(join(examples, name), 'utf8')
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${ports.own}`)
    .replaceAll('127.0.0.1:8082', `127.0.0.1:${ports.gate}`)
    .replaceAll('127.0.0.1:9000', `127.0.0.1:${ports.storage}`)
    .replaceAll('/etc/nginx/latchkey.js', join(examples, 'latchkey.js'))
    .replaceAll('/var/cache/nginx/latchkey', join(folder, 'answers'))
}

export async function startNginx(
  folder: string,
  http: string,
  port: number,
): Promise<ChildProcess> {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const load = http.includes('js_import') ? `load_module ${modules}/ngx_http_js_module.so;` : ''
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${load} daemon off; master_process off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
     events { worker_connections 1024; }
     http { access_log off; keepalive_requests 1000000; ${temporary} ${http} }`,
  )
  const child = spawn(nginxProgram ?? 'nginx', ['-c', join(folder, 'nginx.conf')], {
    stdio: 'inherit',
  })
  await listening(port)
  return child
}

async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isOpen = await new Promise<boolean>((answer) => {
      const socket = connect(port, '127.0.0.1', () => answer(true))
      socket.on('error', () => answer(false)).on('connect', () => socket.end())
    })
    if (isOpen) return
    await sleep(50)
  }
  throw new Error(`nothing listens on port ${port}`)
}
