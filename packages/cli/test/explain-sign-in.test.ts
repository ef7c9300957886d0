/** `latchkey explain sign-in`: with the settings of a file, and a hub's over its admin API. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { latchkeyHere } from './run-here.ts'
import { temporaryDirectory } from './run-latchkey.ts'
import { hubHere } from './serve-here.ts'

const provider = {
  ...{ name: 'corp', issuer: 'https://login.example', clientId: 'latchkey' },
  ...{ groupsClaim: 'groups', groups: ['models'] },
}
const claims = { iss: provider.issuer, sub: 'ada-1', preferred_username: 'ada', groups: ['models'] }

it('says what a sign-in would end with, on the machine of the hub and on another', async () => {
  const cwd = temporaryDirectory()
  const clientSecretFile = join(cwd, 'secret')
  writeFileSync(clientSecretFile, 'x')
  const identity = { providers: [{ ...provider, clientSecretFile }] }
  writeFileSync(join(cwd, 'hub.json'), JSON.stringify({ identity }))
  writeFileSync(join(cwd, 'claims.json'), JSON.stringify(claims))
  await latchkeyHere(['account', 'create', 'root', '--administrator'], { cwd })
  const explain = (given: string, place: readonly string[], env = {}) =>
    latchkeyHere(['explain', 'sign-in', 'corp', '--claims', given, ...place], { cwd, env })

  const here = await explain('claims.json', ['--config', 'hub.json'])
  expect([here.code, here.stderr]).toEqual([0, ''])
  expect(here.stdout).toContain('✓ condition  one of the groups is allowed')
  expect(here.stdout).toContain('✗ fresh      the id token has no auth_time')
  expect(here.stdout).toContain('allowed: The sign-in would open a session')
  const refused = await explain(JSON.stringify({ ...claims, groups: [] }), ['--config', 'hub.json'])
  expect([refused.code, refused.stdout]).toEqual([
    ...[1, expect.stringContaining('none of the groups is allowed')],
  ])

  const make = ['hub-token', 'create', 'root', 'admin', '--kind', 'admin', '--json']
  const { token } = JSON.parse((await latchkeyHere(make, { cwd })).stdout)
  const hub = await hubHere(join(cwd, 'latchkey-data'), { config: join(cwd, 'hub.json') })
  try {
    const there = await explain('claims.json', ['--hub', hub.url], { LATCHKEY_HUB_TOKEN: token })
    expect([there.code, there.stdout]).toEqual([0, here.stdout])
  } finally {
    await hub.stop()
  }
  for (const [given, told] of [
    ['absent.json', 'there is no such file'],
    ['{"iss":', '--claims'],
  ] as const) {
    const wrong = await explain(given, ['--config', 'hub.json'])
    expect([wrong.code === 0, wrong.stderr]).toEqual([false, expect.stringContaining(told)])
  }
})
