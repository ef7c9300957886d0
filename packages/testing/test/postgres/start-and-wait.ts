/** Starts what it is told to, says where it is, and waits to be killed. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startCluster } from '@latchkey/testing/postgres/cluster'
import { guardedFolder } from '@latchkey/testing/postgres/guarded-folder'
import { startPooler } from '@latchkey/testing/postgres/pooler'
import { startReplica } from '@latchkey/testing/postgres/replica'

export interface Left {
  readonly folders: readonly string[]
  readonly pids: readonly number[]
}

async function start(what: string | undefined): Promise<Left> {
  if (what === 'folder') {
    return { folders: [guardedFolder({ pidFile: 'none', signal: 'SIGTERM' }).path], pids: [] }
  }
  const cluster = await startCluster()
  const folders = [cluster.folder]
  const pids = [pidIn(cluster.folder, 'data/postmaster.pid')]
  if (what === 'replica') {
    const { folder } = await startReplica(cluster)
    folders.push(folder)
    pids.push(pidIn(folder, 'data/postmaster.pid'))
  }
  if (what === 'pooler') {
    const { folder } = await startPooler(cluster)
    folders.push(folder)
    pids.push(pidIn(folder, 'pid'))
  }
  return { folders, pids }
}

function pidIn(folder: string, file: string): number {
  return Number.parseInt(readFileSync(join(folder, file), 'utf8'), 10)
}

console.log(JSON.stringify(await start(process.argv[2])))
setInterval(() => {}, 60_000)
