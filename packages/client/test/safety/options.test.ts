/** Options that cannot be right are refused before anything is sent, and their values are not repeated. */

import { anyText, anyWebUrl } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStorageClient, LatchkeyError, type StorageClientOptions } from '../../src/index.ts'
import { openWorld } from '../world.ts'

const good = { hubUrl: 'https://hub.example', hubToken: 'lk_a', repo: 'models/acme/bert' }

function refusalOf(change: object): LatchkeyError | undefined {
  try {
    createStorageClient({ ...good, ...change } as StorageClientOptions).close()
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(LatchkeyError)
    return error as LatchkeyError
  }
}

describe('an option that cannot be right', () => {
  it.each<[string, unknown[]]>([
    ['hubUrl', [undefined, '', 'hub.example', 'ftp://hub.example', 'https://', '//hub.example', 7]],
    [
      'hubUrl',
      ['https://a:secret@hub.example', 'https://hub.example?secret', 'https://h.example/#'],
    ],
    ['hubUrl', ['https://HUB.example', 'https://hub.example/a/../b', 'https://hub.example//']],
    [
      'repo',
      [undefined, '', 'acme/bert', 'model/acme/bert', 'models/acme', 'models/acme/bert/x', {}],
    ],
    ['repo', ['models/../bert', 'models/acme/bert?secret', 'models/acme/b%2fert', 'models//bert']],
    ['revision', ['', '.', '..', '\ud800', 7, null, {}]],
    ['refreshBufferSeconds', [-1, Number.NaN, Number.POSITIVE_INFINITY, 'soon', '30', null, {}]],
    ['retryTimeoutSeconds', [-1, Number.NaN, Number.POSITIVE_INFINITY, 'soon', '30', null, {}]],
  ])('is named, and its value is not repeated: %s %j', (name, values) => {
    for (const value of values) {
      const error = refusalOf({ [name]: value })
      expect(error, String(value)).toMatchObject({ code: 'bad_option' })
      expect(error?.message).toMatch(new RegExp(`^${name} is not allowed: `))
      expect(error?.message).not.toContain('secret')
    }
  })

  it.each(['', 'admin', 'READ', 'toString', '__proto__', undefined])(
    'may also be the scope of a call: %j',
    async (scope) => {
      const world = openWorld()
      const client = world.client()
      await expect(client.token(scope as 'read')).rejects.toMatchObject({ code: 'bad_option' })
      if (scope !== undefined) {
        const call = client.fetch('/v1/a', { scope: scope as 'read' })
        await expect(call).rejects.toMatchObject({ code: 'bad_option' })
      }
      expect(world.seen).toEqual([])
    },
  )

  it.each(['', 'GET POST', 'GET\r\nx: y', 'É', 'CONNECT', 'trace', 'TRACK'])(
    'may also be the method of a call: %j',
    async (method) => {
      const world = openWorld()
      const call = world.client().fetch('/v1/a', { method })
      await expect(call).rejects.toMatchObject({ code: 'bad_option' })
      expect(world.seen).toEqual([])
    },
  )

  it.each(['GET', 'HEAD', 'get'])('may also be a body where there is none: %s', async (method) => {
    const world = openWorld()
    const call = world.client().fetch('/v1/a', { method, body: 'abc' })
    await expect(call).rejects.toMatchObject({ code: 'bad_option' })
    expect(world.seen).toEqual([])
  })
})

