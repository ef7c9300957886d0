/** Repositories, files and commits over the API. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, publicUrl, startForge } from './forge-world.ts'

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5\n`
const header = { key: 'header', value: { summary: 'a commit' } }

describe.skipIf(!isGitThere)('the API of a forge', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge()
    await world.create('refused')
  })
  afterAll(() => world?.stopped())

  const headOf = async (name: string) =>
    (await world.ask(`/api/models/acme/${name}`, { as: 'reader' })).json.sha

  // conformance: Forge / Bad paths, bodies and states change nothing
  test('does not move a branch that is not at parentCommit: 412', async () => {
    await world.create('moved')
    const first = await headOf('moved')
    await world.commit('moved', { 'a.txt': 'a' })
    const head = await headOf('moved')
    const late = await world.commit('moved', { 'b.txt': 'b' }, { parentCommit: first })
    expect([late.status, late.json.code]).toEqual([412, 'precondition_failed'])
    expect(await headOf('moved')).toBe(head)
  })

  // conformance: Forge / Bad paths, bodies and states change nothing
  test('gives the commit that is there to a client that sends the same again', async () => {
    await world.create('again')
    const parentCommit = await headOf('again')
    const first = await world.commit('again', { 'a.txt': 'a' }, { parentCommit })
    expect(first.status).toBe(200)
    expect(first.json.commitOid).not.toBe(parentCommit)
    const second = await world.commit('again', { 'a.txt': 'a' }, { parentCommit })
    const third = await world.commit('again', { 'a.txt': 'a' })
    expect([second.json.commitOid, third.json.commitOid]).toEqual([
      first.json.commitOid,
      first.json.commitOid,
    ])
  })

  test('loses no commit of many that are sent at once', async () => {
    await world.create('many')
    const names = Array.from({ length: 6 }, (_, index) => `file-${index}.txt`)
    const answers = await Promise.all(names.map((name) => world.commit('many', { [name]: name })))
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    const { json } = await world.ask('/api/models/acme/many/tree/main', { as: 'reader' })
    const paths = json.map((entry: { path: string }) => entry.path)
    expect(paths).toEqual(['.gitattributes', ...names])
  })

  // biome-ignore format: a table is read by its columns
  test.each<[what: string, line: object, status: number, code: string]>([
    ['a file that is not there to delete', { key: 'deletedFile', value: { path: 'none' } },                          404, 'entry_not_found'],
    ['a path into .git',                   { key: 'file', value: { path: '.git/config', content: '' } },             400, 'bad_request'],
    ['a file below a file',                { key: 'file', value: { path: '.gitattributes/x', content: '' } },        400, 'bad_request'],
    ['a pointer in place of a file',       { key: 'file', value: { path: 'x', content: pointer } },                  400, 'bad_request'],
    ['a copy of a large file that no ref has', { key: 'lfsFile', value: { path: 'x', algo: 'sha256', oid: 'a'.repeat(64) } }, 400, 'bad_request'],
  ])('refuses a commit with %s, and changes nothing', async (_, line, status, code) => {
    const head = await headOf('refused')
    const address = '/api/models/acme/refused/commit/main'
    const answer = await world.ask(address, { as: 'writer', body: [header, line] })
    expect([answer.status, answer.json.code]).toEqual([status, code])
    expect(await headOf('refused')).toBe(head)
  })

  test('refuses a large file while its storage cannot be asked', async () => {
    const line = {
      key: 'lfsFile',
      value: { path: 'x', algo: 'sha256', oid: 'a'.repeat(64), size: 5 },
    }
    const address = '/api/models/acme/refused/commit/main'
    const answer = await world.ask(address, { as: 'writer', body: [header, line] })
    expect(answer.json.code).toBe('upstream_unreachable')
  })

  test('a repository begins with a commit, and a name that is taken gets its address with 409', async () => {
    const body = { name: 'first', organization: 'acme', type: 'dataset', private: false }
    const made = await world.ask('/api/repos/create', { as: 'writer', body })
    const url = `${publicUrl}/datasets/acme/first`
    expect([made.status, made.json.url]).toEqual([200, url])
    const again = await world.ask('/api/repos/create', { as: 'writer', body })
    expect([again.status, again.json.url]).toEqual([409, url])
    const info = await world.ask('/api/datasets/acme/first', { as: 'stranger' })
    expect(info.json).toMatchObject({
      ...{ id: 'acme/first', private: false, siblings: [{ rfilename: '.gitattributes' }] },
    })
    const token = await world.ask('/api/datasets/acme/first/storage-write-token/main', {
      as: 'writer',
    })
    expect(token.status).toBe(200)
  })

  test('a deleted repository is gone, and another of its name begins anew', async () => {
    await world.create('gone')
    await world.commit('gone', { 'secret.txt': 'secret' })
    const secret = await headOf('gone')
    const body = { name: 'gone', organization: 'acme' }
    const deleted = await world.ask('/api/repos/delete', { method: 'DELETE', as: 'owner', body })
    expect(deleted.status).toBe(200)
    expect((await world.ask('/api/models/acme/gone', { as: 'owner' })).status).toBe(404)
    await world.create('gone')
    const old = await world.ask(`/acme/gone/resolve/${secret}/secret.txt`, { as: 'owner' })
    expect([old.status, old.headers.get('x-error-code')]).toEqual([404, 'RevisionNotFound'])
  })

  test('files are listed page by page, told of by path, and given whole or in part', async () => {
    await world.create('files')
    const files = { 'a.txt': 'hello', 'folder/b.txt': 'b', 'folder/ü c.txt': 'c' }
    const { json: made } = await world.commit('files', files)
    const api = '/api/models/acme/files'
    const first = await world.ask(`${api}/tree/main?recursive=true&limit=3`, { as: 'reader' })
    const link = first.headers.get('link') ?? ''
    const next = link.slice(1, link.indexOf('>')).replace(publicUrl, '')
    const second = await world.ask(next, { as: 'reader' })
    const paths = [...first.json, ...second.json].map(({ path }) => path)
    expect(paths).toEqual(['.gitattributes', 'a.txt', 'folder', 'folder/b.txt', 'folder/ü c.txt'])
    expect(second.headers.get('link')).toBe(null)
    const inside = await world.ask(`${api}/tree/main/folder?expand=True`, { as: 'reader' })
    expect(inside.json[0]).toMatchObject({
      path: 'folder/b.txt',
      lastCommit: { id: made.commitOid },
    })
    const told = await world.ask(`${api}/paths-info/main`, {
      ...{ as: 'reader', body: { paths: ['a.txt', 'none', 'folder'] } },
    })
    expect(told.json).toMatchObject([
      { type: 'file', path: 'a.txt', size: 5 },
      { type: 'directory', path: 'folder' },
    ])
    // To find the last commit of each takes a walk through the history.
    const info = (count: number, more: object) =>
      world.ask(`${api}/paths-info/main`, {
        ...{ as: 'reader', body: { paths: Array(count).fill('a.txt'), ...more } },
      })
    const expanded = await info(100, { expand: true })
    expect(expanded.json).toMatchObject([{ path: 'a.txt', lastCommit: { id: made.commitOid } }])
    const tooMany = await info(101, { expand: true })
    expect([tooMany.status, tooMany.json.error]).toEqual([
      400,
      expect.stringContaining('with "expand" at most 100'),
    ])
    expect((await info(1000, {})).status).toBe(200)
    expect((await info(1001, {})).status).toBe(400)

    const address = '/acme/files/resolve/main/a.txt'
    const whole = await world.ask(address, { as: 'reader' })
    expect([whole.status, whole.text]).toEqual([200, 'hello'])
    expect(whole.headers.get('x-repo-commit')).toBe(made.commitOid)
    expect(whole.headers.get('etag')).toBe(`"${told.json[0].oid}"`)
    expect(whole.headers.get('content-security-policy')).toContain('sandbox')
    const part = await world.ask(address, { as: 'reader', headers: { range: 'bytes=1-3' } })
    expect([part.status, part.text]).toEqual([206, 'ell'])
    const beyond = await world.ask(address, { as: 'reader', headers: { range: 'bytes=5-' } })
    expect(beyond.status).toBe(416)
    await world.commit('files', { 'empty.txt': '', "it's (1).txt": 'x' })
    const quote = await world.ask("/acme/files/resolve/main/it's%20(1).txt", { as: 'reader' })
    expect(quote.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''it%27s%20%281%29.txt",
    )
    const empty = await world.ask('/acme/files/resolve/main/empty.txt', {
      ...{ as: 'reader', headers: { range: 'bytes=0-0' } },
    })
    expect([empty.status, empty.headers.get('content-range')]).toEqual([200, 'bytes */0'])
    const encoded = await world.ask('/acme/files/resolve/main/folder%2F%C3%BC%20c.txt', {
      as: 'reader',
    })
    expect(encoded.text).toBe('c')
    const none = await world.ask('/acme/files/resolve/main/none', { as: 'reader' })
    expect([none.status, none.headers.get('x-error-code')]).toEqual([404, 'EntryNotFound'])

    const log = await world.ask(`${api}/commits/main?limit=1`, { as: 'reader' })
    expect(log.json).toMatchObject([{ authors: [{ user: 'writer' }] }])
    expect(log.headers.get('link')).toContain('p=1')
  })

  test('a client learns what git has, what the storage has, and who it is', async () => {
    await world.create('modes')
    const offered = ['a.txt', 'b.safetensors', '.gitattributes'].map((path) => ({
      ...{ path, size: 10, sample: 'aGVsbG8=' },
    }))
    const modes = await world.ask('/api/models/acme/modes/preupload/main', {
      ...{ as: 'writer', body: { files: offered } },
    })
    expect(modes.json.files).toMatchObject([
      { path: 'a.txt', uploadMode: 'regular', shouldIgnore: false },
      { path: 'b.safetensors', uploadMode: 'lfs', shouldIgnore: false },
      {
        path: '.gitattributes',
        uploadMode: 'regular',
        oid: expect.stringMatching(/^[0-9a-f]{40}$/),
      },
    ])
    expect((await world.ask('/api/whoami-v2', { as: 'writer' })).json).toMatchObject({
      ...{ type: 'user', name: 'writer', orgs: [{ name: 'acme', roleInOrg: 'write' }] },
      auth: { accessToken: { displayName: 'token', role: 'write' } },
    })
  })

  test('HEAD is the default branch on every route that takes a revision, and no ref can be called so', async () => {
    await world.create('heads')
    const first = await world.commit('heads', { 'a.txt': 'one' })
    const [api, page] = ['/api/models/acme/heads', '/acme/heads']
    const ask = (path: string, body?: object) => world.ask(path, { as: 'writer', body })
    expect((await ask(`${api}/revision/HEAD`)).json.sha).toBe(first.json.commitOid)
    expect((await ask(`${page}/resolve/HEAD/a.txt`)).text).toBe('one')
    expect((await ask(`${api}/tree/HEAD`)).json).toHaveLength(2)
    expect((await ask(`${api}/paths-info/HEAD`, { paths: ['a.txt'] })).json).toHaveLength(1)
    expect((await ask(`${page}/tree/HEAD`)).status).toBe(200)
    const second = await world.commit('heads', { 'a.txt': 'two' }, { revision: 'HEAD' })
    expect((await ask(`${page}/raw/main/a.txt`)).text).toBe('two')
    expect((await ask(`${api}/branch/new`, { startingPoint: 'HEAD' })).status).toBe(200)
    expect((await ask(`${api}/revision/new`)).json.sha).toBe(second.json.commitOid)
    expect((await ask(`${api}/branch/HEAD`, {})).status).toBe(400)
    expect((await ask(`${api}/tag/main`, { tag: 'HEAD' })).status).toBe(400)
    // Only the route of Hugging Face clients takes HEAD.
    expect((await ask(`${api}/storage-read-token/HEAD`)).status).toBe(404)
    expect((await ask(`${api}/revision/head`)).status).toBe(404)
  })

  test('an address that no client knows gets 404 with a sentence that does not deny the forge', async () => {
    for (const path of ['/lab', '/models', '/api/nonsense', '/api/models/a/b/treesize/HEAD/']) {
      const { status, text } = await world.ask(path, { as: 'reader' })
      expect(status, path).toBe(404)
      expect(text, path).toContain('serves repositories, files, commits and refs')
    }
  })

  test('commits are counted, whatever the page shows', async () => {
    await world.create('counted')
    for (const content of ['1', '2']) await world.commit('counted', { 'a.txt': content })
    const commits = (query: string) =>
      world.ask(`/api/models/acme/counted/commits/main${query}`, { as: 'reader' })
    for (const query of ['', '?limit=1', '?limit=1&p=2']) {
      expect((await commits(query)).headers.get('x-total-count')).toBe('3')
    }
    expect((await commits('?limit=1')).json).toHaveLength(1)
  })

  test('each commit is an entry of the journal, by its account', async () => {
    await world.create('journal')
    await world.commit('journal', { 'a.txt': 'a' })
    const { items } = (await world.done('changes', { limit: 1000 })) as {
      items: { verb: string; actor: { account?: string }; repository?: string }[]
    }
    const own = items.filter((entry) => JSON.stringify(entry).includes('acme/journal'))
    expect(own.map(({ verb }) => verb)).toContain('ref set')
    expect(JSON.stringify(own.at(-1))).toContain('writer')
  })
})
