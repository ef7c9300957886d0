/** A directory has one forge, and its newest start serves. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { forgeIdIn } from '@latchkey/forge'
import { noCommit, parseCommitHash, Secret } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { newId } from '@latchkey/service/machine/random'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { expect, onTestFinished, test } from 'vitest'
import { bert, type LinkWorld, main, permitted, random, startLinkWorld } from './link-world.ts'

async function startWorld(): Promise<LinkWorld> {
  const world = await startLinkWorld()
  onTestFinished(() => world.stopped())
  await world.link.deletedAmong([])
  return world
}

const failureOf = (asking: Promise<unknown>) =>
  asking.then(
    () => undefined,
    (error: unknown) => error,
  )

test('another forge does not start, and its line names both and the command', async () => {
  const world = await startWorld()
  const otherId = newId(random)
  const failure = await failureOf(world.linkAs({ forgeId: otherId }).deletedAmong([]))
  expect(failure).toBeInstanceOf(CannotStart)
  expect(String(failure)).toContain(world.forgeId)
  expect(String(failure)).toContain(`latchkey forge adopt ${otherId}`)
  await world.link.deletedAmong([])
})

test('a forge without its hub, or with a wrong credential, gets a line that says what to do', async () => {
  const world = await startWorld()
  const lineWith = async (place: Parameters<LinkWorld['linkAs']>[0]) =>
    String(await failureOf(world.linkAs(place).deletedAmong([])))
  const secret = (text: string) => new Secret('hub-token', text)
  expect(await lineWith({ credential: secret('lk_wrong') })).toMatch(
    /does not know the credential .* new hub token of kind forge/,
  )
  expect(
    await lineWith({ credential: secret(world.tokens['machine/storage']?.reveal() ?? '') }),
  ).toMatch(/takes hub tokens of kind forge; this one is storage/)
  const hubUrl = `http://127.0.0.1:${await freePort()}`
  expect(await lineWith({ hubUrl })).toMatch(
    /does not respond to the forge: ECONNREFUSED. Start the hub/,
  )
})

test('of forges that claim a directory at once, one gets it', async () => {
  const world = await startLinkWorld()
  onTestFinished(() => world.stopped())
  const ids = [1, 2, 3, 4].map(() => newId(random))
  const failures = await Promise.all(
    ids.map((forgeId) => failureOf(world.linkAs({ forgeId }).deletedAmong([]))),
  )
  expect(failures.filter((failure) => failure === undefined)).toHaveLength(1)
})

test('a start takes over at once, and the one before reads and changes nothing any more', async () => {
  const world = await startWorld()
  const made = permitted(
    await world.as('owner').createRepository({ repo: bert, visibility: 'private' }),
  )
  const again = world.linkAs()
  expect(await again.refsOf(made.uid)).toEqual(new Map())
  expect(String(await failureOf(world.link.refsOf(made.uid)))).toContain('Another process serves')
  const to = parseCommitHash('a'.repeat(40))
  if (to === undefined) throw new Error('no hash')
  const move = { repo: bert, ref: main, from: noCommit, to }
  expect(String(await failureOf(world.as('owner').moveRef(move)))).toContain(
    'Another process serves',
  )
  expect(await world.as('owner', { port: again }).moveRef(move)).toBeUndefined()
})

test('after latchkey forge adopt the forge before it is refused, and the new one serves after a claim', async () => {
  const world = await startWorld()
  const forgeId = newId(random)
  const other = world.linkAs({ forgeId })
  expect(await failureOf(other.deletedAmong([]))).toBeInstanceOf(CannotStart)
  expect(await world.done('forge adopt', { forge: forgeId })).toEqual({
    forge: forgeId,
    before: world.forgeId,
  })
  expect(await world.done('forge adopt', { forge: forgeId })).toEqual({ forge: forgeId })
  // A hub looks once a second; a change is refused in its transaction.
  const making = world.as('owner').createRepository({ repo: bert, visibility: 'public' })
  expect(await making.catch(() => 'refused')).not.toHaveProperty('uid')
  world.passSeconds(1)
  expect(String(await failureOf(world.link.deletedAmong([])))).toContain(forgeId)
  expect(await other.deletedAmong([])).toEqual([])
  const { items } = (await world.done('changes', { limit: 100 })) as {
    items: { thing: string; did: string; verb: string }[]
  }
  const told = items
    .filter(({ thing }) => thing === 'forge')
    .map(({ did, verb }) => `${verb}: ${did}`)
  expect(told.toSorted()).toEqual(['forge adopt: changed', 'link claim: created'])
})

test('a forge keeps its id in its data directory, and starts with no damaged one', async () => {
  const data = temporaryFolder()
  const id = await forgeIdIn(data, random)
  expect(await forgeIdIn(data, random)).toBe(id)
  const file = join(data, 'forge', 'id')
  expect([existsSync(file), readFileSync(file, 'utf8').trim()]).toEqual([true, id])
  writeFileSync(file, 'x')
  await expect(forgeIdIn(data, random)).rejects.toThrow(CannotStart)
})
