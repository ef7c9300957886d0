/** The signature of a secret-scanning partner, at a running hub. */

import { generateKeyPairSync, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { acme } from '@latchkey/testing/hub/acme'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openPartnerKeys } from '../../../src/revocation/report/partner-keys.ts'
import { codeIn, post } from './post.ts'
import { isDead, tokenFor } from './taken-back.ts'

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

function keyFile(keys: Readonly<Record<string, ReturnType<typeof pair>>>): string {
  const file = join(temporaryFolder(), 'keys.json')
  writeKeys(file, keys)
  return file
}

function writeKeys(file: string, keys: Readonly<Record<string, ReturnType<typeof pair>>>): void {
  const public_keys = Object.entries(keys).map(([key_identifier, { publicKey }]) => {
    return {
      key_identifier,
      key: publicKey.export({ type: 'spki', format: 'pem' }),
      is_current: true,
    }
  })
  writeFileSync(file, JSON.stringify({ public_keys }))
}

function signed(body: string, identifier: string, { privateKey }: ReturnType<typeof pair>) {
  return {
    headers: {
      'Github-Public-Key-Identifier': identifier,
      'Github-Public-Key-Signature': sign('sha256', Buffer.from(body), privateKey).toString(
        'base64',
      ),
    },
  }
}

async function start(partnerKeys: string): Promise<World> {
  const world = await startWorld(acme, { revoke: { partnerKeys } })
  onTestFinished(() => world.close())
  return world
}

const mine = (world: World) => tokenFor(world, 'read models/acme/bert@main', 'writer/write')

/** As a partner sends it. */
const listOf = (token: string) =>
  JSON.stringify([{ token, type: 'latchkey', url: 'https://x.example', source: 'content' }])

describe('with the keys of a partner', () => {
  test('a list that is not signed, or not rightly, is refused and takes nothing back', async () => {
    const key = pair()
    const world = await start(keyFile({ one: key }))
    const token = await mine(world)
    const body = listOf(token)
    const refused = [403, 'signature_invalid']
    const right = signed(body, 'one', key).headers
    const wrong: readonly Readonly<Record<string, string>>[] = [
      {},
      { 'Github-Public-Key-Identifier': 'one' },
      { 'Github-Public-Key-Signature': right['Github-Public-Key-Signature'] },
      { ...right, 'Github-Public-Key-Identifier': 'other' },
      { ...right, 'Github-Public-Key-Signature': 'AAAA' },
      signed(`${body} `, 'one', key).headers,
      signed(body, 'one', pair()).headers,
    ]
    for (const headers of wrong) {
      const answer = await post(world, body, { headers })
      expect(codeIn(answer)).toEqual(refused)
      expect(answer.headers.has('www-authenticate')).toBe(false)
      expect(answer.text).toContain('{\\"tokens\\":[\\"…\\"]}')
    }
    expect(await isDead(world, token)).toBe(false)
    expect((await post(world, body, { headers: right })).status).toBe(202)
    expect(await isDead(world, token)).toBe(true)
  })

  test('reports of another form need no signature', async () => {
    const world = await start(keyFile({ one: pair() }))
    const token = await mine(world)
    expect((await post(world, { tokens: [token] })).status).toBe(202)
    expect(await isDead(world, token)).toBe(true)
  })

  test('a new key in the file counts without a restart, a file that breaks changes nothing', async () => {
    const [one, two] = [pair(), pair()]
    const file = keyFile({ one })
    const world = await start(file)
    const body = listOf('anything')
    const status = async (identifier: string, key: ReturnType<typeof pair>) =>
      (await post(world, body, signed(body, identifier, key))).status
    writeFileSync(file, '{')
    world.passSeconds(60)
    expect([await status('two', two), await status('one', one)]).toEqual([403, 202])
    writeKeys(file, { two })
    expect(await status('two', two)).toBe(403)
    world.passSeconds(60)
    expect([await status('two', two), await status('one', one)]).toEqual([202, 403])
  })
})

test('without keys a list needs no signature', async () => {
  const world = await startWorld(acme)
  onTestFinished(() => world.close())
  const token = await mine(world)
  expect((await post(world, listOf(token))).status).toBe(202)
  expect(await isDead(world, token)).toBe(true)
})

test.each([
  ['is not there', undefined],
  ['is no JSON', '{'],
  ['has no keys', '{"public_keys":[]}'],
  ['has something else than a key', '{"public_keys":[{"key_identifier":"a","key":"b"}]}'],
  ['has a key of another kind', JSON.stringify({ public_keys: [rsa()] })],
])('a hub does not start with a file that %s, and says what belongs there', async (_, text) => {
  const file = join(temporaryFolder(), 'keys.json')
  if (text !== undefined) writeFileSync(file, text)
  const started = startWorld(acme, { revoke: { partnerKeys: file } })
  await expect(started).rejects.toThrow(/revoke\.partnerKeys: .*keys\.json.*"key_identifier"/)
})

/** Published with the description of the interface. */
test('the example of the interface verifies, and not with another byte', () => {
  const file = join(temporaryFolder(), 'keys.json')
  const identifier = '90a421169f0a406205f1563a953312f0be898d3c7b6c06b681aa86a874555f4a'
  const key = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9MJJHnMfn2+H4xL4YaPDA4RpJqUq
kCmRCBnYERxZanmcpzQSXs1X/AljlKkbJ8qpVIW4clayyef9gWhFbNHWAA==
-----END PUBLIC KEY-----
`
  writeFileSync(file, JSON.stringify({ public_keys: [{ key_identifier: identifier, key }] }))
  const verify = openPartnerKeys(file, () => 0)
  const signature =
    'MEUCIQDKZokqnCjrRtw0tni+2Ltvl/uiMJ1EGumEsp1BsNr32AIgQY1YXD2nlj+XNfGK4rBfkMJ1JDOQcYXxa2sY8FNkrKc='
  const body = (url: string) =>
    Buffer.from(`[{"token":"some_token","type":"some_type","url":"${url}"}]`)
  expect(verify({ identifier, signature, body: body('some_url') })).toBe(true)
  expect(verify({ identifier, signature, body: body('some_uri') })).toBe(false)
})

function rsa(): object {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { key_identifier: 'a', key: publicKey.export({ type: 'spki', format: 'pem' }) }
}
