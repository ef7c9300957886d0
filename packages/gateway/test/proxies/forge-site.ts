/** Two hubs on one PostgreSQL, a storage and a forge, each a process, behind nginx with the shipped file. */

import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  type Ended,
  latchkey,
  latchkeyJson,
  type Serving,
  startServing,
} from '@latchkey/testing/machine/command'
import { freePort } from '@latchkey/testing/machine/free-port'
import type { OwnDatabase } from '@latchkey/testing/postgres/own-database'
import { hubName, issuer, runHubsAndForge, writeCertificates } from './hub-proxies.ts'

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }, { name: 'machine', kind: 'service' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'machine', name: 'forge', kind: 'forge' },
    { account: 'machine', name: 'cas', kind: 'storage' },
  ],
})

export interface Answer {
  /** 0 without a response. */
  readonly status: number
  readonly retryAfter: string | undefined
  readonly cookie: string
  readonly body: string
}

export interface Question {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface ForgeSite {
  /** The address that clients know. */
  readonly url: string
  /** Of ada. */
  readonly token: string
  readonly hubs: readonly Serving[]
  /** The process that runs now. */
  forge(): Serving
  /** After its end, on the same port and the same data. */
  startForge(): Promise<void>
  /** Beside the first one: it ends by itself. */
  runSecondForge(): Promise<Ended>
  ask(path: string, question?: Question): Promise<Answer>
  close(): Promise<void>
}

export async function openForgeSite(cwd: string, database: OwnDatabase): Promise<ForgeSite> {
  const closing: (() => unknown)[] = []
  const close = async () => {
    for (const step of closing.splice(0).toReversed()) await step()
  }
  const serving = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
    const started = await startServing(args, { cwd, env })
    closing.push(() => started.end('SIGKILL'))
    return started
  }
  try {
    writeCertificates(cwd)
    const [first, second, forgePort, storagePort] = [
      ...[await freePort(), await freePort(), await freePort(), await freePort()],
    ] as const
    const ports = { hubs: [first ?? 0, second ?? 0], forge: forgePort ?? 0 } as const
    const proxy = await runHubsAndForge('nginx', ports, cwd)
    closing.push(proxy.stop)
    const url = `https://${hubName}:${new URL(proxy.url).port}`

    const atDatabase = {
      LATCHKEY_DATABASE: database.url,
      LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    writeFileSync(join(cwd, 'directory.json'), directory)
    const around = { cwd, env: atDatabase }
    const made = await latchkeyJson<{ hubTokens: readonly { name: string; token: string }[] }>(
      ['apply', 'directory.json'],
      around,
    )
    const tokenOf = (wanted: string) =>
      made.hubTokens.find(({ name }) => name === wanted)?.token ?? ''

    const casUrl = ['--cas-url', `http://127.0.0.1:${storagePort}/r/{repo}/{ref}`]
    const startHub = (port: number, index: number) =>
      serving(
        [
          ...['serve', '--no-storage', '--port', `${port}`, '--data', join(cwd, `hub-${index}`)],
          ...['--public-url', url, '--forge-url', `http://127.0.0.1:${forgePort}`, ...casUrl],
          ...['--trusted-proxies', '127.0.0.1'],
        ],
        atDatabase,
      )
    const hubs = await Promise.all(ports.hubs.map(startHub))
    const toHub = ['--hub', url, '--ca-cert', 'ca.pem']
    const forgeArgs = (port: number | undefined, data: string) => [
      ...['forge', 'serve', '--port', `${port}`, '--data', join(cwd, data), ...toHub],
      ...['--trusted-proxies', '127.0.0.1'],
    ]
    const env = { LATCHKEY_FORGE_CREDENTIAL: tokenOf('forge') }
    const startForge = () => serving(forgeArgs(forgePort, 'forge'), env)
    const storage = serving(['storage', 'serve', '--port', `${storagePort}`, ...toHub, ...casUrl], {
      LATCHKEY_STORAGE_CREDENTIAL: tokenOf('cas'),
    })
    let [forge] = await Promise.all([startForge(), storage])

    const agent = new Agent({ keepAlive: true, ca: issuer.cert })
    closing.push(() => agent.destroy())
    return {
      ...{ url, hubs, close, token: tokenOf('laptop') },
      forge: () => forge,
      async startForge() {
        forge = await startForge()
      },
      runSecondForge: () => latchkey(forgeArgs(0, 'other'), { cwd, env }),
      ask: (path, question) => ask(agent, url + path, question),
    }
  } catch (error) {
    await close()
    throw error
  }
}

function ask(agent: Agent, url: string, { body, ...options }: Question = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const asked = request(url, { ...options, agent })
    asked.on('error', ({ message: body }) =>
      resolve({ status: 0, retryAfter: undefined, cookie: '', body }),
    )
    asked.on('response', async (response) => {
      const { statusCode: status = 0, headers } = response
      const [cookie = ''] = (headers['set-cookie']?.[0] ?? '').split(';')
      const retryAfter = headers['retry-after']
      resolve({ status, retryAfter, cookie, body: await text(response).catch(() => '') })
    })
    asked.end(body)
  })
}
