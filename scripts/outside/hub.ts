/** A hub with its storage, run from the tarball of the command, and tokens of every kind that a gate must tell apart. */

import { generateKeyPairSync, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { serviceCommand } from './documented.ts'
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

/** `folder` is where the project `latchkey` is installed. */
export async function openHub(folder: string, machine: Machine): Promise<OutsideHub> {
  const command = installedCommand(folder, machine)
  const [port, storagePort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const casUrl = `http://127.0.0.1:${storagePort}/r/{repo}/{ref}`
  const { stdout } = await command.run(['apply', 'acme.json', '--json'], anHourAgo)
  const hubToken: string = JSON.parse(stdout).hubTokens[0].token
  const ask: Ask = (repository, scope = 'read', ref = 'main') =>
    askFor(`${url}/api/models/acme/${repository}/storage-${scope}-token/${ref}`, hubToken)
  const expired = await askAnHourAgo(command, ['--port', `${port}`, '--cas-url', casUrl], ask)
  const running = command.serve(['--port', `${port}`, '--storage-port', `${storagePort}`])
  try {
    await running.said(/storage is ready at/)
    const settings = { LATCHKEY_HUB: url, LATCHKEY_HUB_TOKEN: hubToken }
    return {
      ...{ url, casUrl, hubToken, prefix: new URL(expired.casUrl).pathname },
      file: await uploadFile(folder, command, settings),
      tokens: () => tokensOf(ask, expired.accessToken),
      stop: running.stop,
    }
  } catch (error) {
    await running.stop()
    throw error
  }
}

const anHourAgo = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'an-hour-ago.js')}` }

type Variables = Readonly<Record<string, string>>

interface InstalledCommand {
  run(words: readonly string[], more?: Variables): Promise<Ended>
  start(words: readonly string[], more?: Variables): Running
  /** As a supervisor does it, by the command of the documents. */
  serve(words: readonly string[]): Running
}

function installedCommand(cwd: string, { node, env }: Machine): InstalledCommand {
  const file = join(cwd, 'node_modules/latchkey/bin/latchkey.js')
  const [program, ...words] = serviceCommand()
  return {
    run: (given, more = {}) => run(node, [file, ...given], { cwd, env: { ...env, ...more } }),
    start: (given, more = {}) => start(node, [file, ...given], { cwd, env: { ...env, ...more } }),
    serve: (given) => start(join(cwd, program), [...words, ...given], { cwd, env }),
  }
}

interface Answer {
  readonly accessToken: string
  readonly casUrl: string
}

type Ask = (repository: string, scope?: 'read' | 'write', ref?: string) => Promise<Answer>

/** Of a hub whose clock is an hour slow: its tokens have expired by now. */
async function askAnHourAgo(
  command: InstalledCommand,
  words: readonly string[],
  ask: Ask,
): Promise<Answer> {
  const running = command.start(['serve', '--no-storage', ...words], anHourAgo)
  try {
    await running.said(/hub is ready at/)
    return await ask('bert')
  } finally {
    await running.stop()
  }
}

async function uploadFile(
  folder: string,
  command: InstalledCommand,
  settings: Variables,
): Promise<OutsideHub['file']> {
  const content = 'a file of bert\n'
  writeFileSync(join(folder, 'file.txt'), content)
  const { stdout } = await command.run(['upload', 'models/acme/bert', 'file.txt'], settings)
  return { hash: stdout.trim(), bytes: content.length }
}

async function tokensOf(ask: Ask, expired: string): Promise<Tokens> {
  const { accessToken: read } = await ask('bert')
  return {
    read,
    write: (await ask('bert', 'write')).accessToken,
    ofOtherRepository: (await ask('gpt')).accessToken,
    ofOtherRef: (await ask('bert', 'read', 'dev')).accessToken,
    expired,
    forged: forge(read),
  }
}

async function askFor(address: string, hubToken: string): Promise<Answer> {
  const answer = await fetch(address, { headers: { authorization: `Bearer ${hubToken}` } })
  if (!answer.ok) throw new Error(`the hub answers ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

/** The same claims, signed with a key that is not the hub's. */
function forge(token: string): string {
  const [header = '', claims = ''] = token.split('.')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = `${header}.${claims}`
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}
