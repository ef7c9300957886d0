/** Every command that connects trusts what `--ca-cert` names, and nothing else beyond the usual. */

import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { newIssuer, selfSigned } from '@latchkey/testing/tls/certificates'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { program } from '../../src/program.ts'
import { mistakeOf } from '../mistake-of.ts'
import { type Asked, tlsWorld } from './tls-world.ts'

const world = tlsWorld()
const target = 'models/acme/bert@main'
const unknown =
  /cannot be reached \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)[;:] the issuer of its certificate is not known here; name it, or the certificate of its issuer, with --ca-cert FILE/

const trusting = (args: readonly string[], hub = world.hub) => [
  ...[...args, '--hub', hub],
  ...['--ca-cert', world.caCert],
]

const askTrusting = async (args: readonly string[], more?: Asked) =>
  world.ask(trusting(args, await world.freshHub()), more)

const askHub = async (args: readonly string[], more?: Asked) =>
  world.ask([...args, '--hub', await world.freshHub()], more)

// conformance: Client / --ca-cert adds certificates, and verification stays on
it('every command that has --hub has --ca-cert, and the hub that asks its storage', async () => {
  const commands = leaves(await program())
  const names = (wanted: string) =>
    commands.filter(({ options }) => options.some(({ long }) => long === wanted)).map(nameOf)
  expect(names('--hub').length).toBeGreaterThan(40)
  const ofHub = ['serve', 'doctor']
  expect(new Set(names('--ca-cert'))).toEqual(new Set([...ofHub, ...names('--hub')]))
})

describe('what --ca-cert names must be a certificate', () => {
  it.each([
    ['', 'an empty file'],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'a broken one'],
    ['-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', 'a key'],
  ])('%j is told in one line', async (content) => {
    const file = join(world.home(), 'wrong.pem')
    writeFileSync(file, content)
    const args = ['whoami', '--hub', world.hub, '--ca-cert', file]
    const { code, stdout, stderr } = await world.ask(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(
      /^latchkey: --ca-cert: "[^"]+" is no certificate; give a PEM file, [^\n]+\n$/,
    )
  })

  it('one that is wrong among right ones is not passed over', async () => {
    const file = join(world.home(), 'both.pem')
    const wrong = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    writeFileSync(file, world.issuer.cert + wrong)
    const { code } = await world.ask(['whoami', '--hub', world.hub, '--ca-cert', file])
    expect(code).toBe(2)
  })

  it('a file that is not there is told in one line', async () => {
    const args = ['whoami', '--hub', 'https://hub.example', '--ca-cert', 'none.pem']
    const { code, stderr } = await world.ask(args)
    expect(code).toBe(3)
    expect(stderr).toBe('latchkey: "none.pem" cannot be read: there is no such file\n')
  })

  it('there is no way to turn the checks off', async () => {
    expect(await mistakeOf('whoami', '--no-ca-cert')).toContain('unknown option')
    expect(await mistakeOf('whoami', '--insecure')).toContain('unknown option')
  })
})

