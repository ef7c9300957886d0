/** Known secrets in every place a client could put them, at every log level: none comes out again. */

import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { acme } from '@latchkey/testing/hub/acme'
import { accessTokenOf, askHub, type Heard, sendBytes } from '@latchkey/testing/hub/ask-hub'
import { accessTokenCanary, type Canary, found, hubTokenCanary } from '@latchkey/testing/hub/canary'
import { type Prepared, placesIn, prepareData } from '@latchkey/testing/hub/prepared-data'
import { latchkey, latchkeyJson, type Serving, serve } from '@latchkey/testing/machine/command'
import {
  copyOfData,
  filesIn,
  sharedFolder,
  temporaryFolder,
} from '@latchkey/testing/machine/folder'
import { startCluster } from '@latchkey/testing/postgres/cluster'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hubTokenCanaries, masterKeyCanary, privateKeyCanaries } from './known-secrets.ts'
import { basic, commitLargeFile, lfsProof } from './large-file.ts'
import { malformed, type Provocation, provocations, type Secrets } from './provocations.ts'

/** At the first of them everything is logged that is logged at any. */
const levels = (['debug', 'error', 'info', 'warn'] as const).slice(0, rounds(1, 4))
const isGitThere = spawnSync('git', ['--version']).status === 0
if (!isGitThere) console.warn('NOT TESTED: git is not installed, so no secret is sent to a forge')
const documents = ['/metrics', '/openapi.json', '/.well-known/jwks.json', '/readyz', '/healthz']

let prepared: Prepared
let canaries: readonly Canary[]
const shared = sharedFolder()
beforeAll(async () => {
  prepared = await prepareData(shared)
  const keys = [masterKeyCanary(prepared), ...(await privateKeyCanaries(prepared))]
  canaries = [...hubTokenCanaries(prepared), ...keys]
})

describe.each(levels)('at the log level %s', (level) => {
  // conformance: Guarantees / No secret reaches a log, an error, a metric or a file
  // conformance: Attacks / 31. An attacker reads a secret in a log or table, or forges a log line
  test('no secret comes out of a hub that is asked for everything in every wrong way', async () => {
    const { folder, data } = place()
    const flags = ['--forge', '--data', data, '--log-level', level, ...limits(level)]
    const hub = await serve(flags, { cwd: folder })
    const secrets = await takeSecrets(hub)
    const heard = await provoke(hub, provocations(secrets))
    const outlets = new Map([
      ...heard.outlets,
      ...(await readAll(hub)),
      ...(await raw(hub, secrets)),
    ])
    const copied = await latchkey(['backup', 'copy', '--data', data], { cwd: folder })
    outlets.set('backup', copied.stdout + copied.stderr)
    addFiles(outlets, 'while running', folder)

    const { stdout, stderr, code } = await hub.end('SIGTERM')
    outlets.set('log', stdout).set('messages', stderr)
    addFiles(outlets, 'after the stop', folder)

    expect(copied.code).toBe(0)
    expect(code).toBe(0)
    expect([...heard.statuses].sort()).toEqual(expect.arrayContaining(expectedStatuses(level)))
    expect(found([...canaries, ...sentCanaries(secrets)], outlets)).toEqual([])
  })

  test('no secret comes out of a hub whose database breaks under it', async () => {
    const { folder, data, database } = place()
    const hub = await serve(['--no-storage', '--data', data, '--log-level', level], { cwd: folder })
    writeFileSync(database, Buffer.alloc(statSync(database).size, 0xab), { flag: 'r+' })
    const { hubToken, fineGrained, adminToken } = tokensOf(prepared)
    const heard = await provoke(hub, [
      { name: 'read', path: '/api/models/acme/bert/storage-read-token/main', token: hubToken },
      { name: 'write', path: '/api/models/acme/bert/storage-write-token/x', token: fineGrained },
      { name: 'admin', path: '/admin/v1/accounts', token: adminToken },
      { name: 'ready', path: '/readyz', token: hubToken },
    ])
    const { stdout, stderr, code } = await hub.end('SIGTERM')

    expect([...heard.statuses]).toContain(500)
    expect(code).toBe(0)
    expect(stdout).toContain('"event":"request_failed"')
    const outlets = new Map([...heard.outlets, ['log', stdout], ['messages', stderr]])
    expect(found(canaries, outlets)).toEqual([])
  })
})

