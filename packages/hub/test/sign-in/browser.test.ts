/** A person signs in by a real provider, in a real browser. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningHub, startHub } from '@latchkey/hub'
import { hasNoBrowser, openBrowser } from '@latchkey/testing/browser/open-browser'
import { openPage } from '@latchkey/testing/browser/open-page'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { freePort } from '@latchkey/testing/machine/free-port'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProvider, type TestProvider } from './provider.ts'

if (hasNoBrowser) console.warn('SKIPPED: chromium is not installed, so nobody signs in')

describe.skipIf(hasNoBrowser)('in a browser, a person', () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-sign-in-'))
  let publicUrl = ''
  let provider: TestProvider
  let hub: RunningHub
  let browser: Browser
  beforeAll(async () => {
    const port = await freePort()
    publicUrl = `http://127.0.0.1:${port}`
    provider = await startProvider([`${publicUrl}/login/corp/callback`])
    provider.people.set('ada-1', { preferred_username: 'ada', groups: ['models'] })
    const clientSecretFile = join(data, 'client-secret')
    writeFileSync(clientSecretFile, provider.clientSecret)
    const { issuer, clientId } = provider
    const corp = {
      ...{ name: 'corp', issuer, clientId, clientSecretFile, scopes: ['openid', 'profile'] },
      ...{ nameClaim: 'preferred_username', groupsClaim: 'groups', groups: ['models'], claims: {} },
    }
    const change = { port, publicUrl, identity: { providers: [corp] } }
    hub = await startHub(testSettings(data, change))
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await hub?.stop()
    await provider?.close()
    rmSync(data, { recursive: true, force: true })
  })

  test('signs in, creates a hub token after a new proof, revokes it and signs out, without a script or a complaint', async () => {
    const { page, said } = await openPage(browser, `${publicUrl}/account`)
    await page.getByRole('link', { name: 'Sign in with corp' }).click()
    await page.getByLabel('Account').fill('ada-1')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor()
    expect(page.url()).toBe(`${publicUrl}/account`)
    // The provider listens on the same host, so its cookies are listed too.
    const ofHub = async () => {
      const all = await page.context().cookies(publicUrl)
      return all.filter(({ name }) => name.startsWith('latchkey'))
    }
    const [cookie] = await ofHub()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', name: 'latchkey-session' })
    expect(await page.evaluate('document.cookie')).not.toContain('latchkey')

    await page.getByRole('link', { name: 'Sign in again' }).click()
    await page.getByRole('link', { name: 'Sign in with corp' }).click()
    await page.getByLabel('Account').fill('ada-1')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Name').fill('notebook')
    await page.getByLabel('Kind').selectOption('read')
    await page.getByRole('button', { name: 'Create' }).click()
    const token = (await page.locator('#token').textContent()) ?? ''
    const headers = { authorization: `Bearer ${token}` }
    const whoami = () => fetch(`${publicUrl}/api/whoami`, { headers })
    expect((await whoami()).status).toBe(200)

    await page.getByRole('link', { name: 'Your account' }).click()
    await page.getByRole('button', { name: 'Revoke notebook' }).click()
    await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor()
    expect((await whoami()).status).toBe(401)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in with corp' }).waitFor()
    expect(await ofHub()).toEqual([])
    expect(await page.evaluate('document.scripts.length')).toBe(0)
    expect(said).toEqual([])
  })
})
