/** How long does it take from nothing to the first token, beside starting Node? */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { type CommandData, commandData, startCommandHub } from '../issue/command-hub.ts'
import { cpuMicrosOf } from '../machine.ts'
import { measuredOf } from '../measure/figure.ts'
import { median } from '../measure/statistics.ts'
import type { Part } from '../part.ts'

export const start: Part = {
  name: 'start',
  async figures({ rounds = 15 }) {
    const data = await commandData(1)
    try {
      // What the hub compiles is kept after its first start.
      await firstToken(data)
      const hubs: Took[] = []
      const nodes: Took[] = []
      for (let round = 0; round < rounds; round += 1) {
        hubs.push(await firstToken(data))
        nodes.push(await nothing())
      }
      const ratios = (of: keyof Took) => hubs.map((took, at) => took[of] / (nodes[at]?.[of] ?? 0))
      return [
        {
          figure: 'start to first token',
          anchor: 'node -e 0',
          result: measuredOf(ratios('milliseconds')),
          goal: { atMost: 3 },
          details: {
            'times its CPU': median(ratios('cpuMs')),
            ms: Math.min(...hubs.map(({ milliseconds }) => milliseconds)),
            'anchor ms': Math.min(...nodes.map(({ milliseconds }) => milliseconds)),
          },
        },
      ]
    } finally {
      data.remove()
    }
  },
}

interface Took {
  readonly milliseconds: number
  readonly cpuMs: number
}

async function firstToken({ data, authorization, paths }: CommandData): Promise<Took> {
  const started = performance.now()
  const { child, pid, port } = await startCommandHub(data)
  const url = `http://127.0.0.1:${port}${paths[0]}`
  const { ok, status } = await fetch(url, { headers: { authorization, connection: 'close' } })
  const milliseconds = performance.now() - started
  if (!ok) throw new Error(`the first request is answered with ${status}`)
  const cpuMs = cpuMicrosOf(pid) / 1000
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  return { milliseconds, cpuMs }
}

/** It tells its own CPU time, since the system forgets it at its end. */
async function nothing(): Promise<Took> {
  const program =
    'const { user, system } = process.cpuUsage(); fs.writeSync(1, String(user + system))'
  const started = performance.now()
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [told] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { milliseconds: performance.now() - started, cpuMs: Number(told) / 1000 }
}
