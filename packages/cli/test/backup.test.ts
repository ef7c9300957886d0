import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { directoryText } from './directory-file.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { temporaryDirectory } from './run-latchkey.ts'
import { bothHere, type Here } from './serve-here.ts'

const target = 'models/acme/bert@main'

interface HubToken {
  readonly id: string
  readonly name: string
  readonly token: string
}

/** A directory with the small world, and its hub tokens by name. */
async function prepared() {
  const cwd = temporaryDirectory()
  const { stdout } = await latchkey(['apply', '-', '--json'], { cwd, input: directoryText })
  const made: Omit<HubToken, 'id'>[] = JSON.parse(stdout).hubTokens
  const run = async (...args: string[]) => {
    const ended = await latchkey(args, { cwd })
    expect(ended, args.join(' ')).toMatchObject({ code: 0 })
    return ended
  }
  const { stdout: list } = await run('hub-token', 'list', '--json')
  const ids = new Map<string, string>(
    JSON.parse(list).items.map(({ id, name }: HubToken) => [name, id]),
  )
  const tokens = made.map(
    ({ name, token }) => [name, { name, token, id: ids.get(name) ?? '' }] as const,
  )
  return { cwd, run, tokens: new Map<string, HubToken>(tokens) }
}

/** Runs a client's command at a hub. */
function client(cwd: string, { url }: Here, token: string) {
  const env = { LATCHKEY_HUB: url, LATCHKEY_HUB_TOKEN: token }
  return async (...args: string[]) => {
    const { code, stdout, stderr } = await latchkey(args, { cwd, env })
    return { code, stdout: stdout.trim(), stderr }
  }
}

function inodeOf(folder: string): number {
  const [found = ''] = readdirSync(join(folder, 'objects'), { recursive: true })
    .map(String)
    .filter((name) => /[0-9a-f]{32}$/.test(name))
  return statSync(join(folder, 'objects', found)).ino
}

it('a backup overwrites nothing, leaves nothing half done, and is a folder', async () => {
  const { cwd, run } = await prepared()
  const line = async (...args: string[]) => {
    const { code, stdout, stderr } = await latchkey(args, { cwd })
    expect({ stdout, lines: stderr.split('\n').length }).toEqual({ stdout: '', lines: 2 })
    return { code, stderr }
  }
  writeFileSync(join(cwd, 'mine'), 'mine')
  const usage = { code: 2, stderr: expect.stringMatching(/a backup is a folder with the database/) }
  expect(await line('backup', 'mine')).toEqual(usage)
  expect(await line('backup', 'monday.db')).toEqual(usage)
  expect(await line('backup', join('mine', 'monday'))).toMatchObject({ code: 3 })
  mkdirSync(join(cwd, 'full'))
  writeFileSync(join(cwd, 'full', 'mine'), 'mine')
  expect(await line('backup', 'full')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/not empty, and a backup overwrites no files/),
  })
  expect(readdirSync(join(cwd, 'full'))).toEqual(['mine'])
  mkdirSync(join(cwd, 'empty'))
  await run('backup', 'empty')
  expect(readdirSync(cwd).sort()).toEqual(['empty', 'full', 'latchkey-data', 'mine'])
})

it('a backup of a hub without storage is its database, for its owner only', async () => {
  const { cwd, run } = await prepared()
  const { stderr } = await run('backup', 'copy')
  expect(stderr).toMatch(
    /there is no storage here.*\nthe master key is not in it: keep that in another/,
  )
  expect(readdirSync(join(cwd, 'copy')).sort()).toEqual(['backup.json', 'latchkey.db'])
  for (const name of ['', 'backup.json', 'latchkey.db']) {
    expect(statSync(join(cwd, 'copy', name)).mode & 0o077, name).toBe(0)
  }
  const { stdout } = await run('backup', 'again', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ version: 1, catalogue: null, objects: { count: 0 } })
})

