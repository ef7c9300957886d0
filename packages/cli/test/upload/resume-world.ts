/** A hub and its storage as processes that can be broken, behind a door that counts what is sent. */

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { beforeAll, expect, onTestFinished, vi } from 'vitest'
import { commit } from '../directory-file.ts'
import { latchkeyHere } from '../run-here.ts'
import { collect, type Ended, end, ready, type Serving, start } from '../run-latchkey.ts'
import { childOf } from '../serve/child-of.ts'
import { hourAhead, movableClock, readiness } from '../serve/hour-ahead.ts'
import { type Door, openDoor } from './counting-door.ts'

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'write' } }],
  repositories: [
    { type: 'model', id: 'acme/bert', visibility: 'private', branches: { main: commit } },
  ],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
})

export const target = 'models/acme/bert@main'

export interface Uploading {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

export interface ResumeWorld {
  readonly cwd: string
  readonly door: Door
  write(name: string, content: Buffer): void
  upload(...names: string[]): Uploading
  /** To the end, which must be a good one. */
  run(...args: string[]): Promise<Ended>
  /** Comes back when another one serves. */
  killStorage(): Promise<void>
  /** The storage goes with it; comes back when both serve again. */
  killHub(): Promise<void>
  /** Hub and storage are; every storage token that there is has ended. */
  hourAhead(): Promise<void>
}

/** One for all tests of a file, in their order; each begins with nothing counted. */
export function sharedWorld(): () => ResumeWorld {
  const folder = sharedFolder()
  let world: ResumeWorld & { close(): Promise<void> }
  beforeAll(async () => {
    world = await resumeWorld(folder)
    return world.close
  })
  return () => {
    world.door.countAnew()
    return world
  }
}

async function resumeWorld(cwd: string): Promise<ResumeWorld & { close(): Promise<void> }> {
  const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input: directory })
  const [{ token }] = JSON.parse(stdout).hubTokens
  const [port, storagePort] = [await freePort(), await freePort()]
  const door = await openDoor(storagePort)
  const ports = ['--port', String(port), '--storage-port', String(storagePort)]
  const casUrl = ['--cas-url', `${door.url}/r/{repo}/{ref}`]
  let hub = await serving()
  const env = { LATCHKEY_HUB: hub.url, LATCHKEY_HUB_TOKEN: token }
  return {
    ...{ cwd, door },
    write: (name, content) => writeFileSync(join(cwd, name), content),
    upload(...names) {
      const child = start(['upload', target, ...names], { cwd, env })
      onTestFinished(() => end(child))
      const output = collect(child)
      const ended = once(child, 'close').then(([code]) => ({ code, ...output() }))
      return { child, ended }
    },
    async run(...args) {
      const ended = await latchkeyHere(args, { cwd, env })
      expect(ended).toMatchObject({ code: 0 })
      return ended
    },
    async killStorage() {
      const before = storagesStarted(hub)
      process.kill(childOf(hub.child.pid), 'SIGKILL')
      await expect.poll(() => storagesStarted(hub)).toBe(before + 1)
      await expect.poll(() => readiness(hub.url)).toMatchObject({ storage: 'ready' })
    },
    async killHub() {
      const storage = childOf(hub.child.pid)
      await end(hub.child)
      process.kill(storage, 'SIGKILL')
      hub = await serving()
    },
    hourAhead: () => hourAhead(hub),
    async close() {
      await end(hub.child)
      await door.close()
    },
  }

  async function serving(): Promise<Serving> {
    const words = ['serve', ...ports, ...casUrl]
    const child = start(words, { cwd, nodeFlags: movableClock })
    try {
      const started = await ready(child)
      const isReady = async () =>
        expect(await readiness(started.url)).toMatchObject({ storage: 'ready' })
      await vi.waitFor(isReady, 180_000)
      return started
    } catch (error) {
      await end(child)
      throw error
    }
  }
}

function storagesStarted({ output }: Serving): number {
  return output().stdout.split('"event":"storage_started"').length - 1
}
