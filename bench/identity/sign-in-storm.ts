/** Many people who sign in a browser and a program at one hub, each from an address of its own, at a steady rate. */

import { setTimeout as delay } from 'node:timers/promises'

export interface StormOrder {
  readonly port: number
  readonly hubTokens: readonly string[]
  readonly signIns: number
  readonly milliseconds: number
}

export interface StormResult {
  /** The milliseconds of each sign-in, of browser and program together. */
  readonly took: readonly number[]
  readonly failures: readonly string[]
}

type Form = Readonly<Record<string, string>>

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

async function signIn(origin: string, hubToken: string, index: number): Promise<void> {
  const address = `198.18.${Math.floor(index / 250) % 256}.${(index % 250) + 1}`
  const common = { 'x-forwarded-for': address, accept: 'text/html' }
  const send = async (path: string, form: Form, more: Form = {}) => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { ...common, 'sec-fetch-site': 'same-origin', ...more },
      body: new URLSearchParams(form),
      redirect: 'manual',
    })
    const text = await response.text()
    if (response.status >= 400) throw new Error(`${path} has status ${response.status}: ${text}`)
    return { text, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
  }
  const { cookie } = await send('/login', { token: hubToken })
  const client = { client_id: 'latchkey' }
  const { device_code, user_code } = JSON.parse((await send('/oauth/device', client)).text)
  const page = await fetch(`${origin}/device`, { headers: { ...common, cookie } })
  const csrf = /name="csrf" value="([\w-]+)"/.exec(await page.text())?.[1] ?? ''
  await send('/device', { csrf, user_code, decision: 'approve' }, { cookie })
  const { text } = await send('/oauth/token', { ...client, grant_type: deviceGrant, device_code })
  if (JSON.parse(text).access_token === undefined) throw new Error('the program got no hub token')
}

async function storm({ port, hubTokens, signIns, milliseconds }: StormOrder): Promise<StormResult> {
  const took: number[] = []
  const failures: string[] = []
  const started = performance.now()
  const running: Promise<void>[] = []
  for (let index = 0; index < signIns; index += 1) {
    const dueMs = started + (index * milliseconds) / signIns
    await delay(Math.max(0, dueMs - performance.now()))
    const hubToken = hubTokens[index % hubTokens.length] ?? ''
    const one = signIn(`http://127.0.0.1:${port}`, hubToken, index).then(
      () => void took.push(performance.now() - dueMs),
      (error) => void failures.push(error instanceof Error ? error.message : String(error)),
    )
    running.push(one)
  }
  await Promise.all(running)
  return { took, failures }
}

process.on('message', async (order: StormOrder) => {
  process.send?.(await storm(order))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
