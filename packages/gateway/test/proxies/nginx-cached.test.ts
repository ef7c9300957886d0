import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { refuseHeader } from '@latchkey/gate/headers'
import { asAccountId, unixSeconds } from '@latchkey/protocol'
import { bearer, prefix, startOfTime, token } from '@latchkey/testing/gate/storage-tokens'
import { requests, type Vector } from '@latchkey/testing/vectors/read-vectors'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openCarelessGate } from './careless-gate.ts'
import { openForwardAuth } from './forward-auth-gate.ts'
import {
  askThrough,
  chunk,
  guardsTheStorage,
  keepsMisleadingHeaders,
  shards,
} from './guarantees.ts'
import { openGuarded } from './guarded-storage.ts'
import { cacheFolder, runCachingNginx } from './nginx.ts'
import { isMissing } from './programs.ts'
import { shipped } from './shipped.ts'

const untested = 'that nginx keeps no yes for another token, method or URI, and no token'

async function open() {
  return openGuarded(runCachingNginx, await openForwardAuth('nginx', { cacheSeconds: 60 }))
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
}

const othersOf = ({ headers }: Vector) =>
  headers.filter(([name]) => name.toLowerCase() !== 'authorization')

/** The requests of the vectors that nginx hands on and the gate refuses for a header alone. */
const refusedForHeaders = requests.filter(
  (row) =>
    row.code === 'bad_request' &&
    row.notThrough.nginx === undefined &&
    othersOf(row).some(([name]) => refuseHeader(name) !== undefined),
)

/** How often the gate was asked while something else happened. */
async function questionsDuring(
  gate: { readonly logLines: readonly string[] },
  act: () => Promise<unknown>,
): Promise<number> {
  const before = gate.logLines.length
  await act()
  return gate.logLines.length - before
}

