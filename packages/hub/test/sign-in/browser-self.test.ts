/** A person gives a program a hub token, and manages a namespace, in a real browser. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type RunningHub, type Store, startHub } from '@latchkey/hub'
import { systemClock } from '@latchkey/service/machine/time'
import { hasNoBrowser, openBrowser } from '@latchkey/testing/browser/open-browser'
import { openPage } from '@latchkey/testing/browser/open-page'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { freePort } from '@latchkey/testing/machine/free-port'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postForm } from '../oauth/sign-in-device.ts'
import { asByProvider } from './browser.ts'

if (hasNoBrowser) console.warn('SKIPPED: chromium is not installed, so nobody approves a hub token')

describe.skipIf(hasNoBrowser)('in a browser, a person', () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-self-'))
  let publicUrl = ''
  let token = ''
  let hub: RunningHub
  let store: Store
  let browser: Browser
  beforeAll(async () => {
    const port = await freePort()
    publicUrl = `http://127.0.0.1:${port}`
    const settings = testSettings(data, { port, publicUrl })
    hub = await startHub(settings)
    store = await openStore(settings, { create: false })
    const run = verbRunner({ ...store, data }, systemClock)
    for (const name of ['ada', 'eve']) await run('account create', { name })
    await run('namespace create', { name: 'acme' })
    await run('member set', { namespace: 'acme', account: 'ada', role: 'admin' })
    const laptop = { account: 'ada', name: 'laptop', kind: 'write' }
    token = String(Object(await run('hub-token create', laptop)).token)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await hub?.stop()
    await store?.close()
    rmSync(data, { recursive: true, force: true })
  })

  test('approves what the page describes, and changes a member, without a script or a complaint', async () => {
    const wish = { type: 'hub-token-create', name: 'ci', kind: 'read' }
    const authorization_details = JSON.stringify([wish])
    const client = { client_id: 'latchkey' }
    const started = await postForm({ hub }, '/oauth/device', { ...client, authorization_details })
    const { page, said } = await openPage(
      browser,
      String(started.json['verification_uri_complete']),
    )
    await page.getByLabel('Hub token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('every repository that the account may read').waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    const made = await postForm({ hub }, '/oauth/token', {
      ...client,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: String(started.json['device_code']),
    })
    const headers = { authorization: `Bearer ${made.json['access_token']}` }
    expect((await fetch(`${publicUrl}/api/whoami`, { headers })).status).toBe(200)

    await asByProvider({ store })
    await page.getByRole('link', { name: 'Signed in as ada' }).click()
    await page.getByRole('link', { name: 'acme' }).click()
    await page.getByText('Make an account a member').click()
    await page.getByRole('textbox', { name: 'Account' }).fill('eve')
    await page.getByRole('combobox', { name: 'Role' }).selectOption('write')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Delete eve' }).waitFor()
    expect(await page.evaluate('document.scripts.length')).toBe(0)
    expect(said).toEqual([])
  })
})
