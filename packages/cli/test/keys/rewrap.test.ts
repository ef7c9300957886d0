/** `latchkey keys rewrap`: another master key, the same signing keys. */

import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parseMasterKey, startHub } from '@latchkey/hub'
import { rounds } from '@latchkey/testing/chance'
import { dump } from '@latchkey/testing/hub/dump'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { copyOfData, sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { latchkey } from '../run-latchkey.ts'

let cwd = ''
let data = ''
const quiet = { write() {}, async close() {} }
const newKey = () => randomBytes(32).toString('base64')

/** Starts a hub as `serve` would; gives the keys that it publishes, or why it does not start. */
async function startedWith(
  env: { readonly LATCHKEY_MASTER_KEY?: string } = {},
): Promise<readonly string[]> {
  const masterKey = parseMasterKey(env.LATCHKEY_MASTER_KEY ?? '')
  const hub = await startHub({ ...testSettings(data), masterKey }, { lines: quiet })
  const response = await fetch(`${hub.url}/.well-known/jwks.json`)
  const { keys } = (await response.json()) as { keys: readonly { kid: string }[] }
  await hub.stop()
  return keys.map(({ kid }) => kid)
}

const run = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  latchkeyHere(['keys', 'rewrap', ...args], { cwd, env })

const inFile = (name = 'master.key') => readFileSync(join(data, name), 'utf8').trim()
const keyFiles = () =>
  readdirSync(data)
    .filter((name) => name.startsWith('master.key'))
    .toSorted()
const sealed = () =>
  (dump(join(data, 'latchkey.db'))['signing_keys'] ?? []).map((row) => row['sealed'])

/** Of a hub that has run once. */
const original = join(sharedFolder(), 'latchkey-data')
let kids: readonly string[] = []
beforeAll(async () => {
  data = original
  kids = await startedWith()
})
beforeEach(() => {
  cwd = temporaryFolder()
  data = copyOfData(original, join(cwd, 'latchkey-data'))
})

describe('a rewrap is refused, and nothing changes', () => {
  async function expectRefused(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    expected: { readonly code: number; readonly stderr: RegExp },
  ): Promise<void> {
    const before = [sealed(), keyFiles()]
    const { code, stderr } = await run(args, env)
    expect([code, stderr]).toEqual([expected.code, expect.stringMatching(expected.stderr)])
    expect([sealed(), keyFiles()]).toEqual(before)
  }

  // conformance: Keys / A change of the master key loses no key
  test('with a wrong old master key', async () => {
    const env = { LATCHKEY_MASTER_KEY: newKey(), LATCHKEY_NEW_MASTER_KEY: newKey() }
    await expectRefused([], env, {
      code: 1,
      stderr: /not the one that the keys are encrypted with; nothing was changed/,
    })
    writeFileSync(join(data, 'master.key'), `${newKey()}\n`)
    await expectRefused([], {}, { code: 1, stderr: /not the one that the keys are encrypted with/ })
  })

  test('with an old one of the environment and nowhere to keep the new one', async () => {
    await expectRefused(
      [],
      { LATCHKEY_MASTER_KEY: inFile() },
      { code: 2, stderr: /LATCHKEY_NEW_MASTER_KEY/ },
    )
  })

  test('with something that is no master key, which is not repeated', async () => {
    const secret = 'short-but-secret'
    const { stderr } = await run([], { LATCHKEY_NEW_MASTER_KEY: secret })
    expect(stderr).not.toContain(secret)
    await expectRefused(
      [],
      { LATCHKEY_NEW_MASTER_KEY: secret },
      {
        code: 2,
        stderr: /LATCHKEY_NEW_MASTER_KEY: this value is not allowed; give 32 bytes in base64/,
      },
    )
  })

  test('with a file that is not there, that others can read, or beside the variable', async () => {
    const file = join(cwd, 'new.key')
    await expectRefused(['--new-key-file', file], {}, { code: 3, stderr: /there is no file/ })
    writeFileSync(file, `${newKey()}\n`)
    chmodSync(file, 0o644)
    await expectRefused(
      ['--new-key-file', file],
      {},
      { code: 3, stderr: /can be read by other users/ },
    )
    chmodSync(file, 0o600)
    await expectRefused(
      ['--new-key-file', file],
      { LATCHKEY_NEW_MASTER_KEY: newKey() },
      { code: 2, stderr: /both given/ },
    )
  })

  test('with --lost, while the old master key opens the keys', async () => {
    await expectRefused(['--lost'], {}, { code: 1, stderr: /opens the keys, so nothing is lost/ })
  })

  test('on the data of a demo', async () => {
    await expectRefused(['--demo', '--data', data], {}, { code: 1, stderr: /belongs to the demo/ })
  })

  test('where there are no keys yet', async () => {
    rmSync(data, { recursive: true })
    await latchkeyHere(['account', 'create', 'ada'], { cwd })
    await expectRefused([], {}, { code: 1, stderr: /There are no keys yet/ })
  })
})

describe('a rewrap keeps every signing key', () => {
  test('with a new master key in the place of the file, and the old one kept beside it', async () => {
    const old = inFile()
    const { code, stderr } = await run()
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /2 signing keys are encrypted with the new master key.*restart each of them/s,
      ),
    ])
    expect(inFile()).not.toBe(old)
    const [, kept = ''] = keyFiles()
    expect(keyFiles()).toEqual([
      'master.key',
      expect.stringMatching(/^master\.key\.old-[0-9a-f]{8}$/),
    ])
    expect(inFile(kept)).toBe(old)
    for (const name of keyFiles()) expect(statSync(join(data, name)).mode & 0o777).toBe(0o600)
    expect(await startedWith()).toEqual(kids)
    for (const key of [old, inFile()]) expect(stderr).not.toContain(key)
    await expect(startedWith({ LATCHKEY_MASTER_KEY: old })).rejects.toThrow(/cannot be decrypted/)
  })

  test('from a file to the environment, and from there to another one', async () => {
    const [first, second] = [newKey(), newKey()]
    expect(await run([], { LATCHKEY_NEW_MASTER_KEY: first })).toMatchObject({ code: 0 })
    expect(keyFiles()).toEqual([expect.stringMatching(/^master\.key\.old-/)])
    await expect(startedWith()).rejects.toThrow(/master\.key is missing/)
    expect(await startedWith({ LATCHKEY_MASTER_KEY: first })).toEqual(kids)
    const file = join(cwd, 'second.key')
    writeFileSync(file, `${second}\n`, { mode: 0o600 })
    const env = { LATCHKEY_MASTER_KEY: first, LATCHKEY_NEW_MASTER_KEY_FILE: file }
    expect(await run([], env)).toMatchObject({ code: 0 })
    expect(await startedWith({ LATCHKEY_MASTER_KEY: second })).toEqual(kids)
  })

  test('is an entry of the journal for each, and a line of the log of commands', async () => {
    await run()
    const { stdout } = await latchkeyHere(['changes', '--json'], { cwd })
    const told = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const own = told.filter(({ verb }) => verb === 'keys rewrap')
    expect(own.map(({ thing, did, narrows }) => [thing, did, narrows])).toEqual(
      Array(2).fill(['key', 'changed', false]),
    )
    expect(readFileSync(join(data, 'commands.log'), 'utf8')).toContain('"verb":"keys rewrap"')
  })
})

