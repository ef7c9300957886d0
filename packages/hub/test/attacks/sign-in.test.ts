/** Attacks on a sign-in that a lax provider, or one beside the chosen one, would let through. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Browser, openSignIn, publicUrl, type SignInWorld } from '../sign-in/open-sign-in.ts'

let world: SignInWorld
let browser: Browser
beforeAll(async () => {
  world = await openSignIn()
})
afterAll(() => world?.close())
beforeEach(() => {
  world.reset()
  browser = world.browser()
})

const refused = { status: 400, session: undefined }

/** What the hub asks the provider for, with other parameters; undefined leaves one out. */
function changed(address: string, parameters: Readonly<Record<string, string | undefined>>) {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url
}

// conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
test('each attempt has a state, a nonce and an S256 challenge of its own', async () => {
  const asked = async () => new URL(await world.browser().upToProvider()).searchParams
  const [one, other] = [await asked(), await asked()]
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(one.get(name)).toMatch(/^[\w-]{43}$/)
    expect(one.get(name)).not.toBe(other.get(name))
  }
  expect(one.get('code_challenge_method')).toBe('S256')
})

// conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
test.each([
  ['another nonce', 'a-nonce-of-the-attacker'],
  ['no nonce', undefined],
])('an id token with %s opens no session', async (_, nonce) => {
  const address = changed(await browser.upToProvider(), { nonce })
  const back = await browser.throughProvider(address.href)
  expect(await browser.end(back)).toMatchObject(refused)
})

// conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
test('a provider cannot have another provider answer for it', async () => {
  // The provider that was chosen sends the browser on, with all that the hub has asked it for.
  const redirect_uri = `${publicUrl}/login/corp/callback`
  const address = changed(await browser.upToProvider('/login/other'), { redirect_uri })
  const { origin, host } = new URL(world.corp.issuer)
  const sentOn = address.href.replace(new URL(world.other.issuer).host, host)
  expect(sentOn).toContain(origin)
  const back = await browser.throughProvider(sentOn)
  expect(back).toContain('/login/corp/callback?code=')
  expect(await browser.end(back)).toMatchObject(refused)
})

// conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
test('a response counts once, also where the provider takes its code twice', async () => {
  let kept = ''
  world.corp.intercept = (_, response) => {
    const end = response.end.bind(response)
    Object.assign(response, {
      end(body: unknown) {
        kept = String(body)
        return end(body)
      },
    })
    return false
  }
  const back = await browser.upToCallback()
  const sealed = browser.hubJar().get('__Host-latchkey-sign-in') ?? ''
  expect((await browser.end(back)).status).toBe(303)
  world.corp.intercept = (_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(kept)
    return true
  }
  const thief = world.browser()
  thief.hubJar().set('__Host-latchkey-sign-in', sealed)
  expect(await thief.end(back)).toMatchObject(refused)
})

// conformance: Attacks / 78. An attacker profits from memberships that ended, or from wrong clocks
test.each([-90, 15 * 60])(
  'a sign-in is not fresh where the clock of the hub differs by %i s from that of the provider',
  async (seconds) => {
    world.aheadSeconds = seconds
    expect((await browser.signIn('/login/corp?fresh=1')).status).toBe(303)
    expect(await browser.isFresh()).toBe(false)
  },
)
