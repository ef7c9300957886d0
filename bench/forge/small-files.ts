/** Two thousand small files as hf downloads them: HEAD and GET of each, eight at a time. nginx serves the same files from the disk. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { hasNginx, startNginx } from '../gate/nginx.ts'
import { cpuMicrosOf } from '../machine.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { missing } from '../part.ts'
import { between, type CpuByRole, cpuByRole, sumOf } from './cpu-by-role.ts'
import { ask, commit, create, fileLine, type Side } from './side.ts'

const count = 2000
const atATime = 8
const figure = `CPU of a small file, HEAD and GET, ${count} files`
const anchor = 'nginx, files on the disk'

export async function benchSmallFiles(
  side: Side & { readonly pid: number },
  { folder, rounds }: { readonly folder: string; readonly rounds: number },
): Promise<Figure> {
  if (!hasNginx) return missing(figure, anchor, 'nginx', 'install Debian’s nginx')
  const paths = Array.from({ length: count }, (_, at) => `folder-${at % 10}/${at}.txt`)
  const contentOf = (at: number) => `${at} `.repeat(1000).slice(0, 1000)
  const api = await create(side, 'small-files')
  await commit(
    side,
    api,
    paths.map((path, at) => fileLine(path, contentOf(at))),
  )
  const { sha } = (await (await ask(side, `${api}/revision/main`)).json()) as { sha: string }
  const files = join(folder, 'small-files')
  for (const [at, path] of paths.entries()) {
    mkdirSync(join(files, path, '..'), { recursive: true })
    writeFileSync(join(files, path), contentOf(at))
  }
  const port = await freePort()
  const server = `server { listen 127.0.0.1:${port}; root ${files}; }`
  const nginx = await startNginx(join(folder, 'nginx'), server, port)
  try {
    const { hostname, port: hubPort } = new URL(side.url)
    const hub: Place = {
      ...{
        host: hostname,
        port: Number(hubPort),
        prefix: `${api.slice('/api/models'.length)}/resolve/${sha}/`,
      },
      headers: { authorization: `Bearer ${side.token}` },
    }
    const disk: Place = { host: '127.0.0.1', port, prefix: '/', headers: {} }
    const [own, ofNginx]: [CpuByRole[], number[]] = [[], []]
    // The first round warms up: nothing of it is remembered by anybody.
    for (let round = 0; round <= rounds; round += 1) {
      const before = cpuByRole(side.pid)
      await downloadAll(hub, paths)
      own.push(between(before, cpuByRole(side.pid), count))
      const began = cpuMicrosOf(nginx.pid ?? 0)
      await downloadAll(disk, paths)
      ofNginx.push((cpuMicrosOf(nginx.pid ?? 0) - began) / 1000 / count)
    }
    const [cold, ...warm] = own
    const best = warm.toSorted((one, other) => sumOf(one) - sumOf(other))[0]
    return {
      ...{ figure, anchor, goal: { atMost: 0.8 } },
      result: measuredOf(warm.map(sumOf), { unit: 'ms', least: true }),
      details: {
        ...{ 'hub ms': best?.hub, 'forge ms': best?.forge, 'git ms': best?.git },
        ...{ 'first round ms': cold && sumOf(cold), 'nginx ms': Math.min(...ofNginx) },
      },
    }
  } finally {
    nginx.kill()
  }
}

interface Place {
  readonly host: string
  readonly port: number
  readonly prefix: string
  readonly headers: Readonly<Record<string, string>>
}

async function downloadAll(place: Place, paths: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: atATime })
  const left = paths.values()
  const work = async () => {
    for (const path of left) {
      await fetched(place, agent, { method: 'HEAD', path })
      const bytes = await fetched(place, agent, { method: 'GET', path })
      if (bytes !== 1000) throw new Error(`${path} has ${bytes} bytes`)
    }
  }
  await Promise.all(Array.from({ length: atATime }, work))
  agent.destroy()
}

function fetched(
  { prefix, ...place }: Place,
  agent: Agent,
  { method, path }: { readonly method: string; readonly path: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...place, agent, method, path: prefix + path }, (answer) => {
      let bytes = 0
      answer.on('data', (part: Buffer) => {
        bytes += part.length
      })
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(bytes)
        else reject(new Error(`${method} ${path}: ${answer.statusCode}`))
      })
    })
    sent.on('error', reject).end()
  })
}
