/** A real Caddy with the shipped configuration between a client and a storage. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Addresses } from './nginx.ts'
import { type RunningProgram, runProgram } from './running-program.ts'
import { shipped } from './shipped.ts'

export function runCaddy({ gate, storage }: Addresses): Promise<RunningProgram> {
  return caddyWith((port) =>
    shipped('caddy/Caddyfile', [
      ['127.0.0.1:8082', gate],
      ['127.0.0.1:9000', storage],
      [':8081 {', `:${port} {`],
    ]),
  )
}

export function caddyWith(caddyfile: (port: number) => string): Promise<RunningProgram> {
  return runProgram((folder, port) => {
    const file = join(folder, 'Caddyfile')
    writeFileSync(file, caddyfile(port))
    return { program: 'caddy', args: ['run', '--config', file, '--adapter', 'caddyfile'] }
  })
}
