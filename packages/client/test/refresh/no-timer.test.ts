/** A program that has nothing more to do ends, whatever its client still has in mind. */

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock/client-clock.ts'
import { settle } from '../moved-clock.ts'
import { openWorld, refusal } from '../world.ts'

const entry = new URL('../../src/index.ts', import.meta.url).href

/** A whole program with a token in its hands, whose refresh is a quarter of an hour away. */
const program = `
  import { createStorageClient } from ${JSON.stringify(entry)}
  const fetch = async () => Response.json({
    accessToken: 'abc',
    exp: Math.floor(Date.now() / 1000) + 900,
    casUrl: 'https://cas.example',
  })
  const client = createStorageClient({ hubUrl: 'https://hub.example', repo: 'models/a/b', fetch })
  const { accessToken } = await client.token('read')
  console.log(String(accessToken))
`

describe('no timer keeps a process alive', () => {
  // conformance: Client / No timer keeps a process alive
  it('a program ends by itself while a refresh is pending', () => {
    const args = ['--input-type=module', '--eval', program]
    const { status, stdout } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      timeout: 60_000,
    })
    expect(stdout).toBe('[access-token]\n')
    expect(status).toBe(0)
  })

  it('a timer of the background does not count for the process, another one does', () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timers()
    const callOffs = [systemClock.later(60_000, () => {}, { background: true })]
    expect(timers()).toBe(before)
    callOffs.push(systemClock.later(60_000, () => {}))
    expect(timers()).toBe(before + 1)
    for (const callOff of callOffs) callOff()
    expect(timers()).toBe(before)
  })

  it('a client with a token has timers of the background only', async () => {
    const world = openWorld()
    const client = world.client()
    await client.token('read')
    await client.fetch('/v1/shards', { method: 'POST', body: 'abc' })
    expect(world.clock.waiting()).toHaveLength(2)
    expect(world.clock.waiting().every(({ background }) => background)).toBe(true)
  })

  it('a token request under way has a timer of the background only', async () => {
    const world = openWorld()
    world.hub = () => new Promise<never>(() => {})
    const client = world.client()
    client.token('read').catch(() => {})
    await settle()
    expect(world.clock.waiting()).toEqual([{ inMs: 10_000, background: true }])
    client.close()
  })

  it('a caller who waits for another try is a reason to stay', async () => {
    const world = openWorld()
    world.hub = () => refusal(503)
    const calls = [world.client().token('read')]
    await world.clock.pass(0)
    expect(world.clock.waiting()).toEqual([{ inMs: 150, background: false }])
    world.hub = () => undefined
    await world.clock.pass(1)
    await Promise.all(calls)
  })

  it('a timer of half a year does not fire at once', async () => {
    let fired = false
    const callOff = systemClock.later(180 * 86_400_000, () => {
      fired = true
    })
    await new Promise((done) => setTimeout(done, 5))
    callOff()
    expect(fired).toBe(false)
  })
})
