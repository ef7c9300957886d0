/** An account manages its own hub tokens and sessions on the command line, with `--mine` and `session`. */

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { clientWorld } from './client-world.ts'
import { latchkeyHere } from './run-here.ts'
import { end, start } from './run-latchkey.ts'

const world = clientWorld()
const ownPage = { 'sec-fetch-site': 'same-origin' }

let cwd: string
beforeAll(async () => {
  cwd = world.home()
  const login = ['login', '--hub', world.hub, '--token']
  await latchkeyHere(login, { cwd, input: world.tokenOf('laptop') })
})

const ask = (...args: readonly string[]) => latchkeyHere(args, { cwd })

interface Listed {
  readonly id: string
  readonly name: string
  readonly origin?: string
}

async function listed(...args: readonly string[]): Promise<readonly Listed[]> {
  return JSON.parse((await ask(...args, '--json')).stdout).items
}

async function send(path: string, form: Record<string, string>, cookie = ''): Promise<Response> {
  const body = new URLSearchParams(form)
  const headers = { ...ownPage, cookie }
  return fetch(world.hub + path, { method: 'POST', headers, body, redirect: 'manual' })
}

async function signIn(): Promise<string> {
  const signedIn = await send('/login', { token: world.tokenOf('laptop') })
  return signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

const whoami = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${world.hub}/api/whoami`, { headers })).status
}

/** Gives what the page has shown, and how the command ended. */
async function approve(args: readonly string[], decision = 'approve') {
  const child = start(args, { cwd })
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (part) => {
    output.stdout += part
  })
  const code = new Promise<string>((resolve) => {
    child.stderr?.on('data', (part) => {
      output.stderr += part
      const [, found] = /shows the code ([A-Z]{4}-[A-Z]{4})/.exec(output.stderr) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const cookie = await signIn()
  const account = await fetch(`${world.hub}/device`, { headers: { cookie } })
  const csrf = /name="csrf" value="([\w-]+)"/.exec(await account.text())?.[1] ?? ''
  const form = { csrf, user_code: await code }
  const page = await (await send('/device', form, cookie)).text()
  await send('/device', { ...form, decision }, cookie)
  const exitCode = await exited
  await end(child)
  return { page, exitCode, ...output }
}

describe('with the saved login, a person', () => {
  it('lists and ends the sessions of the account', async () => {
    const cookie = await signIn()
    const [session] = await listed('session', 'list')
    expect((await ask('session', 'revoke', session?.id ?? '')).code).toBe(0)
    const page = await fetch(`${world.hub}/account`, { headers: { cookie }, redirect: 'manual' })
    expect(page.status).toBe(303)
    const absent = await ask('session', 'revoke', 'a'.repeat(26))
    expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('no hub token')])
  })

  it('lists and revokes hub tokens of the account, without rights of an administrator', async () => {
    const all = await listed('hub-token', 'list', '--mine')
    expect(all.map(({ name }) => name).toSorted()).toEqual(['admin', 'laptop', 'reader'])
    const reader = all.find(({ name }) => name === 'reader')
    expect(await ask('hub-token', 'revoke', '--mine', reader?.id ?? '')).toMatchObject({ code: 0 })
    expect(await whoami(world.tokenOf('reader'))).toBe(401)
  })

  it('is told which words do not go together', async () => {
    for (const [args, told] of [
      [['create', '--mine', 'ada', 'x', '--kind', 'read'], 'leave its name out'],
      [['create', '--mine', 'x', '--kind', 'admin'], '--kind: with --mine, give read'],
      [['create', '--mine', 'x', '--kind', 'read', '--admin-scope', 'ref'], '--admin-scope'],
      [['create', '--mine', '--kind', 'read'], "missing required argument 'account'"],
      [['create', 'ada', '--kind', 'read'], "missing required argument 'name'"],
      [['list', '--mine', '--account', 'ada'], '--account'],
      [['list', '--mine', '--data', 'x'], '--data'],
      [['rotate', '--mine', 'x'], '<hubToken>'],
    ] as const) {
      const { code, stderr } = await ask('hub-token', ...args)
      expect([code, stderr], args.join(' ')).toEqual([2, expect.stringContaining(told)])
    }
  })
})

describe('with the approval of a browser, a person', () => {
  const grant = 'read:models/acme/bert@main'
  const end = '2099-01-01T00:00:00Z'

  it('creates a hub token that the page has described, and gives it a new secret', async () => {
    const wish = ['--kind', 'fine-grained', '--grant', grant, '--expires-at', end]
    const file = join(cwd, 'ci.token')
    const made = await approve(['hub-token', 'create', '--mine', 'ci', ...wish, '--output', file])
    for (const shown of ['ci', 'fine-grained', 'read models/acme/bert at main', end]) {
      expect(made.page).toContain(shown)
    }
    expect([made.exitCode, made.stderr]).toEqual([0, expect.stringContaining('is written to')])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const token = readFileSync(file, 'utf8').trim()
    expect(made.stdout + made.stderr).not.toContain(token)
    expect(await whoami(token)).toBe(200)

    const ci = (await listed('hub-token', 'list', '--mine')).find(({ name }) => name === 'ci')
    expect(ci).toMatchObject({ origin: 'self', grants: [{ on: 'models/acme/bert' }] })
    const rotated = await approve(['hub-token', 'rotate', '--mine', ci?.id ?? '', '--json'])
    expect(await whoami(token)).toBe(401)
    expect(await whoami(JSON.parse(rotated.stdout).token)).toBe(200)
  })

  it('denies what somebody else has started', async () => {
    const file = join(cwd, 'none.token')
    const args = ['hub-token', 'create', '--mine', 'none', '--kind', 'read', '--output', file]
    const { exitCode, stderr } = await approve(args, 'deny')
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('the hub token was denied')])
    expect(() => statSync(file)).toThrow()
  })
})
