import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { isRefusal, Secret } from '@latchkey/protocol'
import { freePort } from '@latchkey/testing/machine/free-port'
import { describe, expect, it, onTestFinished } from 'vitest'
import { askAdmin } from '../src/management/remote.ts'
import { commit, directoryText } from './directory-file.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { temporaryDirectory } from './run-latchkey.ts'
import { hubHere } from './serve-here.ts'

const someToken = `lk_${'a'.repeat(49)}`

/** A hub, and how to speak to it from a directory that has no data of its own. */
async function remoteHub() {
  const home = temporaryDirectory()
  const { stdout } = await latchkey(['apply', '-', '--json'], { cwd: home, input: directoryText })
  const tokens: { name: string; token: string }[] = JSON.parse(stdout).hubTokens
  const tokenOf = (wanted: string) => tokens.find(({ name }) => name === wanted)?.token ?? ''
  const { url, stop } = await hubHere(join(home, 'latchkey-data'))
  onTestFinished(stop)
  const cwd = temporaryDirectory()
  const ask = (args: readonly string[], token = tokenOf('admin'), input = '') =>
    latchkey([...args, '--hub', url], { cwd, env: { LATCHKEY_HUB_TOKEN: token }, input })
  return { ask, cwd, url, tokenOf }
}

describe('with --hub', () => {
  it('the verbs work as on the data directory', async () => {
    const { ask } = await remoteHub()
    const pull = ['models/acme/bert', 'refs/pr/1', commit]
    expect(await ask(['ref', 'set', ...pull, '--json'])).toMatchObject({ code: 0, stderr: '' })
    const shown = await ask(['ref', 'show', 'models/acme/bert', 'feature/x'])
    expect(shown.stdout).toMatch(/^NAME +refs\/heads\/feature\/x$/m)
    const rule = await ask(['ref-rule', 'set', 'models/acme/bert', 'hotfix/**', 'admin'])
    expect(rule).toMatchObject({ code: 0 })
    const rules = await ask(['ref-rule', 'list', 'models/acme/bert', '--limit', '1'])
    expect(rules.stdout).toContain('hotfix/**')
    expect(rules.stderr).toContain('These are 1 of 2')
    expect(await ask(['ref-rule', 'delete', 'models/acme/bert', 'hotfix/**'])).toMatchObject({
      code: 0,
    })
    const token = await ask(['hub-token', 'create', 'guest', 'new', '--kind', 'read'])
    expect(token.stdout).toMatch(/^TOKEN +lk_[0-9A-Za-z]{49}$/m)
  })

  it('a hub token that the hub rejects is told by the variable that has it', async () => {
    const { cwd, url } = await remoteHub()
    writeFileSync(join(cwd, 'token'), someToken, { mode: 0o600 })
    const says = (variable: string) =>
      `latchkey: ${url} rejects the hub token from the environment (${variable}): `
    for (const [variable, value] of [
      ['LATCHKEY_HUB_TOKEN', someToken],
      ['LATCHKEY_HUB_TOKEN_FILE', 'token'],
    ] as const) {
      const env = { [variable]: value }
      const { code, stderr } = await latchkey(['repo', 'list', '--hub', url], { cwd, env })
      expect(code).toBe(1)
      expect(stderr).toContain(says(variable))
      expect(stderr).not.toMatch(/Bearer|lk_/)
    }
  })

  it('apply and explain work too, and a mistake in the file is the same line', async () => {
    const { ask } = await remoteHub()
    const explained = await ask([
      'explain',
      'token',
      'read',
      'models/acme/bert@main',
      '--as',
      'guest',
    ])
    expect(explained.code).toBe(1)
    expect(explained.stdout).toContain('refused (permission_denied)')
    const input = JSON.stringify({ accounts: [{ name: 'eve', kind: 'robot' }] })
    const mistaken = await ask(['apply', '-'], undefined, input)
    expect(mistaken).toMatchObject({ code: 2, stdout: '' })
    expect(mistaken.stderr).toMatch(
      /^latchkey: accounts\[0\]\.kind must be one of [^\n]+\(request [^\n]+\) Next: latchkey apply --help\n$/,
    )
    const applied = await ask(
      ['apply', '-'],
      undefined,
      JSON.stringify({ accounts: [{ name: 'eve' }] }),
    )
    expect(applied).toMatchObject({ code: 0 })
    expect(applied.stdout).toContain('eve')
  })

  it('a refusal is one line with the detail and the request id, and ends with 1', async () => {
    const { ask, tokenOf } = await remoteHub()
    for (const token of [someToken, tokenOf('laptop')]) {
      const { code, stdout, stderr } = await ask(['account', 'list'], token)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^latchkey: [^\n]+\(request [^\n]+\n$/)
      expect(stderr).not.toContain(token)
    }
  })

  it('the token may come from a file', async () => {
    const { url, cwd, tokenOf } = await remoteHub()
    writeFileSync(join(cwd, 'token'), `${tokenOf('admin')}\n`, { mode: 0o600 })
    const env = { LATCHKEY_HUB_TOKEN_FILE: 'token' }
    const { code, stdout } = await latchkey(['account', 'list', '--hub', url], { cwd, env })
    expect(code).toBe(0)
    expect(stdout).toContain('guest')
  })
})

