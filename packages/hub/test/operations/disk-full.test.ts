/** A full disk: writers are told, readers are served, nothing is lost, and room is enough to go on. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { askHub, type Heard } from '@latchkey/testing/hub/ask-hub'
import { complaints, dump } from '@latchkey/testing/hub/dump'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { latchkey, type Serving, serve } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { mountSmallDisk } from '@latchkey/testing/machine/small-disk'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { directoryFile } from '../crash/directory-file.ts'

const disk = mountSmallDisk(16)
const outside = sharedFolder()
const json = { 'content-type': 'application/json' }
const noRoom = /^latchkey: [^\n]*(?:no space left|disk is full)[^\n]*\n$/

let prepared: Prepared
let hub: Serving
let made = 0

describe('on a full disk', () => {
  beforeAll(async () => {
    if (disk === undefined) return
    prepared = await prepareData(disk.folder)
    writeFileSync(join(outside, 'directory.json'), JSON.stringify(directoryFile(1)))
    hub = await serve(['--no-storage', '--data', prepared.data], { cwd: outside })
  })
  beforeEach(({ skip }) => {
    if (disk === undefined) skip('this user may not mount a small disk to fill')
    disk?.fill()
  })
  afterAll(async () => {
    await hub?.end('SIGKILL')
    disk?.remove()
  })

  test('the admin API answers 507, and keeps exactly what it acknowledged', async () => {
    const names = accountNames()
    const before = made
    const { status, body } = await createUntilFull()
    expect(status).toBe(507)
    expect(JSON.parse(body)).toMatchObject({ code: 'storage_full' })
    expect(accountNames()).toEqual([...names, ...namesFrom(before, made)].sort())
    expect(complaints(prepared.database)).toEqual([])
  })

  test('token requests are answered', async () => {
    const statuses = await Promise.all([ask('read'), ask('write'), ask('read'), ask('write')])
    expect(statuses).toEqual([200, 200, 200, 200])
  })

  const commands = [
    ['apply', 'directory.json'],
    ['hub-token', 'create', 'writer', 'spare', '--kind', 'read'],
    ['account', 'create', 'late'],
  ].slice(0, rounds(1, 3))
  test.each(commands)(
    'latchkey %s says in one line that there is no room, and changes nothing',
    async (...args) => {
      await createUntilFull()
      const before = dump(prepared.database)
      const { code, stdout, stderr } = await manage(args)
      expect(stderr).toMatch(noRoom)
      expect(stdout).toBe('')
      expect(code).toBe(3)
      expect(dump(prepared.database)).toEqual(before)
    },
  )

  test('a stop comes to its end', async () => {
    const { code, stderr } = await hub.end('SIGTERM')
    expect(stderr).not.toContain('went wrong')
    expect(code).toBe(0)
    disk?.free()
    hub = await serve(['--no-storage', '--data', prepared.data], { cwd: outside })
    expect(await ask('write')).toBe(200)
  })

  test('a first start says in one line that there is no room, and succeeds once there is', async () => {
    const data = join(disk?.folder ?? '', 'second')
    const alone = ['--no-storage', '--data', data]
    const { code, stderr } = await latchkey(['serve', '--port', '0', ...alone], { cwd: outside })
    expect(stderr).toMatch(noRoom)
    expect(code).toBe(3)
    disk?.free()
    const second = await serve(alone, { cwd: outside })
    expect((await second.end('SIGTERM')).code).toBe(0)
  })

  test('writers go on as soon as there is room', async () => {
    await createUntilFull()
    disk?.free()
    expect((await createAccounts()).status).toBe(200)
    expect(await ask('write')).toBe(200)
    expect(complaints(prepared.database)).toEqual([])
  })
})

/** Small writes fit into what the journal has claimed already. Gives the first refusal. */
async function createUntilFull(): Promise<Heard> {
  for (let left = 2000; left > 0; left -= 1) {
    const answer = await createAccounts()
    if (answer.status !== 200) return answer
  }
  throw new Error('the disk never became full')
}

const accountsAtOnce = 20

async function createAccounts(): Promise<Heard> {
  const token = prepared.tokens['maintainer/admin'] ?? ''
  const names = namesFrom(made, made + accountsAtOnce)
  const body = JSON.stringify({ file: { accounts: names.map((name) => ({ name })) } })
  const answer = await askHub(hub.url, '/admin/v1/apply', {
    token,
    method: 'POST',
    headers: json,
    body,
  })
  if (answer.status === 200) made += accountsAtOnce
  return answer
}

function namesFrom(first: number, end: number): string[] {
  return Array.from({ length: end - first }, (_, index) => `account-${first + index}`)
}

function accountNames(): string[] {
  return (dump(prepared.database)['accounts'] ?? []).map(({ name }) => String(name)).sort()
}

async function ask(scope: 'read' | 'write'): Promise<number> {
  const token = prepared.tokens['writer/write'] ?? ''
  return (await askHub(hub.url, `${scope} models/acme/bert@main`, { token })).status
}

function manage(args: readonly string[]) {
  return latchkey(args, { cwd: outside, env: { LATCHKEY_DATA: prepared.data } })
}