describe('without --ca-cert an issuer that is not known is refused, and the line names the option', () => {
  it.each([
    [['whoami'], 'laptop'],
    [['token', 'read', target], 'laptop'],
    [['repo', 'list'], 'admin'],
  ] as const)('%s', async (args, token) => {
    const { code, stdout, stderr } = await askHub(args, { token })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(unknown)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  // conformance: Client / --ca-cert adds certificates, and verification stays on
  it('another issuer of the same name is not believed', async () => {
    const file = join(world.home(), 'other.pem')
    writeFileSync(file, newIssuer('Latchkey test issuer').cert)
    const { code, stderr } = await askHub(['whoami', '--ca-cert', file])
    expect(code).toBe(3)
    expect(stderr).toMatch(/CERT_SIGNATURE_FAILURE\); its certificate is not signed by the issuer/)
  })
})

describe('with --ca-cert', () => {
  // biome-ignore format: a table is read by its columns
  it.each([
    ['whoami',                                             'laptop', ''],
    [`token read ${target}`,                               'laptop', ''],
    ['login --token',                                      'laptop', 'the hub token'],
    ['repo list',                                          'admin',  ''],
    ['changes',                                            'admin',  ''],
    ['keys list',                                          'admin',  ''],
    [`explain token read ${target} --as ada`,              'admin',  ''],
    ['apply -',                                            'admin',  '{"accounts":[{"name":"eve"}]}'],
  ] as const)('latchkey %s', async (words, token, input) => {
    const given = input === 'the hub token' ? world.tokenOf('laptop') : input
    const { code, stderr } = await askTrusting(words.split(' '), { token, input: given })
    expect(code, stderr).toBe(0)
  })

  it('upload, download and fetch reach hub and storage', async () => {
    const cwd = world.home()
    const content = randomBytes(300_000)
    writeFileSync(join(cwd, 'file.bin'), content)
    const up = await askTrusting(['upload', target, 'file.bin'], { cwd })
    expect(up).toMatchObject({ code: 0 })
    const hash = up.stdout.trim()
    // Apart, because this process has a connection to the storage by now.
    const download = trusting(['download', target, hash, '-o', 'back.bin'])
    expect(await world.askApart(download, { cwd })).toMatchObject({ code: 0 })
    expect(readFileSync(join(cwd, 'back.bin')).equals(content)).toBe(true)
    const fetching = trusting(['fetch', target, `/v1/reconstructions/${hash}`])
    expect(await world.askApart(fetching)).toMatchObject({ code: 0 })
  })

  it('a self-signed certificate is trusted by its own file', async () => {
    const own = selfSigned({ names: ['localhost'] })
    const file = join(world.home(), 'own.pem')
    writeFileSync(file, own.cert)
    const args = ['whoami', '--hub', await world.freshHub(own), '--ca-cert', file]
    expect(await world.ask(args)).toMatchObject({ code: 0 })
  })

  it('the variable and the key in the configuration file name it too', async () => {
    const env = { LATCHKEY_CA_CERT: world.caCert }
    expect(await askHub(['whoami'], { env })).toMatchObject({ code: 0 })
    const cwd = world.home()
    writeFileSync(join(cwd, 'client.json'), JSON.stringify({ caCert: world.caCert }))
    const args = ['whoami', '--config', 'client.json']
    expect(await askHub(args, { cwd })).toMatchObject({ code: 0 })
  })

  it('a command on the data of this machine does not read the file', async () => {
    const env = { LATCHKEY_CA_CERT: 'none.pem' }
    const made = await world.ask(['account', 'create', 'eve'], { env })
    expect(made).toMatchObject({ code: 0 })
  })

  it('a storage follows its hub, and its maintenance asks the hub', async () => {
    const cwd = world.home()
    const env = { LATCHKEY_STORAGE_CREDENTIAL: world.tokenOf('storage') }
    const args = trusting(['storage', 'serve', '--port', '0', '--cas-url', world.casUrl])
    const { url, output } = await world.serving(args, { cwd, env })
    expect(output().stderr).not.toContain('cannot be reached')
    const { hub } = (await (await fetch(`${url}/readyz`)).json()) as { hub: string }
    expect(hub).toBe('linked')
    const reconciled = await askTrusting(['storage', 'reconcile'], { cwd, env })
    expect(reconciled.code, reconciled.stderr).toBe(0)
    const refused = await askHub(['storage', 'reconcile'], { cwd, env })
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringMatching(unknown) })
  })

  it('a gate fetches keys from its hub, and reaches its storage', async ({ onTestFinished }) => {
    const upstream = createServer(world.issuer.issue({ names: ['localhost'] }), (_, response) =>
      response.end('from the storage'),
    )
    onTestFinished(() => upstream.close().closeAllConnections())
    await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', () => done()))
    const { port: upstreamPort } = upstream.address() as AddressInfo
    const port = await freePort()
    const args = ['gate', '--port', `${port}`, '--cas-url', world.casUrl]
    const { output } = await world.serving(
      trusting([...args, '--upstream', `https://localhost:${upstreamPort}/{repo}/{ref}`]),
    )
    expect(output().stderr).not.toContain('cannot be fetched')
    const token = await askTrusting(['token', 'read', target, '--json'])
    const { accessToken, casUrl } = JSON.parse(token.stdout)
    const { pathname } = new URL(casUrl)
    const answer = await fetch(`http://127.0.0.1:${port}${pathname}/v1/chunks/default/x`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect([answer.status, await answer.text()]).toEqual([200, 'from the storage'])
  })

  it('a gate that does not trust its hub says in its log why, and what to do', async ({
    expect,
  }) => {
    const args = ['gate', '--port', '0', '--cas-url', world.casUrl, '--hub', world.hub]
    const { output } = await world.serving([
      ...args,
      '--upstream',
      'http://127.0.0.1:9/{repo}/{ref}',
    ])
    await expect
      .poll(() => output().stdout)
      .toMatch(/"event":"keys_not_fetched"[^\n]*--ca-cert FILE/)
  })
})

function leaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
}

function nameOf(command: Command): string {
  const { parent } = command
  return parent === null ? '' : `${nameOf(parent)} ${command.name()}`.trim()
}
