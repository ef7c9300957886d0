/** Storages without a disk: several on one catalogue in PostgreSQL and one bucket, behind one address. */

import { join } from 'node:path'
import type { OwnDatabase } from '@latchkey/testing/postgres/own-database'
import type { LocalS3Store } from '@latchkey/testing/s3/stores'
import { onTestFinished } from 'vitest'
import { commit } from '../directory-file.ts'
import { type Balancer, startBalancer } from '../many-hubs/balancer.ts'
import type { Held } from '../restore/storage-calls.ts'
import { latchkeyHere } from '../run-here.ts'
import { type Ended, latchkey, temporaryDirectory } from '../run-latchkey.ts'
import { type Here, hubHere } from '../serve-here.ts'

const directory = {
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'write' } }],
  repositories: [
    { type: 'model', id: 'acme/bert', visibility: 'private', branches: { main: commit } },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'cas', kind: 'storage' },
  ],
}

export interface StorageFlags {
  readonly [name: string]: string | boolean
}

export interface StoragesOfABucket {
  readonly cwd: string
  readonly balancer: Balancer
  /** For each of the storages; a client that has none asks the balancer. */
  readonly urls: readonly string[]
  /** A storage token. */
  held(): Promise<Held>
  /** A maintenance command on a machine that has run nothing else. */
  run(...args: string[]): Promise<Ended>
  /** The same as a process of its own. */
  runApart(args: readonly string[], more: Readonly<Record<string, string>>): Promise<Ended>
}

export interface Parts {
  readonly store: LocalS3Store
  readonly own: OwnDatabase
  /** Starts one of the storages; gives where it listens. */
  readonly startStorage: (
    flags: StorageFlags,
    environment: Readonly<Record<string, string>>,
  ) => Promise<Here>
  readonly more?: StorageFlags
}

export async function openStorages({
  store,
  own,
  startStorage,
  more = {},
}: Parts): Promise<StoragesOfABucket> {
  const cwd = temporaryDirectory()
  const input = JSON.stringify(directory)
  const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input })
  const made: { name: string; token: string }[] = JSON.parse(stdout).hubTokens
  const tokenOf = (wanted: string) => made.find(({ name }) => name === wanted)?.token ?? ''
  const ports: number[] = []
  const balancer = await startBalancer(ports)
  onTestFinished(balancer.close)
  const casUrl = `${balancer.url}/r/{repo}/{ref}`
  const hub = await hubHere(join(cwd, 'latchkey-data'), { storage: false, casUrl })
  onTestFinished(hub.stop)
  const { bucket, prefix, endpoint, credentials } = store.newPlace()
  const content = {
    objects: `s3://${bucket}/${prefix.replace(/\/$/, '')}`,
    objectsEndpoint: endpoint,
  }
  const environment = {
    LATCHKEY_STORAGE_CREDENTIAL: tokenOf('cas'),
    LATCHKEY_STORAGE_DATABASE: own.url,
    LATCHKEY_STORAGE_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
  const urls: string[] = []
  for (const name of ['one', 'two', 'three']) {
    const flags = { hub: hub.url, casUrl, port: '0', data: join(cwd, name), ...content, ...more }
    const { url, stop } = await startStorage(flags, environment)
    onTestFinished(stop)
    urls.push(url)
    ports.push(Number(new URL(url).port))
  }
  const env = {
    ...environment,
    LATCHKEY_OBJECTS: content.objects,
    LATCHKEY_OBJECTS_ENDPOINT: endpoint,
    LATCHKEY_DATA: join(cwd, 'commands'),
  }
  return {
    ...{ cwd, balancer, urls },
    async held() {
      const path = '/api/models/acme/bert/storage-write-token/main'
      const authorization = `Bearer ${tokenOf('laptop')}`
      return (await (await fetch(hub.url + path, { headers: { authorization } })).json()) as Held
    },
    run: (...args) => latchkeyHere(['storage', ...args, '--hub', hub.url], { cwd, env }),
    runApart: (args, more) =>
      latchkey(['storage', ...args, '--hub', hub.url], { cwd, env: { ...env, ...more } }),
  }
}