describe.skipIf(isMissing(['nginx', 'njs'], untested))('behind nginx that keeps answers', () => {
  let guarded: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    guarded = await open()
  })
  afterAll(() => guarded?.close())

  guardsTheStorage('nginx', () => guarded)

  test('the same question is put to the gate once, and who is let in comes from the kept answer', async () => {
    const asking = {
      path: `${prefix}/v1/kept`,
      headers: ['Authorization', bearer({ jti: 'kept' })],
    }
    const questions = await questionsDuring(guarded.gate, async () => {
      for (let time = 0; time < 3; time += 1) {
        const { answer, reached } = await askThrough(guarded, asking)
        expect(answer.status).toBe(200)
        expect(reached[0]?.headers).toMatchObject({ 'latchkey-repository-uid': 'bertuid' })
        expect(reached[0]?.headers).not.toHaveProperty('authorization')
      }
    })
    expect(questions).toBe(1)
  })

  // conformance: Attacks / 19. An attacker profits from a cached response of the gate
  test('a kept yes is not for another method or URI', async () => {
    const headers = ['Authorization', bearer({ jti: 'one-question' })]
    const path = `${prefix}/v1/shards/default/abc`
    expect((await askThrough(guarded, { path, headers })).answer.status).toBe(200)
    const others = [
      { path, method: 'POST' },
      { path, method: 'PUT' },
      { path: `${path}/` },
      { path: path.replace('abc', '%61bc') },
      { path: path.replace('bertuid', 'otheruid') },
      { path: path.replace('mainuid', 'otheruid') },
    ]
    for (const other of others) {
      const { answer, reached } = await askThrough(guarded, { ...other, headers })
      expect(reached).toEqual([])
      expect(answer.status).toBe(403)
    }
  })

  // conformance: Attacks / 19. An attacker profits from a cached response of the gate
  test('a kept yes is not for another token, and two clients are told apart', async () => {
    const path = `${prefix}/v1/shared`
    const as = (subject: string) => [
      'Authorization',
      bearer({ sub: asAccountId(subject), jti: subject }),
    ]
    for (const subject of ['ada-id', 'bob-id', 'ada-id', 'bob-id']) {
      const { reached } = await askThrough(guarded, { path, headers: as(subject) })
      expect(reached.map(({ headers }) => headers['latchkey-subject'])).toEqual([subject])
    }
    const wrong = [[], ['Authorization', `${as('ada-id')[1]}x`], [...as('ada-id'), ...as('bob-id')]]
    for (const headers of wrong) {
      const { answer, reached } = await askThrough(guarded, { path, headers })
      expect(reached).toEqual([])
      expect([400, 401]).toContain(answer.status)
    }
  })

  test('a kept yes is not for a request with headers that the gate refuses', async () => {
    const authorization = ['Authorization', bearer({ scope: 'write', jti: 'no-more-headers' })]
    const plain = ({ method, target }: Vector) => ({ method, path: target, headers: authorization })
    expect(refusedForHeaders.length).toBeGreaterThan(20)
    for (const row of refusedForHeaders) {
      await askThrough(guarded, plain(row))
      const questions = await questionsDuring(guarded.gate, async () => {
        expect((await askThrough(guarded, plain(row))).answer.status, row.name).toBe(200)
      })
      expect(questions, row.name).toBe(0)
      const headers = [...authorization, ...othersOf(row).flat()]
      const { answer, reached } = await askThrough(guarded, { ...plain(row), headers })
      expect({ status: answer.status, reached }, row.name).toEqual({ status: 403, reached: [] })
    }
  })

  test('headers that mislead are kept from the storage even if the gate lets them pass', async () => {
    const careless = await openGuarded(runCachingNginx, await openCarelessGate())
    onTestFinished(careless.close)
    await keepsMisleadingHeaders(careless)
  })

  test('a script that fails keeps no yes, for nobody', async () => {
    const edit = ["crypto.createHash('sha256')", "crypto.createHash('none')"] as const
    const gate = await openForwardAuth('nginx', { cacheSeconds: 60 })
    const broken = await openGuarded((addresses) => runCachingNginx(addresses, [edit]), gate)
    onTestFinished(broken.close)
    const asking = { path: chunk, headers: ['Authorization', bearer()] }
    expect((await askThrough(broken, asking)).answer.status).toBe(200)
    const { answer, reached } = await askThrough(broken, { path: chunk, headers: [] })
    expect(reached).toEqual([])
    expect(answer.status).toBe(401)
  })

  // conformance: Attacks / 19. An attacker profits from a cached response of the gate
  test('a no is not kept', async () => {
    const asking = { path: shards, method: 'POST', headers: ['Authorization', bearer()] }
    const questions = await questionsDuring(guarded.gate, async () => {
      for (let time = 0; time < 3; time += 1) {
        expect((await askThrough(guarded, asking)).answer.status).toBe(403)
      }
    })
    expect(questions).toBe(3)
  })

  // conformance: Attacks / 19. An attacker profits from a cached response of the gate
  test('a yes is not kept beyond the end of its token', async () => {
    const brief = await open()
    onTestFinished(brief.close)
    const exp = unixSeconds(startOfTime + 3)
    const asking = { path: chunk, headers: ['Authorization', bearer({ exp })] }
    expect((await askThrough(brief, asking)).answer.status).toBe(200)
    // The gate would go on to say yes for its leeway; once that is over, only a kept answer could.
    brief.gate.clock.pass(34)
    expect((await askThrough(brief, asking)).answer.status).toBe(200)
    await wait(4200)
    const { answer, reached } = await askThrough(brief, asking)
    expect(reached).toEqual([])
    expect(answer.status).toBe(401)
  })

  test('a yes is not kept beyond the bound within which a token that was taken back must be refused', async () => {
    const gate = await openForwardAuth('nginx', { cacheSeconds: 60, pollSeconds: 1 })
    const revoked = await openGuarded(runCachingNginx, gate)
    onTestFinished(revoked.close)
    const asking = { path: chunk, headers: ['Authorization', bearer()] }
    expect((await askThrough(revoked, asking)).answer.status).toBe(200)
    revoked.gate.revocations.cut({ kind: 'account', id: 'ada-id' })
    // nginx counts by its own clock, so the bound of five seconds passes in real time.
    await wait(5200)
    const { answer, reached } = await askThrough(revoked, asking)
    expect(reached).toEqual([])
    expect(answer.status).toBe(401)
  })

  test('a yes given after the end of its token, within the leeway, is not kept', async () => {
    const late = await open()
    onTestFinished(late.close)
    late.gate.clock.pass(901)
    const asking = { path: chunk, headers: ['Authorization', bearer()] }
    expect((await askThrough(late, asking)).answer.status).toBe(200)
    late.gate.clock.pass(30)
    expect((await askThrough(late, asking)).answer.status).toBe(401)
  })

  // conformance: Attacks / 19. An attacker profits from a cached response of the gate
  test('the files of the cache hold no token, no part of one and no URI', async () => {
    const right = token({ jti: 'looked-for' })
    const asking = { path: `${chunk}?looked-for=1`, headers: ['Authorization', `Bearer ${right}`] }
    await askThrough(guarded, asking)
    const files = filesIn(join(guarded.folder, cacheFolder))
    expect(files.some((text) => text.includes('Latchkey-Subject: ada-id'))).toBe(true)
    for (const part of [...right.split('.'), 'Bearer', 'uthorization', 'looked-for', prefix]) {
      expect(files.filter((text) => text.includes(part))).toEqual([])
    }
  })
})

test('the configuration that keeps answers says everything that the plain one says, in the same order', () => {
  const said = (file: string) =>
    shipped(file)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
  const more = said('nginx/latchkey-cached.conf').values()
  const missing = said('nginx/latchkey.conf').filter((line) => !more.some((one) => one === line))
  expect(missing).toEqual([])
})
