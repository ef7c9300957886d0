/** `latchkey doctor` where all is well: what it says, and that it leaves no trace. */

import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { dayMs, examine, examineAhead, installations, place, serve } from './installation.ts'

const installation = installations()

/** Every file below a folder with its mode, its times and its bytes. */
function traces(folder: string): readonly unknown[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const path = join(folder, name)
      const { mode, mtimeMs, ctimeMs } = lstatSync(path)
      const bytes = lstatSync(path).isFile() ? readFileSync(path, 'base64') : ''
      return [name, mode, mtimeMs, ctimeMs, bytes]
    })
}

test('before the first start nothing is wrong, nothing is made, and the first step is said', async () => {
  const here = await place()
  const { of } = await examine(here)
  expect(of('wrong')).toEqual([])
  expect(of('warning')).toEqual([
    'data directory: there is no ./latchkey-data yet',
    `hub: no process listens at http://127.0.0.1:${here.port}`,
  ])
  expect(readdirSync(here.cwd)).toEqual([])
})

test('while the hub does not run, everything on the disk is looked at, and nothing is changed', async () => {
  const here = await installation()
  const before = traces(here.cwd)
  const { of, findings } = await examine(here)
  expect(traces(here.cwd)).toEqual(before)
  expect([of('wrong'), of('skipped')]).toEqual([[], []])
  expect(of('warning')).toEqual([`hub: no process listens at http://127.0.0.1:${here.port}`])
  expect(new Set(findings.map(({ check }) => check))).toEqual(
    new Set([
      ...['configuration', 'data directory', 'disk', 'database', 'master key', 'signing keys'],
      ...['journal', 'rollback', 'hub', 'catalogue', 'following'],
    ]),
  )
})

describe('while the hub runs', () => {
  test('hub, storage and clock are looked at too, and all is well', async () => {
    const here = await installation()
    await serve(here)
    await latchkeyHere(['account', 'create', 'bob'], here)
    const { of } = await examine(here)
    expect([of('wrong'), of('warning'), of('skipped')]).toEqual([[], [], []])
    expect(of('good').filter((line) => /^(?:hub|clock|storage|following):/.test(line))).toEqual([
      expect.stringMatching(/^hub: http:\/\/127\.0\.0\.1:\d+ is ready, version \d/),
      'clock: the hub and this machine are less than 30 s apart',
      'storage: its process runs and is ready',
      expect.stringMatching(/^following: the storage has followed the journal to its end, \d+$/),
    ])
    const { code, stderr } = await latchkeyHere(['doctor', ...here.flags], here)
    expect([code, stderr]).toEqual([0, 'all is well\n'])
  }, 120_000)

  test('a listener of its own for operations is asked instead', async () => {
    const here = await installation()
    const { port } = await place()
    const apart = { ...here, flags: [...here.flags, '--operations-port', `${port}`] }
    const watched = `http://127.0.0.1:${port}`
    await serve(apart, watched)
    const { of } = await examine(apart)
    expect([of('wrong'), of('warning')]).toEqual([[], []])
    expect(of('good')).toContainEqual(expect.stringContaining(`hub: ${watched} is ready, version`))
  }, 120_000)
})

test('lines for people are aligned and fit 100 columns, and no secret is among them', async () => {
  const here = await installation()
  const secrets = ['master.key', 'embedded-blob-url-key'].map((name) =>
    readFileSync(join(here.data, name), 'utf8').trim(),
  )
  const more = [
    '--public-url',
    'http://hub.example',
    '--cas-url',
    'http://cas.example/r/{repo}/{ref}',
  ]
  const { code, stdout, stderr } = await latchkeyHere(['doctor', ...here.flags, ...more], here)
  expect([code, stderr]).toEqual([0, 'no faults, 3 warnings\n'])
  for (const line of stdout.trimEnd().split('\n')) {
    expect(line.length).toBeLessThanOrEqual(100)
    expect(line).toMatch(/^(?:[✓!✗–] .{14} {2}| {18})\S|^ {20}\S/)
  }
  for (const secret of secrets) expect(stdout).not.toContain(secret)
})

test('a master key that is given by the environment is used, and not shown', async () => {
  const here = await installation()
  const key = readFileSync(join(here.data, 'master.key'), 'utf8').trim()
  const { of, findings } = await examine(here, [], { LATCHKEY_MASTER_KEY: key })
  expect(of('good')).toContain(
    'master key: the one of the environment opens each of the 2 signing keys',
  )
  expect(JSON.stringify(findings)).not.toContain(key)
})

test('a step of the rotation that was due while the hub did not run is a warning', async () => {
  const { of } = await examineAhead(await installation(), 50 * dayMs)
  expect(of('wrong')).toEqual([])
  expect(of('warning').filter((line) => line.startsWith('signing keys'))).toEqual(
    Array(2).fill(expect.stringMatching(/a step is due since [45] days: .{8}… gets a successor$/)),
  )
})
