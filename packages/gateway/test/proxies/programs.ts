/** The programs that these tests drive, and a loud word about what is not tested without them. */

import { existsSync } from 'node:fs'
import { findProgram } from '@latchkey/testing/tools/find-program'

const njsModules = [
  '/usr/lib/nginx/modules/ngx_http_js_module.so',
  '/etc/nginx/modules/ngx_http_js_module.so',
]

const found = {
  nginx: isThere('nginx'),
  caddy: isThere('caddy'),
  envoy: isThere('envoy'),
  traefik: isThere('traefik'),
  njs: njsModules.some((file) => existsSync(file)),
}

export const njsModule = njsModules.find((file) => existsSync(file)) ?? ''

/** Whether one of these is missing; what is then not tested is said aloud. */
export function isMissing(programs: readonly (keyof typeof found)[], untested: string): boolean {
  const missing = [...new Set(programs)].filter((program) => !found[program])
  if (missing.length === 0) return false
  console.warn(`NOT TESTED: ${untested}. ${missing.join(' and ')} cannot be found on this machine.`)
  return true
}

function isThere(program: string): boolean {
  return findProgram(program) !== undefined
}