test.runIf(process.geteuid?.() === 0)(
  'a master key that root makes is for the owner of the data',
  async () => {
    chownSync(data, 12_345, 12_346)
    const old = inFile()
    expect(await run()).toMatchObject({ code: 0 })
    expect(inFile()).not.toBe(old)
    const { uid, gid, mode } = statSync(join(data, 'master.key'))
    expect([uid, gid, mode & 0o777]).toEqual([12_345, 12_346, 0o600])
  },
)

test('with --lost the keys are replaced: the old ones are gone for ever, and the hub starts', async () => {
  rmSync(join(data, 'master.key'))
  await expect(startedWith()).rejects.toThrow(/master\.key is missing/)
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('--lost') })
  const { code, stderr } = await run(['--lost'])
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/removed and revoked, and new ones sign/),
  ])
  const now = await startedWith()
  expect(now).toHaveLength(1)
  expect(now).not.toEqual(kids)
  const { stdout } = await latchkeyHere(['changes', '--json'], { cwd })
  const removed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ did }) => did === 'deleted')
  expect(removed.map(({ narrows }) => narrows)).toEqual([true, true])
})

describe('a rewrap that was killed loses no key', () => {
  const preload = new URL('../restore/die-at.js', import.meta.url)
  const few = rounds(2, Number.POSITIVE_INFINITY)
  const dying = (at: number, args: readonly string[], env: Readonly<Record<string, string>>) =>
    latchkey(['keys', 'rewrap', ...args], {
      cwd,
      env: { ...env, NODE_OPTIONS: `--import=${preload}`, DIE_AT: `${at}` },
    })

  // conformance: Keys / A change of the master key loses no key
  test.each([
    ['with a new file', {}],
    ['with one of the environment', { LATCHKEY_NEW_MASTER_KEY: newKey() }],
  ])(
    '%s: the next start has the same keys, and the next rewrap ends it',
    async (_, env) => {
      const { stderr } = await dying(0, [], env)
      const calls = Number(/^calls: (\d+)$/m.exec(stderr)?.[1])
      expect(calls).toBeGreaterThan(10)
      // The last calls are those around the commit and the renaming, where the order matters most.
      const first = Math.max(1, calls - few * 2 + 1)
      for (let at = few === Number.POSITIVE_INFINITY ? 1 : first; at <= calls; at += 2) {
        rmSync(data, { recursive: true })
        copyOfData(original, data)
        const old = inFile()
        await dying(at, [], env)
        expect(await startsWithOneOf(env)).toEqual(kids)
        expect((await run([], env)).code).toBe(0)
        const { LATCHKEY_NEW_MASTER_KEY: key } = env as { LATCHKEY_NEW_MASTER_KEY?: string }
        expect(await startedWith(key === undefined ? {} : { LATCHKEY_MASTER_KEY: key })).toEqual(
          kids,
        )
        expect(keyFiles().some((name) => inFile(name) === old)).toBe(true)
        expect(existsSync(join(data, 'master.key.new'))).toBe(false)
      }
    },
    300_000,
  )

  /** As an operator would: with what is in the data directory, else with the new master key. */
  async function startsWithOneOf(env: { readonly LATCHKEY_NEW_MASTER_KEY?: string }) {
    const { LATCHKEY_NEW_MASTER_KEY: key } = env
    return startedWith().catch(() =>
      startedWith(key === undefined ? {} : { LATCHKEY_MASTER_KEY: key }),
    )
  }
})

test('a start that finds the file of a rewrap beside the old one takes the one that opens the keys', async () => {
  copyFileSync(join(data, 'master.key'), join(data, 'master.key.new'))
  writeFileSync(join(data, 'master.key'), `${newKey()}\n`)
  expect(await startedWith()).toEqual(kids)
  writeFileSync(join(data, 'master.key.new'), `${newKey()}\n`)
  await expect(startedWith()).rejects.toThrow(/cannot be decrypted/)
})
