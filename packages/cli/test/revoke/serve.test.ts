/** What `latchkey serve` is told about reports of leaked tokens. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { serve, temporaryDirectory } from '../run-latchkey.ts'
import { hubHere } from '../serve-here.ts'

async function post(url: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(`${url}/revoke`, sent)).status
}

it('reports are taken unless it is turned off', async () => {
  const cwd = temporaryDirectory()
  const on = await hubHere(join(cwd, 'latchkey-data'))
  onTestFinished(on.stop)
  expect(await post(on.url, { token: 'anything' })).toBe(202)
  const off = await serve(['--no-storage', '--no-revoke-enabled'], { cwd })
  expect(await post(off.url, { token: 'anything' })).toBe(404)
})

it('keys of a partner that cannot be read are told in one line, and end it with 3', async () => {
  const cwd = temporaryDirectory()
  const keys = join(cwd, 'keys.json')
  writeFileSync(keys, '{"public_keys":"none"}')
  const ended = await latchkeyHere(
    ['serve', '--port', '0', '--no-storage', '--revoke-partner-keys', keys],
    { cwd },
  )
  expect(ended.code).toBe(3)
  expect(ended.stderr).toMatch(/^latchkey: revoke\.partnerKeys: [^\n]*keys\.json[^\n]*\n$/m)
})
