/** A hub with a forge, and three storages of one bucket as processes that a test may kill. */

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { type FaultProxy, startFaultProxy } from '@latchkey/testing/s3/fault-proxy'
import { sharedVersitygw } from '@latchkey/testing/s3/stores'
import { expect } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { end, ready, type Serving, start } from '../run-latchkey.ts'
import { hubHere } from '../serve-here.ts'
import { type Front, startFront } from './front.ts'

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'cas', kind: 'storage' },
  ],
})

export interface StoragesToKill {
  readonly cwd: string
  readonly hubUrl: string
  readonly token: string
  readonly front: Front
  /** Content that clients put into the store themselves passes here, if the storages let them. */
  readonly door: FaultProxy
  /** Whether this one runs, and another one too. */
  canKill(index: number): boolean
  kill(index: number): Promise<void>
  restart(index: number): Promise<void>
  /** Kills the next storage that has received a request whose path has this in it. */
  killNext(part: string): Promise<void>
  /** No storage says that it failed. */
  expectNoFailure(): void
}

export interface KillableOptions {
  readonly lets: 'grants' | 'no grants'
  /** Registers what ends with the test, or with all tests of a block. */
  readonly tidy: (work: () => unknown) => void
}

export async function openStoragesToKill({ lets, tidy }: KillableOptions): Promise<StoragesToKill> {
  const cwd = mkdtempSync(join(tmpdir(), 'latchkey-killed-'))
  tidy(() => rmSync(cwd, { recursive: true, force: true }))
  const own = await ownDatabase()
  const store = await sharedVersitygw()
  tidy(() => store.kill())
  const door = await startFaultProxy(store.port)
  tidy(() => door.close())
  const prefix = { LATCHKEY_HUB_TOKEN_PREFIX: 'hf_' }
  const applied = await latchkeyHere(['apply', '-', '--json'], {
    ...{ cwd, env: prefix, input: directory },
  })
  const tokens: { name: string; token: string }[] = JSON.parse(applied.stdout).hubTokens
  const tokenOf = (wanted: string) => tokens.find(({ name }) => name === wanted)?.token ?? ''
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  let victim: { readonly part: string; readonly kill: (port: number) => void } | undefined
  const front = await startFront(ports, (port, path) => {
    if (victim !== undefined && path.includes(victim.part)) victim.kill(port)
  })
  tidy(front.close)
  const casUrl = `${front.url}/r/{repo}/{ref}`
  const hub = await hubHere(
    join(cwd, 'latchkey-data'),
    { forge: true, storage: false, casUrl },
    prefix,
  )
  tidy(hub.stop)
  const { bucket, endpoint, credentials } = store.newPlace()
  const words = ['storage', 'serve', '--hub', hub.url, '--cas-url', casUrl]
  const place = ['--objects', `s3://${bucket}/content`, '--objects-endpoint', endpoint]
  if (lets === 'grants') place.push('--objects-public-endpoint', door.endpoint)
  const env = {
    LATCHKEY_STORAGE_CREDENTIAL: tokenOf('cas'),
    LATCHKEY_STORAGE_DATABASE: own.url,
    LATCHKEY_STORAGE_MASTER_KEY: randomBytes(32).toString('base64'),
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
  const logs: (() => string)[] = []
  const startStorage = async (index: number): Promise<Serving> => {
    const own = ['--port', String(ports[index]), '--data', `storage-${index}`]
    const child = start([...words, ...place, ...own], { cwd, env })
    tidy(() => end(child))
    const storage = await ready(child)
    logs.push(() => storage.output().stdout)
    return storage
  }
  const storages: (Serving | undefined)[] = []
  for (const index of ports.keys()) storages.push(await startStorage(index))

  const kill = async (index: number) => {
    const storage = storages[index]
    storages[index] = undefined
    if (storage !== undefined) await end(storage.child)
  }
  return {
    ...{ cwd, hubUrl: hub.url, token: tokenOf('laptop'), front, door, kill },
    canKill(index) {
      const others = storages.filter((storage, at) => storage !== undefined && at !== index)
      return storages[index] !== undefined && others.length > 0
    },
    async restart(index) {
      storages[index] = await startStorage(index)
    },
    async killNext(part) {
      const { promise, resolve } = Promise.withResolvers<number>()
      victim = {
        part,
        kill(port) {
          victim = undefined
          const index = ports.indexOf(port)
          storages[index]?.child.kill('SIGKILL')
          resolve(index)
        },
      }
      await kill(await promise)
    },
    expectNoFailure() {
      const lines = logs.flatMap((log) => log().split('\n'))
      expect(lines.filter((line) => line.includes('storage_failed'))).toEqual([])
    },
  }
}
