/** How much memory does a hub hold: idle, beside a Node that does nothing, and at rest after load, beside a server that only signs? */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandData, startCommandHub } from '../issue/command-hub.ts'
import { connections, startBareSide, startCommandSide, warmUpAll } from '../issue/sides.ts'
import { sqliteDirectory } from '../issue/sqlite-directory.ts'
import { ownMemoryOf } from '../machine.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { load } from '../measure/load.ts'
import type { Part } from '../part.ts'

const repositories = 100_000
const loadMs = 10_000
const settleMs = 2000
/** Long enough to see that nothing more comes. */
const restMs = 15_000

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
    const hub = await startCommandSide(directory)
    const bare = await startBareSide(directory)
    await warmUpAll([hub, bare], roundMs)
    const pids = [hub.pids[0] ?? 0, bare.pids[0] ?? 0] as const
    await load(hub, connections, loadMs)
    const underLoad = ownMemoryOf(pids[0])
    await load(bare, connections, loadMs)
    await sleep(restMs)
    const figure = figureOf('hub at rest after load', 'bare-es at rest after load', pids)
    const details = { ...figure.details, 'MB under load': underLoad }
    return { ...figure, details, goal: { atMost: 1.6 } }
  } finally {
    await directory.close()
  }
}

/** Mapped files are left out: they are the page cache's. */
function figureOf(figure: string, anchor: string, [own, other]: readonly [number, number]): Figure {
  const [MB, bare] = [ownMemoryOf(own), ownMemoryOf(other)]
  return { figure, anchor, result: measuredOf([MB / bare]), details: { MB, 'anchor MB': bare } }
}
