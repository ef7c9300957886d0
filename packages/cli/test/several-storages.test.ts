/** One hub with its embedded storage, a storage of another process, and a gate before somebody's own store. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { commit } from './directory-file.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { bothHere, gateHere, type Here, storageHere } from './serve-here.ts'

const near = 'models/acme/near'
const far = 'models/acme/far'
const kept = 'models/acme/kept'

const stops: (() => Promise<unknown>)[] = []
let cwd = ''
let hub = ''
let env: Record<string, string> = {}
let euCredential = ''
let euFlags: Record<string, string> = {}

async function run(words: string, input = ''): Promise<string> {
  const { code, stdout, stderr } = await latchkey(words.split(' '), { cwd, env, input })
  if (code !== 0) throw new Error(`latchkey ${words}: ${stderr}`)
  return stdout
}

function keep<Server extends Here>(server: Server): Server {
  stops.unshift(() => server.stop())
  return server
}

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'latchkey-storages-'))
  stops.push(async () => rmSync(cwd, { recursive: true, force: true }))
  const [euPort, keptPort] = [await freePort(), await freePort()]
  const eu = `http://127.0.0.1:${euPort}/r/{repo}/{ref}`
  const ownStore = `http://127.0.0.1:${keptPort}/r/{repo}/{ref}`
  const file = {
    accounts: [{ name: 'ada', administrator: true }],
    namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
    hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
  }
  const made = JSON.parse(await run('apply - --json', JSON.stringify(file)))
  const storages = `eu=${eu},kept=${ownStore}`
  const both = keep(await bothHere(join(cwd, 'latchkey-data'), {}, { storages }))
  hub = both.url
  env = { LATCHKEY_HUB: hub, LATCHKEY_HUB_TOKEN: made.hubTokens[0].token }
  await run(`repo create ${near}`)
  await run(`repo create ${far} --storage eu`)
  await run(`repo create ${kept} --storage kept`)
  for (const repository of [near, far, kept]) await run(`ref set ${repository} main ${commit}`)
  const words = 'hub-token create ada eu --kind storage --storage eu --json'
  euCredential = JSON.parse(await run(words)).token
  euFlags = { hub, casUrl: eu, port: String(euPort), data: join(cwd, 'eu') }
  keep(await storageHere(euFlags, { LATCHKEY_STORAGE_CREDENTIAL: euCredential }))
  const store = createServer((request, response) => response.end(`kept ${request.url}`))
  await new Promise<void>((resolve) => void store.listen(0, '127.0.0.1', resolve))
  stops.push(async () => store.close())
  const upstream = `http://127.0.0.1:${(store.address() as AddressInfo).port}/{repo}/{ref}`
  keep(await gateHere({ hub, casUrl: ownStore, upstream, port: String(keptPort) }))
  return async () => {
    for (const stop of stops) await stop()
  }
})

async function tokenOf(repository: string, scope = 'read') {
  const answer = await fetch(`${hub}/api/${repository}/storage-${scope}-token/main`, {
    headers: { authorization: `Bearer ${env['LATCHKEY_HUB_TOKEN']}` },
  })
  return (await answer.json()) as { accessToken: string; casUrl: string }
}

describe('a client', () => {
  test.each([near, far])('uploads to %s and gets back every byte', async (repository) => {
    const content = `of ${repository} `.repeat(5000)
    writeFileSync(join(cwd, 'file.bin'), content)
    const hash = (await run(`upload ${repository}@main file.bin`)).trim()
    await run(`download ${repository}@main ${hash} -o back.bin`)
    expect(readFileSync(join(cwd, 'back.bin'), 'utf8')).toBe(content)
    const other = repository === near ? far : near
    const elsewhere = ['download', `${other}@main`, hash, '-o', 'other.bin']
    expect((await latchkey(elsewhere, { cwd, env })).code).toBe(1)
  })

  test('reaches a store of somebody else behind a gate', async () => {
    const place = new URL((await tokenOf(kept)).casUrl).pathname.slice('/r'.length)
    expect(await run(`fetch ${kept}@main /v1/anything`)).toBe(`kept ${place}/v1/anything`)
  })
})

test('the token of one storage opens no other', async () => {
  const path = `v1/reconstructions/${'a'.repeat(64)}`
  const tokens = await Promise.all([near, far, kept].map((repository) => tokenOf(repository)))
  for (const { casUrl } of tokens) {
    const own = tokens.find((token) => token.casUrl === casUrl)
    for (const { accessToken } of tokens) {
      const headers = { authorization: `Bearer ${accessToken}` }
      const answer = await fetch(`${casUrl}/${path}`, { headers })
      if (accessToken === own?.accessToken) {
        expect(answer.status).toBe(casUrl === tokens[2]?.casUrl ? 200 : 404)
        continue
      }
      expect(answer.status).toBe(401)
      expect(await answer.json()).toMatchObject({ code: 'storage_token_invalid' })
    }
  }
})

test('a branch that is deleted is gone from the storage of its repository', async () => {
  await run(`ref set ${far} gone ${commit}`)
  writeFileSync(join(cwd, 'gone.bin'), 'of a branch that goes')
  await run(`upload ${far}@gone gone.bin`)
  const answer = await fetch(`${hub}/api/${far}/storage-write-token/gone`, {
    headers: { authorization: `Bearer ${env['LATCHKEY_HUB_TOKEN']}` },
  })
  const { accessToken, casUrl } = (await answer.json()) as { accessToken: string; casUrl: string }
  await run(`ref delete ${far} gone`)
  const upload = () =>
    fetch(`${casUrl}/v1/files`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${accessToken}` },
      body: 'more of it',
    }).then(({ status }) => status)
  // 404 by the feed, which each write asks; 401 once the revocation is there.
  expect([401, 404]).toContain(await upload())
})

test('a storage that has the credential of another is refused by the hub, and says so', async () => {
  const wrong = await freePort()
  const flags = { ...euFlags, casUrl: `http://127.0.0.1:${wrong}/{repo}/{ref}`, port: `${wrong}` }
  const data = join(cwd, 'wrong')
  const storage = await storageHere(
    { ...flags, data },
    { LATCHKEY_STORAGE_CREDENTIAL: euCredential },
  )
  onTestFinished(storage.stop)
  const readiness = async () => (await (await fetch(`${storage.url}/readyz`)).json()) as object
  await expect.poll(readiness).toMatchObject({ hub: 'refuses' })
})
