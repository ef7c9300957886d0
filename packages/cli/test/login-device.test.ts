/** `latchkey login` without a hub token: a person approves in a browser, commands renew the login, and a logout ends it. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { clientWorld } from './client-world.ts'
import { end, latchkey, start } from './run-latchkey.ts'

const world = clientWorld()
const kept = '.config/latchkey/credentials.json'
const ownPage = { 'sec-fetch-site': 'same-origin' }

interface Kept {
  readonly hubToken: string
  readonly refreshToken: string
  readonly expiresAt: number
}

function keptIn(cwd: string): Kept {
  return JSON.parse(readFileSync(join(cwd, kept), 'utf8')).hubs[world.hub]
}

/** As if it had been there for almost a week, or longer. */
function age(cwd: string, seconds: number): void {
  const credentials = JSON.parse(readFileSync(join(cwd, kept), 'utf8'))
  credentials.hubs[world.hub].expiresAt = Math.floor(Date.now() / 1000) + seconds
  writeFileSync(join(cwd, kept), `${JSON.stringify(credentials, undefined, 2)}\n`)
}

async function send(path: string, form: Record<string, string>, cookie = ''): Promise<Response> {
  return fetch(world.hub + path, {
    method: 'POST',
    headers: { ...ownPage, cookie },
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
}

/** A person clicks this. */
async function decide(code: string, decision: string): Promise<void> {
  const signedIn = await send('/login', { token: world.tokenOf('laptop') })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const page = await fetch(`${world.hub}/device`, { headers: { cookie } })
  const csrf = /name="csrf" value="([\w-]+)"/.exec(await page.text())?.[1] ?? ''
  const decided = await send('/device', { csrf, user_code: code, decision }, cookie)
  expect(decided.status).toBe(200)
}

/** Gives the exit code and what the command told. */
async function logIn(cwd: string, decision = 'approve') {
  const child = start(['login', '--hub', world.hub], { cwd })
  let told = ''
  const code = new Promise<string>((resolve) => {
    child.stderr?.on('data', (part) => {
      told += part
      const [, found] = /shows the code ([A-Z]{4}-[A-Z]{4})/.exec(told) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
  await decide(await code, decision)
  const exitCode = await exited
  await end(child)
  return { exitCode, told }
}

describe('a login in a browser', () => {
  let cwd: string
  beforeAll(() => {
    cwd = world.home()
  })
  const whoami = () => latchkey(['whoami'], { cwd })

  it('shows an address and a code, and is kept once a person has approved', async () => {
    const { exitCode, told } = await logIn(cwd)
    expect(told).toContain(`${world.hub}/device?user_code=`)
    expect(told).toContain('logged in to')
    expect(exitCode).toBe(0)
    const { hubToken, refreshToken, expiresAt } = keptIn(cwd)
    expect(refreshToken).toMatch(/^lkr_/)
    expect(expiresAt - Date.now() / 1000).toBeGreaterThan(6 * 86_400)
    expect(told).not.toContain(hubToken.slice(4, 20))
    expect(told).not.toContain(refreshToken.slice(4, 20))
    expect(await whoami()).toMatchObject({ code: 0 })
  })

  it('is renewed by commands at once, when its hub token ends soon', async () => {
    const before = keptIn(cwd)
    age(cwd, 3600)
    const ends = await Promise.all([whoami(), whoami(), whoami()])
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(ends.map(() => [0, '']))
    const after = keptIn(cwd)
    expect(after.hubToken).not.toBe(before.hubToken)
    expect(after.refreshToken).not.toBe(before.refreshToken)
    await whoami()
    expect(keptIn(cwd)).toEqual(after)
  })

  it('ends at the hub with a logout', async () => {
    const { hubToken, refreshToken } = keptIn(cwd)
    const { stderr } = await latchkey(['logout'], { cwd })
    expect(stderr).toBe(`logged out of ${world.hub}; the hub has revoked this sign-in\n`)
    expect(existsSync(join(cwd, kept))).toBe(false)
    const headers = { authorization: `Bearer ${hubToken}` }
    expect((await fetch(`${world.hub}/api/whoami`, { headers })).status).toBe(401)
    const form = { grant_type: 'refresh_token', client_id: 'latchkey', refresh_token: refreshToken }
    expect((await send('/oauth/token', form)).status).toBe(400)
  })

  it('that was denied keeps nothing', async () => {
    const { exitCode, told } = await logIn(cwd, 'deny')
    expect(exitCode).toBe(1)
    expect(told).toContain('latchkey: the sign-in was denied in the browser; nothing is stored')
    expect(existsSync(join(cwd, kept))).toBe(false)
  })

  it('that was revoked says so, and how to log in again', async () => {
    const home = world.home()
    await logIn(home)
    await send('/revoke', { token: keptIn(home).refreshToken })
    age(home, -1)
    const { code, stderr } = await latchkey(['whoami'], { cwd: home })
    expect(code).toBe(1)
    expect(stderr).toBe(
      `latchkey: your sign-in at ${world.hub} has ended: it is 60 days old, or it was revoked; run latchkey login --hub ${world.hub}\n`,
    )
  })
})
