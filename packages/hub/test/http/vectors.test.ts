/** Sends the token requests of the vectors to a hub, and compares the responses with what they say. */

import { readFileSync } from 'node:fs'
import { unixSeconds } from '@latchkey/protocol'
import { askExactly, claimsOf, hubToken, type Told } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { readKeySet, verifyToken } from '@latchkey/token'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, gist } from './compare.ts'

interface ResponseCase {
  readonly name: string
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string | true | null>>
    readonly token?: {
      readonly scope: string
      readonly repository: string
      readonly ref: string
      readonly commit: string
      readonly lifetimeSeconds: number
    }
    readonly error?: { readonly code: string }
    readonly sameAs?: string
  }
}

interface Group {
  readonly name: string
  readonly options: {
    readonly hidePrivateRepositories?: boolean
    readonly anonymousPublicRead?: boolean
    readonly compatible?: boolean
  }
  readonly apply: readonly object[]
  readonly cases: readonly ResponseCase[]
}

interface Responses {
  readonly now: number
  readonly publicUrl: string
  readonly casUrl: string
  readonly groups: readonly Group[]
}

interface PathCase {
  readonly name: string
  readonly target: string
  readonly error?: string
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8'))
const responses: Responses = read('responses.json')
const paths: { readonly cases: readonly PathCase[] } = read('paths.json')

async function open({ options: { compatible = false, ...options }, apply }: Group): Promise<World> {
  const { publicUrl, casUrl } = responses
  const change = { publicUrl, casUrl, compat: { huggingface: compatible }, ...options }
  const world = await startWorld(read('world.json'), change)
  expect(world.now()).toBe(responses.now)
  for (const file of apply) await world.apply(file)
  return world
}

function send(world: World, { method, target, headers }: ResponseCase): Promise<Told> {
  const filled = headers.flatMap(([name, value]) => [
    name,
    value.replace(/<(.*)>/, (_, who: string) => hubToken(world, who)),
  ])
  return askExactly(world, target, { method, headers: filled })
}

/** The claims that follow from the case, after the token was verified with the published keys. */
async function expectToken(world: World, told: Told, { token }: ResponseCase['response']) {
  if (token === undefined) throw new Error('the case has no token')
  const [, type, id] = /^(\w+)s\/(.*)$/.exec(token.repository) ?? []
  const { json } = await askExactly(world, '/.well-known/jwks.json')
  const audience = responses.casUrl.replace('/{repo}/{ref}', '')
  const verified = await verifyToken(told.json.accessToken ?? '', {
    ...{ keys: await readKeySet(json), issuer: responses.publicUrl, audience },
    ...{ leewaySeconds: 0, now: unixSeconds(responses.now) },
  })
  expect(verified.ok).toBe(true)
  const claims = claimsOf(told)
  expect(claims).toMatchObject({
    scope: token.scope,
    repo: { type, id },
    ref: { name: token.ref },
    commit: token.commit,
    exp: responses.now + token.lifetimeSeconds,
  })
  const { repo, ref } = claims as { repo: { uid: string }; ref: { uid: string } }
  const { accessToken, exp, casUrl = '', ...others } = told.json
  expect({ accessToken: typeof accessToken, exp, others }).toEqual({
    ...{ accessToken: 'string', exp: claims['exp'], others: {} },
  })
  // A number follows once content was deleted.
  const address = responses.casUrl.replace('{repo}', repo.uid).replace('{ref}', ref.uid)
  expect(casUrl.replace(/-\d+$/, '')).toBe(address)
}

function expectHeaders(told: Told, { headers }: ResponseCase['response']): void {
  for (const [name, value] of Object.entries(headers)) {
    const found = told.headers.get(name)
    if (value === true) expect(found, name).not.toBeNull()
    else if (value === null || name !== 'WWW-Authenticate') expect(found, name).toBe(value)
    else expect(found === value || found?.startsWith(`${value}, `), `${name}: ${found}`).toBe(true)
  }
}

describe.each(responses.groups)('$name', (group) => {
  let world: World
  beforeAll(async () => {
    world = await open(group)
  })
  afterAll(() => world.close())

  test.each(group.cases)('$name', async (one) => {
    const told = await send(world, one)
    const { status, token, error, sameAs } = one.response
    expect(told.status).toBe(status)
    expectHeaders(told, one.response)
    if (token !== undefined) await expectToken(world, told, one.response)
    else if (error === undefined) expect(told.text).toBe('')
    else expect(told.json).toMatchObject({ status, ...error })
    if (sameAs === undefined) return
    const other = group.cases.find(({ name }) => name === sameAs)
    if (other === undefined) throw new Error(`there is no case ${sameAs}`)
    expect(gist(told)).toEqual(gist(await send(world, other)))
  })
})

describe('a compatible hub', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(read('world.json'), { compat: { huggingface: true } })
  })
  afterAll(() => world.close())

  test('asks for a hub token where a target names a token, and knows no route elsewhere', async () => {
    expect(paths.cases.length).toBeGreaterThan(100)
    for (const { name, target, error } of paths.cases) {
      const expected = error === undefined ? [401, 'hub_token_missing'] : [404, error]
      expect(codeOf(await askExactly(world, target)), name).toEqual(expected)
    }
  })
})