it('a restore ends every storage token that was issued before it', async () => {
  const { run } = await prepared()
  await run('backup', 'copy')
  await run('restore', 'copy', '--data', 'new')
  const { stdout } = await run('changes', '--data', 'new', '--json')
  const last: { thing: string; after: object } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(last).toMatchObject({ thing: 'cut-off', after: { cuts: [{ kind: 'all', id: '' }] } })
})

it('what cannot be restored is said in one line, and no data directory is made', async () => {
  const { cwd, run } = await prepared()
  await run('backup', 'copy')
  const refused = async (says: RegExp, ...args: string[]) => {
    const ended = await latchkey(['restore', ...args], { cwd })
    expect(ended.stderr).toMatch(says)
    expect(ended.stderr.split('\n')).toHaveLength(2)
    expect(readdirSync(cwd)).not.toContain('new')
    return ended.code
  }
  const to = ['--data', 'new']
  expect(await refused(/There is no folder "[^"]+nowhere": name one/, 'nowhere', ...to)).toBe(1)
  expect(await refused(/exists already, and a restore overwrites no files/, 'copy')).toBe(1)
  expect(await refused(/there is no database/, 'copy', ...to, '--journal', 'nowhere')).toBe(3)
  mkdirSync(join(cwd, 'other'))
  const other = await latchkey(['account', 'create', 'eve', '--data', 'other/data'], { cwd })
  expect(other.code).toBe(0)
  const journal = ['--journal', 'other/data']
  expect(await refused(/it belongs to another hub, or is older/, 'copy', ...to, ...journal)).toBe(1)

  cpSync(join(cwd, 'copy'), join(cwd, 'cut-off'), { recursive: true })
  rmSync(join(cwd, 'cut-off', 'backup.json'))
  expect(await refused(/An interrupted backup has none/, 'cut-off', ...to)).toBe(1)
  const manifest = JSON.parse(readFileSync(join(cwd, 'copy', 'backup.json'), 'utf8'))
  writeFileSync(join(cwd, 'copy', 'backup.json'), JSON.stringify({ ...manifest, version: 4 }))
  expect(await refused(/is a backup of a newer version of Latchkey/, 'copy', ...to)).toBe(1)
})

// conformance: Embedded storage / A backup of database and objects can be restored
it('a restored hub has what the backup has, without what was taken away since, and takes what comes', async () => {
  const { cwd, run, tokens } = await prepared()
  const [laptop, admin] = ['laptop', 'admin'].map(
    (name) => tokens.get(name) ?? { id: '', token: '' },
  )
  const first = await bothHere(join(cwd, 'latchkey-data'))
  onTestFinished(first.stop)
  const before = client(cwd, first, laptop?.token ?? '')
  writeFileSync(join(cwd, 'before'), 'what the backup has')
  writeFileSync(join(cwd, 'after'), 'what came later')
  const { stdout: hash } = await before('upload', target, 'before')
  const addressOf = async (ask: typeof before): Promise<string> =>
    JSON.parse((await ask('token', 'write', target, '--json')).stdout).casUrl
  const old = await addressOf(before)
  const { stdout } = await run('backup', 'copy', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    catalogue: 'storage.db',
    objects: { count: 1 },
    missing: 0,
  })
  expect(inodeOf(join(cwd, 'copy'))).toBe(inodeOf(join(cwd, 'latchkey-data')))

  expect(await before('upload', target, 'after')).toMatchObject({ code: 0 })
  await run('hub-token', 'revoke', admin?.id ?? '')
  await run('ref', 'delete', 'models/acme/bert', 'feature/x')
  await first.stop()

  const kept = ['--data', 'kept', '--journal', 'latchkey-data', '--json']
  const { returnedContent } = JSON.parse((await run('restore', 'copy', ...kept)).stdout)
  expect(returnedContent).toEqual([])
  await run('storage', 'delete', 'models/acme/bert', hash.trim(), '--yes')
  const back = ['--data', 'back', '--journal', 'latchkey-data', '--json']
  expect(JSON.parse((await run('restore', 'copy', ...back)).stdout)).toMatchObject({
    returnedContent: ['models/acme/bert'],
  })
  const restored = await run('restore', 'copy', '--data', 'new', '--journal', 'latchkey-data')
  expect(restored.stdout).toMatch(/^repeated .* hub-token revoked ada\/admin\b/m)
  expect(restored.stdout).toMatch(
    /^repeated .* ref deleted models\/acme\/bert@refs\/heads\/feature\/x/m,
  )
  expect(restored.stdout).toMatch(
    /^content of models\/acme\/bert was deleted after the backup .* and is back: run latchkey storage delete again/m,
  )
  expect(restored.stderr).toMatch(
    /1 object copied\. The refs of 1 repository have new storage URLs/,
  )
  expect(inodeOf(join(cwd, 'new'))).not.toBe(inodeOf(join(cwd, 'copy')))
  cpSync(join(cwd, 'latchkey-data', 'master.key'), join(cwd, 'new', 'master.key'))

  const second = await bothHere(join(cwd, 'new'))
  onTestFinished(second.stop)
  const after = client(cwd, second, laptop?.token ?? '')
  expect(await after('download', target, hash, '-o', 'again')).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, 'again'), 'utf8')).toBe('what the backup has')
  expect(new URL(await addressOf(after)).pathname).not.toBe(new URL(old).pathname)
  expect(await after('upload', target, 'after')).toMatchObject({ code: 0 })
  const revoked = await fetch(`${second.url}/admin/v1/accounts`, {
    headers: { authorization: `Bearer ${admin?.token}` },
  })
  expect(revoked.status).toBe(401)
  await run('commit', 'record', 'models/acme/bert', 'b'.repeat(40), '--on', 'main', '--data', 'new')
  const read = await after('token', 'read', `models/acme/bert@${'b'.repeat(40)}`)
  expect(read).toMatchObject({ code: 0 })
})

