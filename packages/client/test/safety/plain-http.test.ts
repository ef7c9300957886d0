/** Tokens travel by https, except on this machine, or where the caller says otherwise. */

import { describe, expect, it } from 'vitest'
import { createStorageClient } from '../../src/index.ts'
import { openWorld, tokenAnswer, type World } from '../world.ts'

const loopback = [
  'http://localhost:8080',
  'http://127.0.0.1:8080',
  'http://127.1.2.3',
  'http://[::1]:8080',
]
const elsewhere = [
  'http://hub.example',
  'http://192.168.0.7:8080',
  'http://10.0.0.1',
  'http://localhost.example',
  'http://127.0.0.1.example',
  'http://notlocalhost',
  'http://0.0.0.0:8080',
]

function answering(casUrl: string): World {
  const world = openWorld()
  const exp = Math.floor(world.clock.trueMs() / 1000) + 900
  world.hub = () => tokenAnswer({ accessToken: 'abc', exp, casUrl }, world)
  world.storage = () => new Response()
  return world
}

describe('a hub without https', () => {
  it.each(elsewhere)('on another machine is refused before anything is sent: %s', (hubUrl) => {
    const make = () => createStorageClient({ hubUrl, repo: 'models/acme/bert' })
    expect(make).toThrow(expect.objectContaining({ code: 'bad_option' }))
    expect(make).toThrow(/hubUrl is not allowed: .*allowPlainHttp/)
  })

  it.each(loopback)('on this machine is fine: %s', async (hubUrl) => {
    const world = answering('https://cas.example')
    await world.client({ hubUrl }).token('read')
    expect(world.asked[0]?.url.startsWith(`${hubUrl}/api/`)).toBe(true)
  })

  it.each(elsewhere)('on another machine is fine with allowPlainHttp: %s', async (hubUrl) => {
    const world = answering('https://cas.example')
    await world.client({ hubUrl, allowPlainHttp: true }).token('read')
    expect(world.asked).toHaveLength(1)
  })
})

describe('a storage without https', () => {
  it.each(elsewhere)('on another machine is refused, and gets nothing: %s', async (casUrl) => {
    const world = answering(casUrl)
    const call = world.client().fetch('/v1/a')
    await expect(call).rejects.toMatchObject({ code: 'answer_invalid' })
    await expect(call).rejects.toThrow(/plain http/)
    expect(world.stored).toEqual([])
  })

  it.each(elsewhere)(
    'on another machine is refused to a hub on this one too: %s',
    async (casUrl) => {
      const world = answering(casUrl)
      const call = world.client({ hubUrl: 'http://127.0.0.1:8080' }).fetch('/v1/a')
      await expect(call).rejects.toMatchObject({ code: 'answer_invalid' })
      expect(world.stored).toEqual([])
    },
  )

  it.each(elsewhere)('on another machine is fine with allowPlainHttp: %s', async (casUrl) => {
    const world = answering(casUrl)
    await world.client({ allowPlainHttp: true }).fetch('/v1/a')
    expect(world.stored[0]?.url).toBe(`${casUrl}/v1/a`)
  })
})

describe('a storage on this machine', () => {
  const secure = loopback.map((url) => url.replace('http:', 'https:'))

  // conformance: Attacks / 28. An attacker makes a client send a token to another origin
  it.each([...loopback, ...secure])(
    'is refused when the hub is another one: %s',
    async (casUrl) => {
      const world = answering(casUrl)
      const call = world.client().fetch('/v1/a')
      await expect(call).rejects.toMatchObject({ code: 'answer_invalid' })
      await expect(call).rejects.toThrow(/casUrl is on this machine, the hub is not/)
      expect(world.stored).toEqual([])
    },
  )

  it.each([...loopback, ...secure])('is fine when the hub is here as well: %s', async (casUrl) => {
    const world = answering(casUrl)
    await world.client({ hubUrl: 'http://localhost:8080' }).fetch('/v1/a')
    expect(world.stored[0]?.url).toBe(`${casUrl}/v1/a`)
  })
})
