/** How much memory does a hub hold: idle, beside a Node that does nothing, and after load, beside a server that only signs? */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandData, startCommandHub } from '../issue/command-hub.ts'
import { connections, startBareSide, startHubSide, warmUpAll } from '../issue/sides.ts'
import { sqliteDirectory } from '../issue/sqlite-directory.ts'
import { ownMemoryOf } from '../machine.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { load } from '../measure/load.ts'
import type { Part } from '../part.ts'

const repositories = 100_000
const loadMs = 10_000
const settleMs = 2000

export const memory: Part = {
  name: 'memory',
  figures: async ({ roundMs }) => [await idle(), await afterLoad(roundMs)],
}

async function idle(): Promise<Figure> {
  const data = await commandData(1)
  const bare = spawn(process.execPath, [
    '-e',
    'process.stdout.write("up"); setInterval(() => {}, 1e9)',
  ])
  try {
    await once(bare.stdout, 'data')
    const hub = await startCommandHub(data.data)
    await sleep(settleMs)
    return figureOf('idle hub', 'a Node that does nothing', [hub.pid, bare.pid ?? 0])
  } finally {
    bare.kill()
    data.remove()
  }
}

async function afterLoad(roundMs: number): Promise<Figure> {
  const directory = await sqliteDirectory(repositories)
  try {
    const hub = await startHubSide(directory, 'hot')
    const bare = await startBareSide(directory)
    await warmUpAll([hub, bare], roundMs)
    for (const side of [hub, bare]) await load(side, connections, loadMs)
    const pids = [hub.pids[0] ?? 0, bare.pids[0] ?? 0] as const
    return { ...figureOf('hub after load', 'bare-es after load', pids), goal: { atMost: 1.6 } }
  } finally {
    await directory.close()
  }
}

/** Mapped files are left out: they are the page cache's. */
function figureOf(figure: string, anchor: string, [own, other]: readonly [number, number]): Figure {
  const [MB, bare] = [ownMemoryOf(own), ownMemoryOf(other)]
  return { figure, anchor, result: measuredOf([MB / bare]), details: { MB, 'anchor MB': bare } }
}
