/** Repositories in a backup: what its directory names is in git, and git follows the directory after a restore. */

import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openGit } from '@latchkey/forge/git'
import { openStore } from '@latchkey/hub/management'
import { asRepositoryUid } from '@latchkey/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { takeBackup } from '../../src/backup/take-backup.ts'
import { latchkeyHere } from '../run-here.ts'
import { temporaryDirectory } from '../run-latchkey.ts'
import { type Here, hubHere } from '../serve-here.ts'

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
})

const run = promisify(execFile)

async function startOn(data: string): Promise<Here> {
  const hub = await hubHere(data, { forge: true, storage: false })
  onTestFinished(() => hub.stop())
  return hub
}

test('a commit that arrives while the backup is taken is not in it, and everything before is', async () => {
  const cwd = temporaryDirectory()
  const data = join(cwd, 'data')
  const folder = join(cwd, 'backup')
  const restored = join(cwd, 'restored')
  mkdirSync(folder)
  const applied = ['apply', '-', '--json', '--data', data]
  const { stdout } = await latchkeyHere(applied, { cwd, input: directory })
  const token: string = JSON.parse(stdout).hubTokens[0].token
  const hub = await startOn(data)
  const ask = async (path: string, body?: string, { url } = hub) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const method = path.endsWith('delete') ? 'DELETE' : 'POST'
    const asked = { headers, ...(body && { method, body }) }
    const answer = await fetch(url + path, asked)
    expect(answer.status).toBe(200)
    return answer.text()
  }
  const commit = (content: string) => {
    const value = { path: 'a.txt', content, encoding: 'utf-8' }
    const lines = [
      { key: 'header', value: { summary: content } },
      { key: 'file', value },
    ]
    return ask(
      '/api/models/acme/kept/commit/main',
      lines.map((line) => JSON.stringify(line)).join('\n'),
    )
  }
  for (const name of ['kept', 'gone']) {
    await ask('/api/repos/create', JSON.stringify({ name, organization: 'acme' }))
  }
  await commit('before')

  const store = await openStore({ data, database: 'sqlite:latchkey.db' }, { create: false })
  onTestFinished(() => store.close())
  let copies = 0
  const backup = async (file: string) => {
    await store.backup(file)
    copies += 1
    if (copies === 1) await commit('after')
  }
  const watch = { onProgress: () => {}, onRepeat: () => {} }
  const made = await takeBackup(folder, {
    ...{
      store: { backup },
      data,
      takenAt: '2026-01-01T00:00:00Z',
      latchkey: '0',
      bucket: null,
      watch,
    },
  })
  expect(made).toMatchObject({ version: 2, repositories: { count: 2 } })
  expect(readdirSync(join(folder, 'repositories'))).toHaveLength(2)
  await ask('/api/repos/delete', JSON.stringify({ name: 'gone', organization: 'acme' }))
  expect(readdirSync(join(data, 'repositories'))).toHaveLength(1)
  await hub.stop()

  const { code, stderr } = await latchkeyHere(
    ['restore', folder, '--data', restored, '--journal', data],
    { cwd },
  )
  expect([code, stderr]).toEqual([0, expect.anything()])
  cpSync(join(data, 'master.key'), join(restored, 'master.key'))
  rmSync(data, { recursive: true })
  // Its repositories are those of another directory, so an operator says that they take the place of the others.
  const refused = await startOn(restored).catch((error: Error) => error.message)
  const [adopt = ''] = /latchkey forge adopt \S+/.exec(String(refused)) ?? []
  const adopting = [...adopt.split(' ').slice(1), '--data', restored]
  expect(await latchkeyHere(adopting, { cwd })).toMatchObject({ code: 0 })
  const again = await startOn(restored)
  expect(await ask('/acme/kept/resolve/main/a.txt', undefined, again)).toBe('before')
  const info = JSON.parse(await ask('/api/models/acme/kept', undefined, again))
  const address = `${again.url.replace('//', `//ada:${token}@`)}/acme/kept`
  // The hub is in this process, so git must not block it.
  const refs = await run('git', ['ls-remote', address, 'refs/heads/*'])
  expect(refs.stdout).toBe(`${info.sha}\trefs/heads/main\n`)
  const [name = ''] = readdirSync(join(restored, 'repositories')).filter((one) =>
    existsSync(join(restored, 'repositories', one, 'refs', 'heads', 'main')),
  )
  const gitDir = join(restored, 'repositories', name)
  await run('git', ['--git-dir', gitDir, 'fsck', '--full', '--strict'])
})

test('a repository that the operator deletes goes from git with the next start, one of another database stays', async () => {
  const cwd = temporaryDirectory()
  const data = join(cwd, 'data')
  const around = { cwd, env: { LATCHKEY_DATA: data, LATCHKEY_PORT: '1' } }
  const input = JSON.stringify({
    ...JSON.parse(directory),
    repositories: ['kept', 'gone'].map((name) => ({ type: 'model', id: `acme/${name}` })),
  })
  await latchkeyHere(['apply', '-'], { ...around, input })
  const shown = await latchkeyHere(['repo', 'list', '--json'], around)
  const { items } = JSON.parse(shown.stdout) as { items: { uid: string }[] }
  const unknown = 'a'.repeat(26)
  const git = await openGit({ folder: join(data, 'repositories') })
  for (const uid of [...items.map((item) => item.uid), unknown])
    await git.create(asRepositoryUid(uid))
  git.close()
  await latchkeyHere(['repo', 'delete', 'models/acme/gone'], around)
  const doctor = await latchkeyHere(['doctor', '--forge', '--json'], around)
  expect(doctor.stdout).toContain('2 repositories in')
  await (await startOn(data)).stop()
  const left = readdirSync(join(data, 'repositories')).toSorted()
  const kept = items.find((item) => JSON.stringify(item).includes('acme/kept'))?.uid
  expect(left).toEqual([`${unknown}.git`, `${kept}.git`].toSorted())
})

test('a second hub with a forge does not start on the same data', async () => {
  const cwd = temporaryDirectory()
  const data = join(cwd, 'data')
  const hub = await startOn(data)
  await expect(startOn(data)).rejects.toThrow(
    /^another forge serves the repositories of the data directory .*\. Stop that one, or name another directory with --data\.$/,
  )
  await hub.stop()
  await (await startOn(data)).stop()
})
