/** The Python example judges tokens and requests as the gate does, wherever Python has PyJWT. */

import { execFile, spawnSync } from 'node:child_process'
import { sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { type LineVerifier, lineVerifier } from '@latchkey/testing/differential/line-verifier'
import { scriptedHub, serving } from '@latchkey/testing/gate/gateway'
import {
  audience,
  casUrl,
  claims,
  issuer,
  jwks,
  keys,
  prefix,
  signingKey,
  startOfTime,
  token,
} from '@latchkey/testing/gate/storage-tokens'
import { forEver, verifyToken } from '@latchkey/token'
import { generateSigningKey } from '@latchkey/token/signing'
import fc from 'fast-check'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { tokenOfUnknownKey } from '../keys/hub-gate.ts'

const root = resolve(import.meta.dirname, '../../../..')
const example = join(root, 'examples/python')
const vectors = join(root, 'vectors')

const python = ['/usr/bin/python3', 'python3'].find(
  (candidate) => spawnSync(candidate, ['-c', 'import jwt, cryptography']).status === 0,
)
if (python === undefined) {
  console.warn('NOT FOUND: a Python with PyJWT and cryptography. The example is not tested.')
}

interface Ran {
  readonly status: number
  readonly output: string
}

/** Without blocking, so that a hub of this process can answer. */
function run(...words: readonly string[]): Promise<Ran> {
  const options = { cwd: example, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((done) => {
    const child = execFile(python ?? '', ['-B', ...words], options, (_error, stdout, stderr) =>
      done({ status: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}

/** One process runs the lines of all tests, each in names of its own. Lines that fail end it. */
let interpreter: LineVerifier | undefined
afterAll(() => interpreter?.close())

const runEach = [
  'import contextlib, io, json, sys',
  'for line in sys.stdin:',
  '    said = io.StringIO()',
  '    with contextlib.redirect_stdout(said): exec(json.loads(line), {})',
  '    print(json.dumps(said.getvalue()), flush=True)',
].join('\n')

/** What the lines print. */
async function printed(...lines: readonly string[]): Promise<string> {
  const words = ['-B', '-c', runEach]
  interpreter ??= lineVerifier({ program: python ?? '', words, cwd: example })
  const [answer = ''] = await interpreter.ask([JSON.stringify(lines.join('\n'))])
  return JSON.parse(answer)
}

function file(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-python-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'vectors.json')
  writeFileSync(path, JSON.stringify(content))
  return path
}

describe.skipIf(python === undefined)('the Python example', () => {
  test('agrees with every vector that the guide names, and of revocations', async () => {
    const page = readFileSync(join(root, 'docs/guides/write-a-verifier.md'), 'utf8')
    const [, words = ''] = /^cd examples\/python\npython3 (.*)$/m.exec(page) ?? []
    const { status, output } = await run(...words.split(' '), join(vectors, 'revocations.json'))
    const checked = output.matchAll(/([\w-]+)\.json: [1-9]\d* checked, 0 disagreements$/gm)
    expect(Array.from(checked, ([, name]) => name)).toEqual([
      ...['tokens', 'scope-rules', 'requests', 'revocations'],
    ])
    expect(status).toBe(0)
  })

  test('prints each disagreement with a vector, and fails', async () => {
    const tokens = JSON.parse(readFileSync(join(vectors, 'tokens.json'), 'utf8'))
    const [good] = tokens.cases.filter((each: { accepted: boolean }) => each.accepted)
    const [bad] = tokens.cases.filter((each: { accepted: boolean }) => !each.accepted)
    const cases = [
      good,
      bad,
      { ...good, name: 'a good one called bad', accepted: false, reason: 'forged' },
      { ...bad, name: 'a bad one called good', accepted: true, claims: good.claims },
    ]
    const scopes = [{ method: 'POST', path: '/shard', wants: 'read' }]
    const paths = [{ path: '/a//b', normal: true }]
    const { status, output } = await run('verify.py', file({ ...tokens, cases, scopes, paths }))
    expect(output).toContain("'a good one called bad': ")
    expect(output).toContain("'a bad one called good': ")
    expect(output).toContain("'POST /shard': 'write', expected 'read'")
    expect(output).toContain("'path /a//b': False, expected True")
    expect(output).toContain('6 checked, 4 disagreements')
    expect(status).toBe(1)
  })

  test('fails when there is nothing to compare with', async () => {
    expect((await run('verify.py')).status).toBe(1)
    expect((await run('verify.py', file({}))).status).toBe(1)
  })

  test('agrees with the gate on tokens that were changed at random', async () => {
    const count = rounds(400, 1500)
    const cases = await Promise.all(fc.sample(arbitraryToken, count).map(judgedByTheGate))
    const now = startOfTime
    const known = { issuer, audience, now, leewaySeconds: 30, jwks }
    const { status, output } = await run('verify.py', file({ ...known, cases }))
    expect(output).toMatch(new RegExp(`: ${count} checked, 0 disagreements\\n$`))
    expect(status).toBe(0)
  })
})

async function judgedByTheGate(candidate: string) {
  const verified = await verifyToken(candidate, { keys, issuer, audience, now: startOfTime })
  const verdict = verified.ok ? { claims: verified.claims } : { reason: verified.reason }
  return { name: candidate, token: candidate, accepted: verified.ok, ...verdict }
}

const pieces = ['.', '=', ' ', '"', ',', '{', '}', '[', ']', ':', '-', '0', '1e3', '\\u0061', 'é']
const deep = ['[[', '{"a":'].map((piece) => piece.repeat(600))

/** A text in which one stretch is taken out and another piece put in. */
function changed(whole: string) {
  return fc
    .tuple(
      fc.nat({ max: whole.length }),
      fc.nat({ max: 3 }),
      fc.constantFrom('', ...pieces, ...deep, 'null', 'true', '"exp":1,', '\n', '\u2028', 'A'),
    )
    .map(([at, removed, piece]) => whole.slice(0, at) + piece + whole.slice(at + removed))
}

function signed(header: string, payload: string): string {
  const [first, second] = [header, payload].map((part) => Buffer.from(part).toString('base64url'))
  const data = Buffer.from(`${first}.${second}`)
  const key = { key: signingKey.privateKey, dsaEncoding: 'ieee-p1363' } as const
  return `${data}.${sign('sha256', data, key).toString('base64url')}`
}

const [header = '', payload = ''] = token()
  .split('.')
  .map((part) => Buffer.from(part, 'base64url').toString())

const arbitraryToken = fc.oneof(
  changed(token()),
  changed(payload).map((text) => signed(header, text)),
  changed(header).map((text) => signed(text, payload)),
)

describe.skipIf(python === undefined)('the keys of the Python example', () => {
  /** Runs lines of Python that have `hub`, a moved clock `at` and a token's kid. */
  function withKeys(hubUrl: string, ...lines: readonly string[]): Promise<string> {
    const setting = [
      'from hub_keys import HubKeys',
      'at = [0]',
      'wait = lambda seconds: at.__setitem__(0, at[0] + seconds)',
      `hub = HubKeys(${JSON.stringify(hubUrl)}, clock=lambda: at[0], sleep=wait)`,
      `kid = ${JSON.stringify(signingKey.kid)}`,
    ]
    return printed(...setting, ...lines)
  }

  test('are asked for once a second, whatever unknown ids come in', async () => {
    const hub = await scriptedHub()
    const output = await withKeys(
      hub.url,
      'for second in range(30):',
      '    at[0] = second',
      '    for count in range(100): hub.known(f"unknown-{count}")',
      'print(list(hub.known(kid)) == [kid])',
      // A regular look in the background, and at once another one for an unknown key.
      'import time',
      'at[0] = 100',
      'hub.known(kid)',
      'while hub.age() > 0: time.sleep(0.01)',
      'print(list(hub.known("unknown")) == [kid])',
    )
    expect(output).toBe('True\nTrue\n')
    expect(hub.fetched()).toBe(32)
  })

  test('are kept for a day while the hub is away, and not longer', async () => {
    let published: string | undefined = JSON.stringify(jwks)
    const hub = await serving((request, response) => {
      if (request.url === '/.well-known/jwks.json' && published !== undefined) {
        response.end(published)
        published = undefined
      } else response.writeHead(500).end()
    })
    const output = await withKeys(
      hub.url,
      'print(hub.known(kid) is not None)',
      'at[0] = 24 * 3600',
      'print(hub.known(kid) is not None)',
      'at[0] += 1',
      'print(hub.known(kid))',
    )
    expect(output).toBe('True\nTrue\nNone\n')
  })

  test('are taken from nowhere else, and not beyond 64 KiB', async () => {
    const elsewhere = await scriptedHub()
    const redirecting = await serving((_request, response) =>
      response.writeHead(307, { Location: `${elsewhere.url}/.well-known/jwks.json` }).end(),
    )
    const boundless = await serving((_request, response) =>
      response.end(JSON.stringify({ ...jwks, padding: 'x'.repeat(64 * 1024) })),
    )
    const output = await withKeys(
      redirecting.url,
      'print(hub.known(kid))',
      `print(HubKeys("${boundless.url}").known(kid))`,
    )
    expect(output).toBe('None\nNone\n')
    expect(elsewhere.fetched()).toBe(0)
  })

  test('are asked for a second after the last look, before a key counts as unknown', async () => {
    const hub = await scriptedHub()
    const output = await withKeys(
      hub.url,
      'print(hub.known(kid) is not None)',
      'at[0] = 0.25',
      'print(hub.known("unknown") is not None, at[0])',
    )
    expect(output).toBe('True\nTrue 1.0\n')
    expect(hub.fetched()).toBe(2)
  })

  test('leave out what is no key, and keep its neighbours', async () => {
    const bad = [null, 7, {}, { ...signingKey.publicJwk, kid: 'x' }, { kty: 'oct', k: 'AA' }]
    const offCurve = { ...signingKey.publicJwk, y: signingKey.publicJwk.x }
    const careless = await generateSigningKey('ES256')
    const { d } = careless.privateKey.export({ format: 'jwk' })
    const published = { ...careless.publicJwk, d }
    const hub = await serving((_request, response) =>
      response.end(JSON.stringify({ keys: [...bad, offCurve, published, ...jwks.keys] })),
    )
    const output = await withKeys(hub.url, 'print(list(hub.known(kid)) == [kid])')
    expect(output).toBe('True\n')
  })

  test('verify a token together with the rest of the example', async () => {
    const hub = await scriptedHub()
    const output = await withKeys(
      hub.url,
      'from verify import Refused, read_parts, verify_token',
      `for token in ${JSON.stringify([token(), tokenOfUnknownKey()])}:`,
      '    at[0] += 10',
      '    try:',
      '        keys = hub.known(read_parts(token)[1])',
      `        claims = verify_token(token, keys=keys, issuer="${issuer}", audience="${audience}", now=${startOfTime})`,
      '        print(claims["scope"])',
      '    except Refused as refused:',
      '        print(refused)',
    )
    expect(output).toBe('read\nunknown_key\n')
  })
})

describe.skipIf(python === undefined)('the revocations of the Python example', () => {
  /** Runs lines of Python that have `hub`, which asks a hub of this process. */
  function withRevocations(hubUrl: string, ...lines: readonly string[]): Promise<string> {
    const setting = [
      'from hub_revocations import HubRevocations',
      'from revocations import is_dead',
      `hub = HubRevocations(${JSON.stringify(hubUrl)}, ${JSON.stringify(issuer)})`,
    ]
    return printed(...setting, ...lines)
  }

  test('end a token that the hub has taken back, and no other', async () => {
    const hub = await scriptedHub()
    hub.revocations.cut({ kind: 'account', id: 'ada-id' }, forEver)
    const output = await withRevocations(
      hub.url,
      'print(hub.entries())',
      'print(hub.ask())',
      `claims = ${JSON.stringify(claims())}`,
      'print(is_dead(claims, "kid", hub.entries()))',
      'print(is_dead({**claims, "sub": "bob-id"}, "kid", hub.entries()))',
    )
    expect(output).toBe('None\nTrue\nTrue\nFalse\n')
  })

  test('decide about a request: 401 when its token is dead, 503 without news', async () => {
    const output = await printed(
      'from revocations import cut_off_hash',
      'from storage_request import check',
      'from verify import Refused, read_keys',
      `trust = dict(keys=read_keys(${JSON.stringify(jwks)}), issuer="${issuer}", now=${startOfTime})`,
      'cut = {cut_off_hash("account", "ada-id"): 2**53 - 1}',
      'for entries in {}, cut, None:',
      '    try:',
      `        print(check("GET", "${prefix}/x", "${token()}", cas_url="${casUrl}", entries=entries, **trust)[1])`,
      '    except Refused as refused:',
      '        print(refused)',
    )
    expect(output).toBe('/x\nstorage_token_invalid\ngate_not_ready\n')
  })

  test('are taken from nowhere else, not beyond their size, and not in part', async () => {
    const elsewhere = await scriptedHub()
    const wrong: readonly RequestListener[] = [
      ({ url }, response) =>
        response
          .writeHead(307, { Location: `${elsewhere.url}${url}` })
          .end(elsewhere.revocations.head()),
      (_request, response) => response.end('x'.repeat(5000)),
      (_request, response) => response.writeHead(304).end(),
      (_request, response) => response.writeHead(500).end(elsewhere.revocations.head()),
      (_request, response) =>
        response.writeHead(200, { 'Content-Length': 5000 }).write('ey', () => response.destroy()),
    ]
    const hubs = await Promise.all(wrong.map((listener) => serving(listener)))
    const output = await withRevocations(
      elsewhere.url,
      `for url in ${JSON.stringify(hubs.map(({ url }) => url))}:`,
      `    hub = HubRevocations(url, ${JSON.stringify(issuer)})`,
      '    print(hub.ask(), hub.entries())',
    )
    expect(output).toBe('False None\n'.repeat(wrong.length))
  })
})