test.skipIf(isPostgresMissing('its log of statements is not read for secrets'))(
  'no hub token reaches the statements that PostgreSQL logs',
  async () => {
    const settings = { log_statement: 'all', log_min_duration_statement: '0', fsync: 'off' }
    const cluster = await startCluster({ settings })
    onTestFinished(() => cluster.kill())
    const folder = temporaryFolder()
    const url = cluster.url(await cluster.createDatabase())
    const around = { cwd: folder, env: { LATCHKEY_DATABASE: url } }
    writeFileSync(join(folder, 'acme.json'), JSON.stringify(acme))
    const { hubTokens } = await latchkeyJson<Made>(['apply', 'acme.json'], around)
    const tokens = Object.fromEntries(
      hubTokens.map((one) => [`${one.account}/${one.name}`, one.token]),
    )
    const hub = await serve(['--forge', '--limits-failures-per-minute', '0'], around)
    const secrets = await takeSecrets(hub, tokens)
    await provoke(hub, provocations(secrets))
    await hub.end('SIGTERM')
    const statements = cluster.log()
    expect(statements).toContain('parameters: $1 =')
    const own = Object.entries(tokens).map(([name, token]) => hubTokenCanary(name, token))
    const outlets = new Map([['statements', statements]])
    expect(found([...own, ...sentCanaries(secrets)], outlets)).toEqual([])
  },
)

interface Made {
  readonly hubTokens: readonly Readonly<Record<'account' | 'name' | 'token', string>>[]
}

function place(): { folder: string } & ReturnType<typeof placesIn> {
  const folder = temporaryFolder()
  return { folder, ...placesIn(copyOfData(prepared.data, join(folder, 'data'))) }
}

/** At one level failures run into their limit, so that its answer is heard too. */
function limits(level: string): string[] {
  return ['--limits-failures-per-minute', level === 'warn' ? '20' : '0']
}

function expectedStatuses(level: string): number[] {
  return level === 'warn' ? [403, 404, 429] : [400, 401, 403, 404, 405]
}

function tokensOf({ tokens }: Pick<Prepared, 'tokens'>): Omit<Secrets, 'accessToken' | 'large'> {
  return {
    hubToken: tokens['reader/write'] ?? '',
    adminToken: tokens['maintainer/admin'] ?? '',
    fineGrained: tokens['ci-bot/main-only'] ?? '',
  }
}

async function takeSecrets(
  { url }: Serving,
  all: Prepared['tokens'] = prepared.tokens,
): Promise<Secrets> {
  const tokens = tokensOf({ tokens: all })
  const asked = { token: tokens.hubToken }
  const accessToken = accessTokenOf(await askHub(url, 'read models/acme/bert@main', asked))
  if (!isGitThere) return { ...tokens, accessToken, large: undefined }
  const file = await commitLargeFile(url, all['maintainer/write'] ?? '')
  const proof = await lfsProof(url, tokens.hubToken, { file, operation: 'download' })
  const other = { oid: 'c'.repeat(64), size: 5 }
  const uploading = { file: other, operation: 'upload' } as const
  const uploadProof = await lfsProof(url, all['maintainer/write'] ?? '', uploading)
  return { ...tokens, accessToken, large: { ...file, proof, uploadProof } }
}

/** What was given to a client, or sent by one. */
function sentCanaries({ accessToken, hubToken, large }: Secrets): Canary[] {
  return [
    accessTokenCanary('access token', accessToken),
    // The characters before the hub token itself are the same for all.
    hubTokenCanary('password', `_${basic(hubToken).slice('Basic Z2l0Omxr'.length)}`),
    ...(large === undefined
      ? []
      : [
          hubTokenCanary('proof', `_${large.proof}`),
          hubTokenCanary('proof of an upload', `_${large.uploadProof}`),
        ]),
  ]
}

async function provoke({ url }: Serving, all: readonly Provocation[]) {
  const outlets = new Map<string, string | Buffer>()
  const statuses = new Set<number>()
  for (const [index, { name, path, mayBreakOff = false, ...sent }] of all.entries()) {
    const answer = hear(askHub(url, path, sent), name)
    const { status, everything } = await (mayBreakOff ? answer.catch(() => nothing) : answer)
    statuses.add(status)
    // An access token that was asked for properly is the one thing that may come out.
    if (status !== 200) outlets.set(`answer ${index} (${name}: ${status})`, everything)
  }
  return { outlets, statuses }
}

const nothing: Heard = { status: 0, everything: '', body: '' }

async function hear(answer: Promise<Heard>, name: string): Promise<Heard> {
  try {
    return await answer
  } catch (error) {
    throw new Error(`no readable answer to: ${name}`, { cause: error })
  }
}

async function readAll({ url }: Serving): Promise<Map<string, string>> {
  const answers = documents.map(
    async (path) => [path, (await askHub(url, path)).everything] as const,
  )
  return new Map(await Promise.all(answers))
}

async function raw({ url }: Serving, secrets: Secrets): Promise<Map<string, string>> {
  const answers = malformed(secrets).map(
    async (bytes, index) => [`malformed ${index}`, await sendBytes(url, bytes)] as const,
  )
  return new Map(await Promise.all(answers))
}

/** Every file but the one whose job it is to hold the master key. */
function addFiles(outlets: Map<string, string | Buffer>, when: string, folder: string): void {
  for (const [name, bytes] of filesIn(folder)) {
    if (name !== 'master.key') outlets.set(`${name} ${when}`, bytes)
    else expect(bytes).toEqual(readFileSync(prepared.masterKey))
  }
}
