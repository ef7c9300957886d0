/** A hub and its forge that are killed, beside a storage that is not. */

import { join } from 'node:path'
import { childrenOf, isGone } from '@latchkey/testing/machine/child-processes'
import { startServing } from '@latchkey/testing/machine/command'
import { freePort } from '@latchkey/testing/machine/free-port'
import { expect } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { storageHere } from '../serve-here.ts'

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }, { name: 'machine', kind: 'service' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'machine', name: 'cas', kind: 'storage' },
  ],
})

/** `machine`: all at once, as in a power failure. `git`: the processes that the forge runs. */
export const victims = ['machine', 'forge', 'git', 'hub'] as const
export type Victim = (typeof victims)[number]

export interface KilledSite {
  readonly data: string
  readonly url: string
  readonly token: string
  /** Returns once nothing of the victim is left that could still write. */
  kill(victim: Victim): Promise<void>
  /** Starts again what does not start by itself, and returns once the forge serves. */
  recover(): Promise<void>
  /** An orderly end of the hub, and a new start. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function openKilledSite(cwd: string): Promise<KilledSite> {
  const data = join(cwd, 'latchkey-data')
  const applied = await latchkeyHere(['apply', '-', '--json'], { cwd, input: directory })
  const made: readonly { name: string; token: string }[] = JSON.parse(applied.stdout).hubTokens
  const tokenOf = (wanted: string) => made.find(({ name }) => name === wanted)?.token ?? ''
  const [port, storagePort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const casUrl = `http://127.0.0.1:${storagePort}/r/{repo}/{ref}`
  const words = ['serve', '--port', `${port}`, '--forge', '--no-storage', '--cas-url', casUrl]
  const start = () => startServing(words, { cwd })
  let hub = await start()
  const storage = await storageHere(
    { hub: url, port: `${storagePort}`, casUrl, data: join(cwd, 'storage') },
    { LATCHKEY_STORAGE_CREDENTIAL: tokenOf('cas') },
  ).catch(async (error) => {
    await hub.end('SIGKILL')
    throw error
  })

  const isServing = async () => {
    const asked = await fetch(`${url}/api/models`, {
      headers: { authorization: `Bearer ${tokenOf('laptop')}` },
    })
    return asked.status
  }
  const kill = async (victim: Victim) => {
    const { child, ended } = hub
    const forges = childrenOf(child.pid)
    const gits = forges.flatMap(childrenOf)
    if (victim === 'machine') {
      // Nobody can tidy up after another.
      for (const pid of [child.pid ?? 0, ...forges]) signal(pid, 'SIGSTOP')
      for (const pid of [...forges.flatMap(childrenOf), ...forges]) signal(pid, 'SIGKILL')
    }
    if (victim === 'git') for (const pid of gits) signal(pid, 'SIGKILL')
    if (victim === 'forge') for (const pid of forges) signal(pid, 'SIGKILL')
    if (victim === 'hub' || victim === 'machine') {
      child.kill('SIGKILL')
      await ended
    }
    const gone = victim === 'git' ? gits : [...gits, ...forges]
    await expect.poll(() => gone.every(isGone), { timeout: 30_000 }).toBe(true)
  }
  return {
    ...{ data, url, token: tokenOf('laptop'), kill },
    async recover() {
      if (hub.child.exitCode !== null || hub.child.signalCode !== null) hub = await start()
      await expect.poll(isServing, { timeout: 60_000 }).toBe(200)
    },
    async restart() {
      await hub.end()
      hub = await start()
    },
    async close() {
      await kill('machine')
      await storage.stop()
    },
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}
