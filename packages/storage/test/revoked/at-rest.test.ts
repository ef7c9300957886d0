/** A token that was taken back opens nothing more at the storage, and neither does a URL that was made for it. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Caller, Recipe, Told } from '../caller.ts'
import { rangeOf } from '../caller.ts'
import { contentOf, everything, lookFor, looksFor, put } from '../isolation/content.ts'
import { openRevokedStage, type RevokedStage } from './revoked-stage.ts'
import { type Taking, takings } from './takings.ts'

let stage: RevokedStage
beforeAll(async () => {
  stage = await openRevokedStage()
})
afterAll(() => stage?.close())

const content = contentOf('held by many')

/** A URL that the storage gives to this caller, and the range that goes with it. */
async function urlFor(caller: Caller): Promise<() => Promise<Told>> {
  const { json } = await caller.ask(`GET /v2/reconstructions/${content.file.hash}`)
  const [first] = (json as unknown as Recipe).xorbs[content.xorb.hash] ?? []
  const [run] = first?.ranges ?? []
  if (first === undefined || run === undefined) throw new Error('no URL was given')
  return () => caller.fetch(first.url, { headers: { range: rangeOf(run.bytes) } })
}

async function prepared({ revision }: Taking) {
  const taken = await stage.newTaken()
  const victim = await stage.victim(taken, revision)
  const other = await stage.other(taken, revision)
  await put(victim, content)
  return { taken, victim, other, open: await urlFor(victim), openOther: await urlFor(other) }
}

function expectTakenBack(told: Told): void {
  expect([told.status, told.code]).toEqual([403, 'blob_url_invalid'])
  expect(told.json['detail']).toContain('was revoked')
}

describe.each(Object.entries(takings))('a token %s', (_, taking) => {
  // conformance: Attacks / 48. An attacker continues to use a token after access was removed
  test('opens nothing, its URLs open nothing, and it writes nothing', async () => {
    const { taken, victim, other, open, openOther } = await prepared(taking)
    expect((await open()).status).toBe(206)
    await stage.take(taking, taken)
    expect(await lookFor(victim, content)).toEqual(looksFor(content).map(() => 401))
    const told = await victim.ask(`GET /v1/reconstructions/${content.file.hash}`)
    expect([told.code, told.json['detail']]).toEqual([
      'storage_token_invalid',
      expect.stringContaining('revoked'),
    ])
    expectTakenBack(await open())
    if (taking.sparesOthers) {
      expect(await lookFor(other, content)).toEqual(everything(content))
      expect((await openOther()).status).toBe(206)
    } else {
      expect((await other.ask(`HEAD /v1/files/${content.file.hash}`)).status).toBe(401)
      expectTakenBack(await openOther())
    }

    const before = [await stage.rows(), stage.objects()]
    const { xorb } = contentOf(`late, ${taking.revision}`)
    expect((await victim.upload(xorb)).status).toBe(401)
    expect((await victim.register([content.file], [content.xorb])).status).toBe(401)
    expect([await stage.rows(), stage.objects()]).toEqual(before)
  })
})

test('a token that was made after the taking works at once', async () => {
  const taking = takings['whose account was disabled'] as Taking
  const { taken, victim } = await prepared(taking)
  await stage.take(taking, taken)
  const again = await stage.victim(taken, 'main')
  expect((await victim.ask(`HEAD /v1/files/${content.file.hash}`)).status).toBe(401)
  expect(await lookFor(again, content)).toEqual(everything(content))
  expect((await (await urlFor(again))()).status).toBe(206)
})

test('of a fork, URLs die with the ref that their content comes from, and with no other', async () => {
  const { repository } = await stage.newTaken()
  await put(await stage.caller(`write ${repository}@main`), content)
  await stage.newBranch(repository, 'fork', 'main')
  await stage.newBranch(repository, 'own', 'main')
  const [fork, own] = await Promise.all(
    ['fork', 'own'].map((ref) => stage.caller(`write ${repository}@${ref}`)),
  )
  if (fork === undefined || own === undefined) throw new Error('there is no fork')
  await put(own, content)
  const [inherited, owned] = [await urlFor(fork), await urlFor(own)]
  await stage.world.done('ref delete', { repository, ref: 'main' })
  for (const { ask } of [fork, own]) {
    expect((await ask(`HEAD /v1/files/${content.file.hash}`)).status).toBe(401)
  }
  expectTakenBack(await inherited())
  expect((await owned()).status).toBe(206)
})

test('the line in the log says that the URL was taken back, and whose it was', async () => {
  const taking = takings['whose hub token was revoked'] as Taking
  const { taken, open } = await prepared(taking)
  await stage.take(taking, taken)
  const before = stage.lines.length
  await open()
  await expect.poll(() => stage.lines.length, { timeout: 30_000 }).toBe(before + 1)
  const { id } = await stage.world.done('account show', { account: 'writer' })
  expect(JSON.parse(stage.lines.at(-1) ?? '')).toMatchObject({
    event: 'storage_refused',
    code: 'blob_url_invalid',
    reason: 'revoked',
    subject: id,
  })
})

test('a storage whose news are late asks before it opens anything', async () => {
  const taking = takings['whose hub token was revoked'] as Taking
  const { taken, victim, open } = await prepared(taking)
  await stage.takeQuietly(taking, taken)
  expect((await open()).status).toBe(206)
  stage.news.growLate()
  expectTakenBack(await open())
  expect((await victim.ask(`HEAD /v1/files/${content.file.hash}`)).status).toBe(401)
})

describe('while the hub has said nothing for longer than its last head lives', () => {
  test('tokens and URLs get 503, and work again when it speaks', async () => {
    const { victim, open } = await prepared(takings['whose branch was deleted'] as Taking)
    stage.news.withhold()
    const tries = [() => victim.ask(`HEAD /v1/files/${content.file.hash}`), open]
    for (const ask of tries) expect((await ask()).status).toBe(503)
    expect((await open()).code).toBe('gate_not_ready')
    expect(await stage.storage.isReady()).toBe(false)
    stage.news.give()
    expect(await stage.storage.isReady()).toBe(true)
    for (const ask of tries) expect((await ask()).status).toBeLessThan(300)
  })

  test('a storage that was told to admit goes on by the last list', async () => {
    const revocations = { pollSeconds: 5, whenStale: 'allow' } as const
    const admitting = await openRevokedStage({ settings: { revocations } })
    onTestFinished(() => admitting.close())
    const [taken, spared] = [await admitting.newTaken(), await admitting.newTaken()]
    const victim = await admitting.victim(taken, 'main')
    const other = await admitting.victim(spared, 'main')
    await admitting.take(takings['whose hub token was revoked'] as Taking, taken)
    admitting.news.withhold()
    expect(await admitting.storage.isReady()).toBe(true)
    const look = `HEAD /v1/files/${content.file.hash}`
    expect([(await victim.ask(look)).status, (await other.ask(look)).status]).toEqual([401, 404])
    const bound = 'latchkey_storage_revocation_bound_seconds{when="withheld"} +Inf\n'
    expect(await admitting.storage.metrics.text()).toContain(bound)
  })
})
