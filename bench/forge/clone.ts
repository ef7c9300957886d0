/** A clone of git objects that no compression makes smaller, beside `git http-backend` behind nginx on the same repository. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@latchkey/testing/machine/free-port'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { hasNginx, startNginx } from '../gate/nginx.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { median } from '../measure/statistics.ts'
import { missing } from '../part.ts'
import { between, cpuByRole, sumOf } from './cpu-by-role.ts'
import { commit, create, fileLine, type Side } from './side.ts'

const fcgiwrap = findProgram('fcgiwrap')
const anchor = 'git http-backend, nginx'
const fileMegabytes = 8
const filesOfCommit = 16

export interface Cloning {
  readonly folder: string
  readonly megabytes: number
  readonly rounds: number
}

export async function benchClone(
  side: Side & { readonly pid: number },
  { folder, megabytes, rounds }: Cloning,
): Promise<Figure> {
  const figure = `git clone, ${megabytes} MB`
  const how = 'install Debian’s nginx and fcgiwrap'
  if (!hasNginx || fcgiwrap === undefined) return missing(figure, anchor, 'nginx or fcgiwrap', how)
  const api = await create(side, 'clone')
  for (let made = 0; made < megabytes / fileMegabytes; made += filesOfCommit) {
    const lines = Array.from({ length: filesOfCommit }, (_, at) =>
      fileLine(`${made + at}.bin`, randomBytes(fileMegabytes * 1024 * 1024)),
    )
    await commit(side, api, lines)
  }
  const repository = largestIn(folder)
  // As a push leaves them.
  execFileSync('git', ['-C', repository, 'repack', '-a', '-d', '-q', '--depth=0', '--window=0'])
  const backend = await startBackend(join(folder, 'backend'), repository)
  try {
    const credential = Buffer.from(`bench:${side.token}`).toString('base64')
    const own = { url: `${side.url}${api.slice('/api/models'.length)}.git`, pids: [side.pid] }
    const [ratios, cpu]: [number[], { own: number[]; backend: number[] }] = [
      [],
      { own: [], backend: [] },
    ]
    for (let round = 0; round < rounds; round += 1) {
      const ours = await clone(own, folder, credential)
      const theirs = await clone(backend, folder)
      ratios.push(ours.seconds / theirs.seconds)
      cpu.own.push(ours.cpuSeconds)
      cpu.backend.push(theirs.cpuSeconds)
    }
    return {
      ...{ figure, anchor, goal: { atMost: 1.3 }, result: measuredOf(ratios) },
      details: { 'CPU s': median(cpu.own), 'CPU s of the anchor': median(cpu.backend) },
    }
  } finally {
    for (const child of backend.children) child.kill()
  }
}

function largestIn(folder: string): string {
  const sizeOf = (repository: string) =>
    globSync(join(repository, 'objects/**/*')).reduce((sum, file) => sum + statSync(file).size, 0)
  const all = globSync(join(folder, '*/repositories/*.git'))
  const [largest] = all.toSorted((one, other) => sizeOf(other) - sizeOf(one))
  if (largest === undefined) throw new Error(`no repository lies in ${folder}`)
  return largest
}

interface Server {
  readonly url: string
  readonly pids: readonly number[]
}

async function startBackend(
  folder: string,
  repository: string,
): Promise<Server & { readonly children: readonly ChildProcess[] }> {
  const socket = `${folder}.socket`
  const wrapper = spawn(fcgiwrap ?? '', ['-c', '2', '-s', `unix:${socket}`], { stdio: 'ignore' })
  while (!existsSync(socket)) await sleep(20)
  const script = execFileSync('git', ['--exec-path']).toString().trim()
  const port = await freePort()
  const server = `server { listen 127.0.0.1:${port}; client_max_body_size 0; location / {
    fastcgi_pass unix:${socket}; fastcgi_buffering off; fastcgi_request_buffering off;
    fastcgi_param SCRIPT_FILENAME ${script}/git-http-backend; fastcgi_param PATH_INFO $uri;
    fastcgi_param QUERY_STRING $query_string; fastcgi_param REQUEST_METHOD $request_method;
    fastcgi_param CONTENT_TYPE $content_type; fastcgi_param CONTENT_LENGTH $content_length;
    fastcgi_param GIT_PROJECT_ROOT ${dirname(repository)}; fastcgi_param GIT_HTTP_EXPORT_ALL 1; } }`
  const nginx = await startNginx(folder, `client_body_buffer_size 1m; ${server}`, port)
  const url = `http://127.0.0.1:${port}/${repository.slice(dirname(repository).length + 1)}`
  return { url, pids: [nginx.pid ?? 0, wrapper.pid ?? 0], children: [nginx, wrapper] }
}

async function clone(
  { url, pids }: Server,
  folder: string,
  credential?: string,
): Promise<{ readonly seconds: number; readonly cpuSeconds: number }> {
  const target = join(folder, 'cloned.git')
  const header = credential && ['-c', `http.extraHeader=Authorization: Basic ${credential}`]
  const before = pids.map(cpuByRole)
  const began = performance.now()
  const git = spawn('git', [...(header ?? []), 'clone', '-q', '--bare', url, target], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' },
  })
  const [code] = await once(git, 'exit')
  const seconds = (performance.now() - began) / 1000
  if (code !== 0) throw new Error(`git clone of ${url} ended with ${code}`)
  rmSync(target, { recursive: true })
  const spent = pids.map((pid, at) => {
    const from = before[at]
    return from === undefined ? 0 : sumOf(between(from, cpuByRole(pid), 1))
  })
  return { seconds, cpuSeconds: spent.reduce((sum, each) => sum + each, 0) / 1000 }
}