describe('a server that is no hub', () => {
  it('is told in one line when nobody answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const { code, stderr } = await ask(url)
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: `latchkey: the hub ${url} cannot be reached (ECONNREFUSED); check --hub, and that the hub runs\n`,
    })
  })

  it('gets no second request when it redirects', async () => {
    let requests = 0
    const url = await server((_, response) => {
      requests += 1
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const { code, stderr } = await ask(url)
    expect(code).toBe(3)
    expect(stderr).toContain('responds with a redirect, which latchkey does not follow')
    expect(requests).toBe(1)
  })

  it.each([
    ['no JSON', (_: unknown, response) => void response.end('<html>')],
    ['an error of its own', (_: unknown, response) => void response.writeHead(502).end('bad')],
    ['JSON that is no answer', (_: unknown, response) => void response.end('"refused"')],
  ] satisfies [string, RequestListener][])('is recognised by %s', async (_, listener) => {
    const url = await server(listener)
    const { code, stderr } = await ask(url)
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /^latchkey: http:\S+ does not respond like a hub[^\n]*, so it may not be one; check --hub\n$/,
    )
  })

  it('cannot fill the memory', async () => {
    const url = await server((_, response) => {
      const pour = () => {
        while (response.write(Buffer.alloc(1 << 20, 32))) {}
      }
      response.on('drain', pour).on('error', () => {})
      pour()
    })
    const { code, stderr } = await ask(url)
    expect(code).toBe(3)
    expect(stderr).toContain('sends a response of more than 32 MiB')
  })

  it.each([200, 409])('cannot make us repeat the hub token with %i', async (status) => {
    const url = await server(({ headers }, response) => {
      const token = headers.authorization?.slice('Bearer '.length) ?? ''
      const told = { code: 'conflict', detail: `no ${token}`, [token]: [{ name: token }] }
      const text = JSON.stringify(told).replaceAll('lk_', '\\u006ck_')
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    })
    const token = new Secret('hub-token', someToken)
    const answer = await askAdmin({ url, token }, 'account list')
    expect(JSON.stringify(answer)).toContain('no [hub-token]')
    expect(JSON.stringify(answer)).not.toContain(someToken)
  })

  it('cannot make an answer that is taken for a refusal of ours', async () => {
    const told = { code: 'conflict', detail: 'no', 'Symbol(latchkey.refusal)': true }
    const url = await server((_, response) => void response.end(JSON.stringify(told)))
    const token = new Secret('hub-token', someToken)
    const answer = await askAdmin({ url, token }, 'account list')
    expect(answer).toEqual(told)
    expect(isRefusal(answer)).toBe(false)
  })

  it('cannot write on the terminal', async () => {
    const url = await server((_, response) => {
      const next = ['account', 'show', '$(x)\u001b[2J']
      const problem = { code: 'conflict', detail: 'a\u001b[2J\nb', requestId: 'x', next }
      response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify(problem))
    })
    const { code, stderr } = await ask(url, '--allow-plain-http')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `latchkey: a [2J b (request x) Next: latchkey account show '$(x) [2J' --hub ${url} --allow-plain-http\n`,
    })
  })
})

function ask(url: string, ...more: readonly string[]) {
  const around = { cwd: temporaryDirectory(), env: { LATCHKEY_HUB_TOKEN: someToken } }
  return latchkey(['account', 'list', '--hub', url, ...more], around)
}

async function server(listener: RequestListener): Promise<string> {
  const listening = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    listening.closeAllConnections()
    listening.close()
  })
  await new Promise((resolve) => listening.once('listening', resolve))
  const address = listening.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
