/** Commands that change data on the machine itself are written down, like calls of the admin API. */

import { chownSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Words } from '@latchkey/admin-api'
import { expect, it, onTestFinished } from 'vitest'
import { storeSettings } from '../src/configuration/hub-settings.ts'
import { readConfiguration } from '../src/configuration/read-configuration.ts'
import { recordCommand } from '../src/management/command-log.ts'
import { localManagement } from '../src/management/local.ts'
import { openLocalStore } from '../src/management/local-store.ts'
import { verbCalled } from '../src/management/management.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { temporaryDirectory } from './run-latchkey.ts'
import { bert, filledDirectory, hash } from './storage/content.ts'

const user = userInfo().username

function linesIn(data: string): Record<string, unknown>[] {
  const text = readFileSync(join(data, 'commands.log'), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** The verbs as the management commands run them. */
async function openManagement() {
  const data = join(temporaryDirectory(), 'data')
  const { values } = readConfiguration({ data }, {})
  const management = localManagement(
    await openLocalStore(storeSettings(values), { create: true }),
    values,
  )
  onTestFinished(() => management.close())
  const run = (words: Words, input: object) => management.run(verbCalled(words), { ...input })
  return { data, run }
}

// conformance: Attacks / 45. An attacker makes a change that the journal does not show
it('every verb that changes something is one line: who, what, which, when, and how it ended', async () => {
  const { data, run } = await openManagement()
  await run('account create', { name: 'ada', administrator: true })
  await run('account list', {})
  await run('account create', { name: 'ADA' })
  const made = await run('hub-token create', { account: 'ada', name: 'ci', kind: 'write' })
  const { id, token } = Object(made)
  const [created, refused, minted, ...rest] = linesIn(data)
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
  const line = { level: 'info', time, event: 'admin_called', user }
  const target = { name: 'ada', kind: 'user', administrator: true, disabled: false }
  expect(created).toMatchObject({ ...line, verb: 'account create', outcome: 'done', target })
  expect(refused).toMatchObject({ ...line, outcome: 'refused', code: 'conflict' })
  expect(minted).toMatchObject({
    ...line,
    verb: 'hub-token create',
    target: { account: 'ada', name: 'ci', kind: 'write', id },
  })
  expect(rest).toEqual([])
  expect(readFileSync(join(data, 'commands.log'), 'utf8')).not.toContain(String(token).slice(0, 12))
  expect((statSync(join(data, 'commands.log')).mode & 0o777).toString(8)).toBe('600')
})

it('a directory file leaves a line for each change', async () => {
  const { data, run } = await openManagement()
  await run('apply', { file: { accounts: [{ name: 'ada' }], namespaces: [{ name: 'acme' }] } })
  const [{ requestId } = {}] = linesIn(data)
  expect(requestId).toMatch(/^\w{26}$/)
  const line = { user, verb: 'apply', requestId }
  expect(linesIn(data)).toMatchObject([
    { ...line, event: 'admin_called', changes: 2, outcome: 'done' },
    { ...line, event: 'admin_changed', did: 'created', target: { account: 'ada' } },
    { ...line, event: 'admin_changed', did: 'created', target: { namespace: 'acme' } },
  ])
})

// conformance: Attacks / 45. An attacker makes a change that the journal does not show
it('a change that cannot be written down is not made', async () => {
  const { data, run } = await openManagement()
  symlinkSync('/dev/null', join(data, 'commands.log'))
  await expect(run('account create', { name: 'ada' })).rejects.toThrow(
    'Every change must be recorded there, so nothing was changed.',
  )
  expect(await run('account list', {})).toMatchObject({ total: 0 })
})

// conformance: Attacks / 45. An attacker makes a change that the journal does not show
it.runIf(process.geteuid?.() === 0)(
  'a file that root makes is for the owner of the data',
  async () => {
    const { data, run } = await openManagement()
    chownSync(data, 12_345, 12_346)
    await run('account create', { name: 'ada' })
    const { uid, gid, mode } = statSync(join(data, 'commands.log'))
    expect([uid, gid, mode & 0o777]).toEqual([12_345, 12_346, 0o600])
  },
)

it('work that breaks is written down as failed', async () => {
  const data = temporaryDirectory()
  const work = () => Promise.reject(new Error('broken'))
  const recorded = recordCommand(data, { verb: 'backup', target: () => ({ file: 'x' }), work })
  await expect(recorded).rejects.toThrow('broken')
  expect(linesIn(data)).toMatchObject([
    { verb: 'backup', target: { file: 'x' }, outcome: 'failed', user },
  ])
})

// conformance: Attacks / 45. An attacker makes a change that the journal does not show
it('storage commands and backups are written down when they change or copy something', async () => {
  const cwd = await filledDirectory()
  const data = join(cwd, 'latchkey-data')
  const run = (...args: string[]) => latchkey(args, { cwd })
  await run('storage', 'delete', bert, hash('file'))
  expect(existsSync(join(data, 'commands.log'))).toBe(false)
  await run('storage', 'gc', '--delete')
  await run('storage', 'delete', bert, hash('file'), '--yes')
  await run('storage', 'reset-urls')
  await run('backup', 'copy')
  expect(linesIn(data)).toMatchObject([
    { verb: 'storage gc', target: { freedBytes: expect.stringMatching(/^\d+$/) }, outcome: 'done' },
    { verb: 'storage delete', target: { repository: bert, hash: hash('file') }, outcome: 'done' },
    { verb: 'storage reset-urls', outcome: 'done' },
    { verb: 'backup', target: { folder: join(cwd, 'copy') }, outcome: 'done' },
  ])
})