describe('an option that the client does not have', () => {
  // biome-ignore format: a table is read by its columns
  it.each([
    ['branch, which would write to main', { branch: 'release/1.0' }, 'branch is no option of a storage client. Did you mean revision? Its options are hubUrl, hubToken,'],
    ['a name that is mistyped',           { revison: 'x' },          'revison is no option of a storage client. Did you mean revision?'],
    ['a text in place of a boolean',      { allowPlainHttp: 'no' },  'allowPlainHttp of a storage client must be boolean, and is a string.'],
    ['a controller in place of a signal', { signal: () => {} },      'signal of a storage client must be object, and is a function.'],
    ['a fetch that is none',              { fetch: 'https://x' },    'fetch is not allowed: give a function.'],
  ])('is refused: %s', (_, change, sentence) => {
    expect(refusalOf(change)).toMatchObject({ code: 'bad_option' })
    expect(refusalOf(change)?.message.slice(0, sentence.length)).toBe(sentence)
  })

  it('is refused by every call before anything is sent', async () => {
    const world = openWorld()
    const client = world.client()
    const calls = [
      client.token('read', { timeout: 7 } as object),
      client.fetch('/v1/a', { onProgress() {} } as object),
      client.fetch('/v1/a', { redirect: 'follow' } as object),
      client.fetch('/v1/a', { headers: 'x: y' } as object),
    ]
    const codes = calls.map((call) => call.catch(({ code }) => code))
    expect(await Promise.all(codes)).toEqual(Array(4).fill('bad_option'))
    await expect(calls[1]).rejects.toThrow('Did you mean onUploadProgress or onDownloadProgress?')
    expect(world.seen).toEqual([])
  })
})

describe('a part of init that fetch would not take', () => {
  it.each([{ mode: 'navigate' }, { cache: 'never' }, { headers: { 'a b': 'c' } }])(
    'is refused before anything is sent, and not tried for a minute: %j',
    async (init) => {
      const world = openWorld()
      const call = world.client().fetch('/v1/a', init as object)
      await expect(call).rejects.toMatchObject({ code: 'bad_option' })
      expect(world.seen).toEqual([])
    },
  )
})

describe('options that can be right', () => {
  it('are main and 30 s where nothing is said', async () => {
    const world = openWorld()
    await world.client().token('read')
    expect(world.asked[0]?.url).toBe(
      'https://hub.example/api/models/acme/bert/storage-read-token/main',
    )
  })

  it.each([
    ['refs/pr/1', 'refs%2Fpr%2F1'],
    ['feature/ä #?%', 'feature%2F%C3%A4%20%23%3F%25'],
    ['...', '...'],
    ['%2e%2e', '%252e%252e'],
  ])('name any revision, encoded as one segment: %s', async (revision, segment) => {
    const world = openWorld()
    await world.client({ revision }).token('write')
    const url = `https://hub.example/api/models/acme/bert/storage-write-token/${segment}`
    expect(world.asked[0]?.url).toBe(url)
    expect(new URL(url).href).toBe(url)
  })

  it('may put the hub below a path, with or without a slash at its end', async () => {
    for (const hubUrl of ['https://example.org/hub', 'https://example.org/hub/']) {
      const world = openWorld()
      await world.client({ hubUrl }).token('read')
      expect(world.asked[0]?.url.startsWith('https://example.org/hub/api/models/')).toBe(true)
    }
  })

  it('whatever they are: the token request stays what was written, at the hub', async () => {
    const anything = fc.oneof(anyText(), fc.anything({ maxDepth: 0 }))
    const options = fc.record({
      hubUrl: fc.oneof(anyWebUrl, fc.constantFrom(good.hubUrl, 'http://[::1]:1'), anything),
      repo: fc.oneof(fc.constant(good.repo), anything),
      revision: fc.oneof(anyText({ minLength: 1 }), fc.constant('main'), anything),
      refreshBufferSeconds: fc.oneof(fc.nat(), fc.constant(undefined), anything),
      retryTimeoutSeconds: fc.oneof(fc.nat(), fc.constant(undefined), anything),
    })
    let taken = 0
    await fc.assert(
      fc.asyncProperty(options, async (change) => {
        if (refusalOf(change) !== undefined) return
        taken += 1
        const world = openWorld()
        await world.client(change as Partial<StorageClientOptions>).token('read')
        const url = world.asked[0]?.url ?? ''
        expect(new URL(url).href).toBe(url)
        expect(new URL(url).origin).toBe(new URL(String(change.hubUrl)).origin)
        expect(url).toMatch(/\/api\/models\/acme\/bert\/storage-read-token\/[^/?#]+$/)
      }),
      { numRuns: process.env['LATCHKEY_SOAK'] ? 10_000 : 200 },
    )
    expect(taken).toBeGreaterThan(2)
  })
})
