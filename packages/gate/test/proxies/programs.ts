/** The programs that these tests drive, and a loud word about what is not tested without them. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Debian keeps nginx where only root's PATH leads. */
export const searchPath = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin`

const njsModules = [
  '/usr/lib/nginx/modules/ngx_http_js_module.so',
  '/etc/nginx/modules/ngx_http_js_module.so',
]

const found = {
  nginx: answers('nginx', '-v'),
  caddy: answers('caddy', 'version'),
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

function answers(program: string, question: string): boolean {
  const env = { ...process.env, PATH: searchPath }
  return spawnSync(program, [question], { stdio: 'ignore', env }).status === 0
}
