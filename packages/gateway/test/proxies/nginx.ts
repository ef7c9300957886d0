/** A real nginx with a shipped configuration between a client and a storage. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { njsModule } from './programs.ts'
import { type RunningProgram, runProgram } from './running-program.ts'
import { type Replacement, shipped } from './shipped.ts'

export interface Addresses {
  /** Host and port of the forward-auth endpoint. */
  readonly gate: string
  readonly storage: string
}

export function runNginx(
  { gate, storage }: Addresses,
  edits: readonly Replacement[] = [],
): Promise<RunningProgram> {
  return nginxWith((port) =>
    shipped('nginx/latchkey.conf', [
      ['127.0.0.1:8082', gate],
      ['127.0.0.1:9000', storage],
      ['127.0.0.1:8081', `127.0.0.1:${port}`],
      ...edits,
    ]),
  )
}

export const cacheFolder = 'cache'

export function runCachingNginx(
  { gate, storage }: Addresses,
  edits: readonly Replacement[] = [],
): Promise<RunningProgram> {
  return nginxWith((port, folder) => {
    writeFileSync(join(folder, 'latchkey.js'), shipped('nginx/latchkey.js', edits))
    return shipped('nginx/latchkey-cached.conf', [
      ['127.0.0.1:8082', gate],
      ['127.0.0.1:9000', storage],
      ['127.0.0.1:8081', `127.0.0.1:${port}`],
      ['/var/cache/nginx/latchkey', join(folder, cacheFolder)],
      ['/etc/nginx/latchkey.js', join(folder, 'latchkey.js')],
    ])
  }, `load_module ${njsModule};`)
}

/** `servers` is what stands in the http block. */
export function nginxWith(
  servers: (port: number, folder: string) => string,
  modules = '',
): Promise<RunningProgram> {
  return runProgram((folder, port) => {
    writeFileSync(join(folder, 'servers.conf'), servers(port, folder))
    writeFileSync(join(folder, 'nginx.conf'), around(folder, modules))
    for (const name of temporary) mkdirSync(join(folder, name))
    const conf = join(folder, 'nginx.conf')
    return { program: 'nginx', args: ['-p', folder, '-c', conf, '-e', 'stderr'] }
  })
}

const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

/** What a machine's own nginx.conf has around the example, with every path in a folder of the test. */
function around(folder: string, modules: string): string {
  // Workers of another user could not enter the folder.
  const user = process.getuid?.() === 0 ? `user ${userInfo().username};` : ''
  return `
    ${modules} ${user}
    daemon off; worker_processes 1; error_log stderr; pid ${folder}/nginx.pid;
    events { worker_connections 512; }
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
      include ${folder}/servers.conf;
    }`
}
