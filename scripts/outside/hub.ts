/** A hub with its storage, run from the tarball of the command, and tokens of every kind that a gate must tell apart. */

import { generateKeyPairSync, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import type { Machine } from './machine.ts'
import { type Ended, type Running, run, start } from './run.ts'

export interface OutsideHub {
  readonly url: string
  readonly casUrl: string
  readonly hubToken: string
  /** One of `models/acme/bert`. */
  readonly file: { readonly hash: string; readonly bytes: number }
  /** New ones, because the table takes longer than a token lives. */
  tokens(): Promise<Tokens>
  /** Under which requests address `main` of `models/acme/bert`. */
  readonly prefix: string
  stop(): Promise<unknown>
}

export interface Tokens {
  readonly read: string
  readonly write: string
  readonly ofOtherRepository: string
  readonly ofOtherRef: string
  readonly expired: string
  readonly forged: string
}

interface Answer {
  readonly accessToken: string
  readonly casUrl: string
}

/** `folder` is where the project `latchkey` is installed. */
export async function openHub(folder: string, machine: Machine): Promise<OutsideHub> {
  const [port, storagePort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const casUrl = `http://127.0.0.1:${storagePort}/r/{repo}/{ref}`
  const command = join(folder, 'node_modules/latchkey/bin/latchkey.js')
  const hourAgo = `--import=${join(import.meta.dirname, 'an-hour-ago.js')}`
  const envAnHourAgo = { ...machine.env, NODE_OPTIONS: hourAgo }
  const latchkey = (words: readonly string[], env = machine.env): Promise<Ended> =>
    run(machine.node, [command, ...words], { cwd: folder, env })
  const serve = async (words: readonly string[], env = machine.env): Promise<Running> => {
    const all = [command, 'serve', '--port', `${port}`, ...words]
    const running = start(machine.node, all, { cwd: folder, env })
    await running.said(words.includes('--no-storage') ? /hub is ready at/ : /storage is ready at/)
    return running
  }

  const { stdout } = await latchkey(['apply', 'acme.json', '--json'], envAnHourAgo)
  const hubToken: string = JSON.parse(stdout).hubTokens[0].token
  const ask = (repository: string, scope: 'read' | 'write' = 'read', ref = 'main') =>
    askFor(`${url}/api/models/acme/${repository}/storage-${scope}-token/${ref}`, hubToken)

  const before = await serve(['--no-storage', '--cas-url', casUrl], envAnHourAgo)
  const expired = await ask('bert').finally(() => before.stop())

  const running = await serve(['--storage-port', `${storagePort}`])
  try {
    const content = 'a file of bert\n'
    writeFileSync(join(folder, 'file.txt'), content)
    const upload = await latchkey(['upload', 'models/acme/bert', 'file.txt'], {
      ...machine.env,
      LATCHKEY_HUB: url,
      LATCHKEY_HUB_TOKEN: hubToken,
    })
    return {
      url,
      casUrl,
      hubToken,
      file: { hash: upload.stdout.trim(), bytes: content.length },
      async tokens() {
        const { accessToken: read } = await ask('bert')
        return {
          read,
          write: (await ask('bert', 'write')).accessToken,
          ofOtherRepository: (await ask('gpt')).accessToken,
          ofOtherRef: (await ask('bert', 'read', 'dev')).accessToken,
          expired: expired.accessToken,
          forged: forge(read),
        }
      },
      prefix: new URL(expired.casUrl).pathname,
      stop: running.stop,
    }
  } catch (error) {
    await running.stop()
    throw error
  }
}

async function askFor(address: string, hubToken: string): Promise<Answer> {
  const answer = await fetch(address, { headers: { authorization: `Bearer ${hubToken}` } })
  if (!answer.ok) throw new Error(`the hub answers ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

/** The same words, under a key that is not the hub's. */
function forge(token: string): string {
  const [header = '', claims = ''] = token.split('.')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const words = `${header}.${claims}`
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  return `${words}.${sign('sha256', Buffer.from(words), key).toString('base64url')}`
}
