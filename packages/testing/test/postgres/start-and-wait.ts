/** Starts a folder and the other parts that it is told, says where they are, and waits to be killed. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { guardedFolder } from '@latchkey/testing/machine/guarded-folder'
import { startCluster } from '@latchkey/testing/postgres/cluster'
import { startPooler } from '@latchkey/testing/postgres/pooler'
import { startReplica } from '@latchkey/testing/postgres/replica'

export interface Left {
  readonly folders: readonly string[]
  readonly pids: readonly number[]
}

async function start(parts: readonly string[]): Promise<Left> {
  const folders = [guardedFolder({ pidFile: 'none', signal: 'SIGTERM' }).path]
  if (!parts.includes('cluster')) return { folders, pids: [] }
  const cluster = await startCluster()
  folders.push(cluster.folder)
  const pids = [pidIn(cluster.folder, 'data/postmaster.pid')]
  if (parts.includes('replica')) {
    const { folder } = await startReplica(cluster)
    folders.push(folder)
    pids.push(pidIn(folder, 'data/postmaster.pid'))
  }
  if (parts.includes('pooler')) {
    const { folder } = await startPooler(cluster)
    folders.push(folder)
    pids.push(pidIn(folder, 'pid'))
  }
  return { folders, pids }
}

function pidIn(folder: string, file: string): number {
  return Number.parseInt(readFileSync(join(folder, file), 'utf8'), 10)
}

console.log(JSON.stringify(await start(process.argv.slice(2))))
setInterval(() => {}, 60_000)
