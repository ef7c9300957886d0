/** A gate that would guard nothing, or something else than was meant, does not start and says why in one line. */

import { casUrl, issuer, keys } from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, test } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import type { GateOptions } from '../../src/check/options.ts'
import { CannotStart } from '../../src/index.ts'
import { closing } from './ask.ts'

/** As an operator may write them, whatever the types say. */
function starting(options: Readonly<Record<string, unknown>>): () => unknown {
  return () => createGate({ keys, issuer, ...options } as unknown as GateOptions)
}

function reasonOf(start: () => unknown): string {
  try {
    start()
  } catch (error) {
    expect(error).toBeInstanceOf(CannotStart)
    return (error as CannotStart).message
  }
  return expect.unreachable('it started')
}

// conformance: Attacks / 20. An attacker uses a gate that cannot tell repositories apart
describe('without anything that tells repositories and refs apart', () => {
  test.each([
    ['a casUrl without placeholders', { casUrl: 'https://cas.example' }],
    ['a casUrl with {repo} only', { casUrl: 'https://cas.example/{repo}' }],
    ['a casUrl with {ref} only', { casUrl: 'https://cas.example/r/{ref}' }],
    ['an audience alone', { audience: 'https://cas.example' }],
    ['an isolation left undefined', { audience: 'https://cas.example', isolation: undefined }],
    ['an isolation of null', { audience: 'https://cas.example', isolation: null }],
    ['an empty isolation', { casUrl: 'https://cas.example', isolation: '' }],
    ['an isolation in other letters', { casUrl: 'https://cas.example', isolation: 'None' }],
    ['a locate left undefined', { audience: 'https://cas.example', locate: undefined }],
  ])('it does not start: %s', (_, options) => {
    const reason = reasonOf(starting(options))
    expect(reason).not.toContain('\n')
    for (const way of ['{repo} and {ref}', 'casUrl', 'locate', '"upstream"', '"none"']) {
      expect(reason).toContain(way)
    }
  })
})

describe('placeholders that are not whole segments do not start', () => {
  test.each([
    'https://cas.example/r-{repo}/{ref}',
    'https://cas.example/{repo}-{ref}',
    'https://cas.example/{repo}.git/{ref}',
    'https://cas.example/{repo}{ref}',
    'https://cas.example/{repo}/at-{ref}',
  ])('%s', (casUrl) => {
    const reason = reasonOf(starting({ casUrl }))
    expect(reason).toMatch(/^casUrl: .*whole segment.*https:\/\/cas\.example\/r\/\{repo\}\/\{ref\}/)
    expect(reasonOf(starting({ casUrl, isolation: 'none' }))).toBe(reason)
  })
})

const badUrls = [
  '',
  'cas.example',
  '//cas.example',
  'ftp://cas.example',
  'https://cas.example/',
  'https://CAS.example',
  'https://cas.example:443',
  'https://cas.example?x=1',
  'https://cas.example#x',
  'https://user:word@cas.example',
  'https://cas.example/a/../b',
]

describe('a URL that is not in its normal form does not start, and is named', () => {
  test.each(badUrls)('hubUrl %j', (hubUrl) => {
    const reason = reasonOf(() => createGate({ hubUrl, issuer, casUrl }))
    expect(reason).toMatch(/^hubUrl: [^\n]+$/)
    expect(reason).toContain(JSON.stringify(hubUrl))
  })

  test.each(badUrls)('issuer %j', (bad) => {
    const given = { hubUrl: 'https://hub.example', issuer: bad, casUrl }
    expect(reasonOf(() => createGate(given))).toMatch(/^issuer: [^\n]+$/)
  })

  test.each(badUrls)('audience %j', (audience) => {
    expect(reasonOf(starting({ audience, isolation: 'none' }))).toMatch(/^audience: [^\n]+$/)
    expect(reasonOf(starting({ audience, locate: () => undefined }))).toMatch(/^audience: /)
  })

  test.each([
    ...badUrls,
    'https://cas.example/{repo}/{ref}/',
    'https://cas.example/{repo}/{repo}/{ref}',
    'https://cas.example/{repo}/{ref}?x={ref}',
    'https://{repo}.cas.example/{ref}',
    'https://cas.example/{name}/{ref}',
    'https://cas.example/{Repo}/{Ref}',
    `https://cas.example/${'x'.repeat(2048)}/{repo}/{ref}`,
  ])('casUrl %j', (url) => {
    expect(reasonOf(starting({ casUrl: url, isolation: 'none' }))).toMatch(/^casUrl: [^\n]+$/)
  })
})

describe('a casUrl under which no request could ever be admitted does not start', () => {
  test.each([
    'https://cas.example//{repo}/{ref}',
    'https://cas.example/r//{repo}/{ref}',
    'https://cas.example/r;x/{repo}/{ref}',
    'https://cas.example/%72/{repo}/{ref}',
    'https://cas.example/a%2Fb/{repo}/{ref}',
  ])('%s', (url) => {
    expect(reasonOf(starting({ casUrl: url }))).toMatch(/^casUrl: [^\n]+$/)
  })
})

describe('a leeway outside of 0 to 60 seconds does not start', () => {
  test.each([-1, 61, 60.5, Number.NaN, Number.POSITIVE_INFINITY])('%f', (leewaySeconds) => {
    const reason = reasonOf(starting({ casUrl, leewaySeconds }))
    expect(reason).toBe(`leewaySeconds: ${leewaySeconds} is not allowed; give 0 to 60`)
  })

  test.each([0, 30, 60])('and one of %i starts', (leewaySeconds) => {
    expect(starting({ casUrl, leewaySeconds })).not.toThrow()
  })
})

describe('a rule of the operator that matches no path does not start, and is named', () => {
  test.each(['', 'v1/locks', '/v1//locks', '/v1/locks/', '/v1/../locks', '/**/locks', '/a;b'])(
    '%j',
    (path) => {
      const rules = { write: [{ methods: 'unsafe', path }] }
      const reason = reasonOf(starting({ casUrl, rules }))
      expect(reason).toMatch(/^rules: [^\n]+$/)
      expect(reason).toContain(JSON.stringify(path))
    },
  )
})

describe('polling outside of 1 to 30 seconds does not start', () => {
  const hubUrl = 'https://hub.example'

  test.each([0, -1, 30.5, 31, Number.NaN])('%f', (pollSeconds) => {
    const reason = reasonOf(() => createGate({ hubUrl, casUrl, pollSeconds }))
    expect(reason).toBe(`pollSeconds: ${pollSeconds} is not allowed; give 1 to 30`)
  })

  test.each([1, 5, 30])('and of %i starts, with the bound that it gives', (pollSeconds) => {
    const { revocations } = closing(createGate({ hubUrl, casUrl, pollSeconds }))
    expect(revocations.bounds.normalSeconds).toBe(pollSeconds + 4)
  })
})
