/** The unmodified `hf`: it signs in with a real browser, renews its hub token, and loses it when the device is revoked. */

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasNoBrowser, openBrowser, patienceMs } from '@latchkey/testing/browser/open-browser'
import { openPage } from '@latchkey/testing/browser/open-page'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hubWithForge } from '../forge/hub-with-forge.ts'

const environment = pythonClients.at(-1)
const hasPython = environment !== undefined && isInstalled(environment)
if (!hasPython) console.warn('NOT TESTED: huggingface_hub is not installed, so hf does not sign in')
if (hasNoBrowser) console.warn('NOT TESTED: chromium is not installed, so nobody approves a device')
const hasGit = findProgram('git') !== undefined
const run = promisify(execFile)
const patience = { timeout: 5 * patienceMs }

interface Stored {
  readonly token: string
  readonly refreshToken: string
  readonly expiresAt: number
}

describe.skipIf(!hasPython || hasNoBrowser || !hasGit)('hf', () => {
  const hub = hubWithForge()
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  }, patienceMs)
  afterAll(() => browser?.close())

  const home = (name: string) => join(hub.cwd, name)
  const around = (name: string) => ({
    ...{ HOME: home(name), HF_HOME: join(home(name), 'hf'), HF_ENDPOINT: hub.url },
    ...{ PATH: process.env['PATH'] ?? '', NO_COLOR: '1' },
    ...{ HF_HUB_DISABLE_TELEMETRY: '1', HF_HUB_DISABLE_PROGRESS_BARS: '1' },
  })
  const program = join(environment?.folder ?? '', 'bin/hf')

  const hf = (name: string, ...args: readonly string[]) =>
    run(program, args, { env: around(name), cwd: hub.cwd })

  /** In Python, which tells the token that a request would have. */
  async function tokenOf(name: string): Promise<string> {
    const code = 'from huggingface_hub import get_token; print(get_token())'
    const { stdout } = await run(environment?.python ?? '', ['-c', code], { env: around(name) })
    return stdout.trim()
  }

  const fileOf = (name: string) => join(home(name), 'hf/stored_tokens')

  function stored(name: string): Stored {
    const text = readFileSync(fileOf(name), 'utf8')
    const field = (key: string) => new RegExp(`^${key} = (.*)$`, 'm').exec(text)?.[1] ?? ''
    expect(text).toMatch(/^\[oauth-ada\]$/m)
    return {
      token: field('hf_token'),
      refreshToken: field('refresh_token'),
      expiresAt: Number(field('expires_at')),
    }
  }

  /** The client renews a hub token with less than a day left. */
  function endSoon(name: string): void {
    const text = readFileSync(fileOf(name), 'utf8')
    const soon = Math.floor(Date.now() / 1000) + 3600
    writeFileSync(fileOf(name), text.replace(/^expires_at = .*$/m, `expires_at = ${soon}`))
  }

  async function whoamiStatus(token: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${hub.url}/api/whoami-v2`, { headers })).status
  }

  /** As a person does it: opens the address that the program printed, signs in, compares, approves. */
  async function approve(address: string, code: string): Promise<void> {
    const { page } = await openPage(browser, address)
    await page.fill('input[name=token]', hub.tokens['ada'] ?? '')
    await page.click('button[type=submit]')
    expect(await page.inputValue('input[name=user_code]')).toBe(code)
    await page.click('main button[type=submit]')
    await page.waitForSelector('button[value=approve]')
    const text = await page.innerText('main')
    for (const shown of ['Hugging Face', '127.0.0.1', 'ada', code]) expect(text).toContain(shown)
    await page.click('button[value=approve]')
    await page.waitForSelector('text=is signed in as')
  }

  function addressIn(child: ChildProcess): Promise<readonly [string, string]> {
    let text = ''
    return new Promise((resolve, reject) => {
      child.stdout?.on('data', (part) => {
        text += part
        const [, address] = /(http:\S+\/device\S+)/.exec(text) ?? []
        const [, code] = /enter the code: (\S+)/.exec(text) ?? []
        if (address !== undefined && code !== undefined) resolve([address, code])
      })
      child.on('exit', () => reject(new Error(`no address in ${text}`)))
    })
  }

  test(
    'signs in once a person has approved in a browser, and is filed by account',
    patience,
    async () => {
      const env = { ...around('laptop'), PYTHONUNBUFFERED: '1' }
      const child = spawn(program, ['auth', 'login'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
      const ended = new Promise((resolve) => child.on('exit', resolve))
      const [address, code] = await addressIn(child)
      await approve(address, code)
      expect(await ended).toBe(0)
      const { token, refreshToken, expiresAt } = stored('laptop')
      expect(token).toMatch(/^hf_/)
      expect(refreshToken).toMatch(/^lkr_/)
      expect(expiresAt - Date.now() / 1000).toBeGreaterThan(6 * 86_400)
      expect((await hf('laptop', 'auth', 'whoami')).stdout).toContain('ada')
    },
  )

  test('uses its hub token to make a repository and upload', patience, async () => {
    await hf('laptop', 'repos', 'create', 'acme/by-device')
    writeFileSync(join(hub.cwd, 'note.txt'), 'from a device')
    await hf('laptop', 'upload', 'acme/by-device', 'note.txt')
    const headers = { authorization: `Bearer ${hub.tokens['ada']}` }
    const file = await fetch(`${hub.url}/acme/by-device/resolve/main/note.txt`, { headers })
    expect(await file.text()).toBe('from a device')
  })

  test(
    'renews it: two processes at once, and two machines with the same login, get one pair',
    patience,
    async () => {
      const before = stored('laptop')
      endSoon('laptop')
      cpSync(home('laptop'), home('copy'), { recursive: true })
      const tokens = await Promise.all(['laptop', 'laptop', 'copy'].map(tokenOf))
      expect(new Set(tokens).size).toBe(1)
      expect(tokens[0]).not.toBe(before.token)
      const after = stored('laptop')
      expect(after.token).toBe(tokens[0])
      expect(after.refreshToken).not.toBe(before.refreshToken)
      expect(stored('copy')).toMatchObject({ token: after.token, refreshToken: after.refreshToken })
      expect(after.expiresAt - Date.now() / 1000).toBeGreaterThan(6 * 86_400)
      // Uploads that run hold the hub token before.
      expect([await whoamiStatus(before.token), await whoamiStatus(after.token)]).toEqual([
        200, 200,
      ])
    },
  )

  test(
    'loses its hub tokens when the device is revoked, and says what to do',
    patience,
    async () => {
      const { token, refreshToken } = stored('laptop')
      const body = new URLSearchParams({ token: refreshToken })
      expect((await fetch(`${hub.url}/revoke`, { method: 'POST', body })).status).toBe(200)
      expect(await whoamiStatus(token)).toBe(401)
      endSoon('laptop')
      const told = await hf('laptop', 'auth', 'whoami').catch((error) => error)
      expect(told.code).toBe(1)
      expect(told.stdout + told.stderr).toContain('session expired or revoked')
    },
  )

  test('logs out on its machine', patience, async () => {
    await hf('laptop', 'auth', 'logout')
    expect(await tokenOf('laptop')).toBe('None')
  })
})
