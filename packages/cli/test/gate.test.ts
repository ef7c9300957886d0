import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gateSettings, warningsAboutGate } from '../src/configuration/gate-settings.ts'
import { readConfiguration } from '../src/configuration/read-configuration.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { serve, serveGate, temporaryDirectory } from './run-latchkey.ts'
import { hubHere } from './serve-here.ts'

const hub = 'https://hub.example'
const casUrl = 'https://cas.example/r/{repo}/{ref}'
const upstream = 'http://127.0.0.1:9000/{repo}/{ref}'
const unnamed = 'http://127.0.0.1:9000'

describe('what a gate must be told', () => {
  // biome-ignore format: a table is read by its columns
  // conformance: Attacks / 20. An attacker uses a gate that cannot tell repositories apart
  it.each([
    ['no hub',                           ['--cas-url', casUrl, '--upstream', upstream],                                       /^latchkey: --hub URL is missing/],
    ['no storage address',               ['--hub', hub, '--upstream', upstream],                                              /^latchkey: --cas-url URL is missing/],
    ['neither storage nor proxy',        ['--hub', hub, '--cas-url', casUrl],                                                 /^latchkey: --upstream URL is missing/],
    ['storage and proxy',                ['--hub', hub, '--cas-url', casUrl, '--upstream', upstream, '--forward-auth', 'nginx'], /exclude each other/],
    ['nothing that isolates',            ['--hub', hub, '--cas-url', 'https://cas.example', '--upstream', upstream],          /does not separate repositories and refs/],
    ['a repository but no ref',          ['--hub', hub, '--cas-url', 'https://cas.example/{repo}', '--upstream', upstream],   /does not separate repositories and refs/],
    ['a storage without {repo} and {ref}', ['--hub', hub, '--cas-url', casUrl, '--upstream', unnamed],                        /could read what another one has stored. Write --upstream 'http:\/\/127.0.0.1:9000\/\{repo\}\/\{ref\}'; or say --isolation upstream/],
    ['two rules for unsafe methods',     ['--hub', hub, '--cas-url', casUrl, '--upstream', upstream, '--relax-other-methods', '--every-unsafe-method-writes'], /exclude each other/],
    ['an unknown form of slashes',       ['--hub', hub, '--cas-url', casUrl, '--upstream', upstream, '--allow-paths', 'dots'],     /--allow-paths: .*encoded-slash or trailing-slash/],
    ['keys over plain http',             ['--hub', 'http://hub.example', '--cas-url', casUrl, '--upstream', upstream],         /^latchkey: --hub: "http:\/\/hub.example" is plain http/],
    ['an unknown proxy',                 ['--hub', hub, '--cas-url', casUrl, '--forward-auth', 'squid'],                      /--forward-auth: "squid" is not allowed; give one of nginx, caddy, traefik, envoy/],
    ['a route without a method',         ['--hub', hub, '--cas-url', casUrl, '--upstream', upstream, '--write-routes', '/v1/locks'], /--write-routes: "\/v1\/locks" is not allowed; give a method/],
    ['a storage that is no URL',         ['--hub', hub, '--cas-url', casUrl, '--upstream', 'storage'],                        /--upstream: "storage" is not allowed/],
    ['a placeholder within a segment',   ['--hub', hub, '--cas-url', 'https://cas.example/x-{repo}/{ref}', '--upstream', upstream], /whole segment/],
  ])('%s is told in one line', async (_, args, line) => {
    const { code, stdout, stderr } = await latchkey(['gate', '--port', '0', ...args], {
      cwd: temporaryDirectory(),
    })
    expect({ stdout, lines: stderr.trim().split('\n').length }).toEqual({ stdout: '', lines: 1 })
    expect(stderr).toMatch(line)
    expect([2, 3]).toContain(code)
  })
})

it('every option of the gate comes from its variable too, and the key leaves the environment', () => {
  const environment: Record<string, string> = {
    LATCHKEY_HUB: hub,
    LATCHKEY_CAS_URL: 'https://cas.example',
    LATCHKEY_ISOLATION: 'upstream',
    LATCHKEY_UPSTREAM: 'unix:/run/storage.sock',
    LATCHKEY_ISSUER: 'https://names-itself.example',
    LATCHKEY_LEEWAY_SECONDS: '5',
    LATCHKEY_REVOCATIONS_POLL_SECONDS: '7',
    LATCHKEY_REVOCATIONS_WHEN_STALE: 'allow',
    LATCHKEY_WRITE_ROUTES: 'POST /v1/locks/*, unsafe /v1/admin/**',
    LATCHKEY_EVERY_UNSAFE_METHOD_WRITES: 'true',
    LATCHKEY_ALLOW_PATHS: 'encoded-slash, trailing-slash',
    LATCHKEY_TIMEOUTS_TOTAL_SECONDS: '7',
    LATCHKEY_ASSERTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  }
  const settings = gateSettings(readConfiguration({}, environment))
  expect(settings).toMatchObject({
    hub,
    issuer: 'https://names-itself.example',
    isolation: 'upstream',
    port: 8082,
    leewaySeconds: 5,
    revocations: { pollSeconds: 7, whenStale: 'allow' },
    rules: {
      write: [
        { methods: ['POST'], path: '/v1/locks/*' },
        { methods: 'unsafe', path: '/v1/admin/**' },
      ],
      everyUnsafeMethodWrites: true,
    },
    allowPaths: ['encoded-slash', 'trailing-slash'],
    work: { kind: 'forward', upstream: 'unix:/run/storage.sock', timeouts: { totalSeconds: 7 } },
  })
  expect(environment).not.toHaveProperty('LATCHKEY_ASSERTION_KEY')
})