it('without the old journal it lists what works again, in lines that end it', async () => {
  const { run, tokens } = await prepared()
  await run('backup', 'copy')
  await run('hub-token', 'revoke', tokens.get('laptop')?.id ?? '')
  const { stdout, stderr } = await run('restore', 'copy', '--data', 'new')
  const revoking = (name: string) =>
    `latchkey hub-token revoke ${tokens.get(name)?.id} --data 'new'  # ada/${name}, `
  expect(stdout.split('\n')).toEqual([
    `${revoking('admin')}admin`,
    `${revoking('laptop')}write`,
    "latchkey account set 'ada' --disabled --data 'new'",
    "latchkey account set 'guest' --disabled --data 'new'",
    '',
  ])
  expect(stderr).toMatch(/work again, also those that were disabled or revoked after the backup/)
  const words = (line = '') => line.replaceAll("'", '').replace(/ +#.*/, '').split(' ').slice(1)
  for (const line of stdout.trim().split('\n')) await run(...words(line))
  const json = await run('restore', 'copy', '--data', 'third', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({
    repositories: 1,
    usable: { accounts: [{ name: 'ada' }, { name: 'guest' }], hubTokens: [{}, {}] },
  })
  await run('backup', 'emptied', '--data', 'new')
  const emptied = await run('restore', 'emptied', '--data', 'fourth')
  expect(emptied.stdout).toBe('')
})

it('a hub does not begin anew where a restore was cut off', async () => {
  const { cwd, run } = await prepared()
  await run('backup', 'copy')
  mkdirSync(join(cwd, 'new'), { mode: 0o700 })
  writeFileSync(join(cwd, 'new', 'storage.db'), '')
  const { code, stderr } = await latchkey(['serve', '--data', 'new', '--port', '0'], { cwd })
  expect(code).toBe(3)
  expect(stderr).toMatch(
    /is empty or gone, but new\/storage\.db is there\. Restore a backup into an/,
  )
})