it('a storage that others can reach, tokens over plain http, and a port that clients are not sent to are warned about', () => {
  const settings = (flags: Record<string, string>) =>
    gateSettings(readConfiguration({ hub, casUrl, ...flags }, {}))
  expect(warningsAboutGate(settings({ upstream }))).toEqual([])
  expect(warningsAboutGate(settings({ upstream: 'http://storage.example' }))).toHaveLength(1)
  const plain = settings({ upstream, casUrl: 'http://cas.example/{repo}/{ref}' })
  const elsewhere = { casUrl: 'http://127.0.0.1:8081/{repo}/{ref}' }
  expect(warningsAboutGate(settings({ upstream, ...elsewhere }))).toEqual([
    expect.stringContaining('pass --port 8081'),
  ])
  expect(warningsAboutGate(settings({ upstream, ...elsewhere, port: '8081' }))).toEqual([])
  expect(warningsAboutGate(plain)).toHaveLength(1)
})

it('a gate that admits without news of the hub is warned about', () => {
  const flags = { hub, casUrl, upstream, revocationsWhenStale: 'allow' }
  expect(warningsAboutGate(gateSettings(readConfiguration(flags, {})))).toEqual([
    expect.stringContaining('while the hub does not respond'),
  ])
})

it('the help of the gate states within which time a token that was taken back is refused', async () => {
  const { stdout } = await latchkey(['gate', '--help'], { cwd: temporaryDirectory() })
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'A revoked token is rejected within 9 s while the hub responds (--revocations-poll-seconds plus 4 s), and within 60 s while it does not.',
  )
})

it('a hub and a gate started by their commands let the right token through and no other', async () => {
  const cwd = temporaryDirectory()
  const port = await freePort()
  const address = `http://127.0.0.1:${port}/r/{repo}/{ref}`
  const served = await serve(['--demo', '--no-storage', '--cas-url', address], { cwd })
  const storage = await storageThatEchoes()
  const words = ['--hub', served.url, '--cas-url', address, '--upstream', `${storage}/{repo}/{ref}`]
  const gate = await serveGate(['--port', String(port), ...words], { cwd })
  expect(gate.output().stderr).toContain(`in front of ${storage}`)

  await expect.poll(() => served.output().stdout).toContain('Ctrl+C')
  const hubToken = /lk_[0-9A-Za-z]{49}/.exec(served.output().stdout)?.[0] ?? ''
  const ask = async (scope: string) => {
    const path = `/api/models/acme/tiny-llama/storage-${scope}-token/main`
    const headers = { authorization: `Bearer ${hubToken}` }
    const answer = await fetch(served.url + path, { headers })
    return (await answer.json()) as { accessToken: string; casUrl: string }
  }
  const { accessToken, casUrl: own } = await ask('read')
  const headers = { authorization: `Bearer ${accessToken}` }
  const read = await fetch(`${own}/v1/chunks/default/abc`, { headers })
  const place = new URL(own).pathname.slice('/r'.length)
  const reached = { url: `${place}/v1/chunks/default/abc` }
  expect([read.status, await read.json()]).toEqual([200, reached])
  const write = await fetch(`${own}/v1/shards`, { method: 'POST', headers, body: 'x' })
  expect([write.status, await write.json()]).toMatchObject([403, { code: 'insufficient_scope' }])
  const nobody = await fetch(`${own}/v1/chunks/default/abc`)
  expect(nobody.status).toBe(401)

  gate.child.kill('SIGTERM')
  expect(await gate.ended()).toBe(0)
  expect(gate.output().stdout).toContain('"event":"request_forwarded"')
  expect(gate.output().stdout + gate.output().stderr).not.toContain(accessToken)
})

it('a gate without its hub starts, says so, and is ready once the hub is there; it says how often it asks what was taken back, and what it does without news', async () => {
  const cwd = temporaryDirectory()
  const [hubPort, operations] = [String(await freePort()), String(await freePort())]
  const gate = await serveGate(
    [
      ...['--port', '0', '--operations-port', operations],
      ...['--hub', `http://127.0.0.1:${hubPort}`, '--cas-url', casUrl, '--upstream', upstream],
      ...['--revocations-poll-seconds', '2', '--revocations-when-stale', 'allow'],
    ],
    { cwd },
  )
  expect(gate.output().stderr).toContain('cannot fetch the keys')
  const ready = () => fetch(`http://127.0.0.1:${operations}/readyz`)
  expect((await ready()).status).toBe(503)
  const hub = await hubHere(join(cwd, 'hub'), { casUrl, port: hubPort })
  onTestFinished(hub.stop)
  const isReady = async () => (await ready()).status
  await expect.poll(isReady, { interval: 200 }).toBe(200)

  await expect
    .poll(() => gate.output().stderr)
    .toContain(
      'revoked tokens are rejected within 6 s; when the hub does not respond for 60 s, requests are checked against its last list',
    )
  await expect
    .poll(async () => (await ready()).json())
    .toEqual({
      status: 'ready',
      revocations: {
        ageSeconds: expect.any(Number),
        seq: expect.any(Number),
        ...{ normalBoundSeconds: 6, whenStale: 'allow' },
      },
    })
  await expect.poll(() => gate.output().stdout).toMatch(/gate_started.*\n/)
  const lines = gate.output().stdout.trimEnd().split('\n')
  const [started = ''] = lines.filter((line) => line.includes('gate_started'))
  expect(JSON.parse(started)).toMatchObject({
    event: 'gate_started',
    revocationBounds: { normalSeconds: 6 },
    whenStale: 'allow',
  })
})

async function storageThatEchoes(): Promise<string> {
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ url: request.url }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
