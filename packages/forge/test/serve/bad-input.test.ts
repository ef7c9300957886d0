/** What nobody should send: a clear answer, and nothing half done. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { askGit } from '../git/world.ts'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge } from './forge-world.ts'

const header = { key: 'header', value: { summary: 'a commit' } }

// biome-ignore format: a table is read by its columns
const tricks: readonly string[] = [
  '', '.', '..', '../x', 'a/../b', 'a/./b', '/etc/passwd', 'a//b', 'a/',
  '.git', '.git/config', '.GIT/config', 'x/.git/hooks/post-checkout', 'x/.GiT/x', '.git /x', '.git./x',
  'git~1/config', 'GIT~1', '.git::$INDEX_ALLOCATION/x', '.git:x', '.g\u200cit/config', '.gi\u200dt', '\u202e.git',
  'a\0b', 'a\\..\\b', 'x'.repeat(4097), `${'x/'.repeat(2048)}x`, 'x'.repeat(256), 'a\ud800b',
  '.gitmodules', '.GITMODULES', 'x/gitmod~1',
]

describe.skipIf(!isGitThere)('a forge', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge()
    await world.create('bodies')
  })
  afterAll(() => world?.stopped())

  const headOf = async (name: string) =>
    (await world.ask(`/api/models/acme/${name}`, { as: 'reader' })).json.sha
  const commitOf = (name: string, lines: readonly object[]) =>
    world.ask(`/api/models/acme/${name}/commit/main`, { as: 'writer', body: [header, ...lines] })
  const uidOf = async (name: string): Promise<string> =>
    (await world.ask(`/api/models/acme/${name}`, { as: 'owner' })).json._id
  const placeOf = (uid: string) => join(world.data, 'repositories', `${uid}.git`)

  test('says at a path that names no route that it serves repositories', async () => {
    for (const path of ['/lab', '/api/nonsense', '/api/models/acme/bert/treesize/HEAD/']) {
      const { text, headers } = await world.ask(path)
      const json = JSON.parse(text)
      expect([json.code, json.error], path).toEqual([
        'not_found',
        expect.stringMatching(
          /^The hub has no route at this path\. .* serves repositories, files, commits and refs .* docs\/reference\/forge-routes\.md /,
        ),
      ])
      expect(headers.get('x-error-message'), path).toBe(json.error)
    }
  })

  // conformance: Forge / Bad paths, bodies and states change nothing
  test('takes no path that leaves the folder of a checkout or reaches its .git, in any key of a commit', async () => {
    await world.create('tricks')
    await world.commit('tricks', { 'a.txt': 'a' })
    const head = await headOf('tricks')
    for (const [at, path] of tricks.entries()) {
      const lines = [
        { key: 'file', value: { path, content: 'x' } },
        { key: 'lfsFile', value: { path, algo: 'sha256', oid: 'a'.repeat(64), size: 5 } },
        { key: 'copyFile', value: { path, srcPath: 'a.txt' } },
        { key: 'deletedFile', value: { path } },
      ]
      // All keys in a soak; otherwise in turn.
      for (const line of lines.filter((_, index) => (at + index) % lines.length < rounds(1, 4))) {
        const { status, json } = await commitOf('tricks', [line])
        const isAbsent = line.key === 'deletedFile' && json.code === 'entry_not_found'
        const wanted = isAbsent ? [404, 'entry_not_found'] : [400, 'bad_request']
        expect([path, line.key, status, json.code]).toEqual([path, line.key, ...wanted])
      }
    }
    expect(await headOf('tricks')).toBe(head)
  })

  test('reads no such path either, and none that is no UTF-8', async () => {
    const encoded = tricks.filter((path) => path.isWellFormed()).map(encodeURIComponent)
    for (const path of [...encoded, '%ff', 'a%c0%ae%c0%ae', '%00', '..%2f..%2fconfig', '%2e%2e']) {
      for (const address of [
        `/acme/bodies/resolve/main/${path}`,
        `/api/models/acme/bodies/tree/main/${path}`,
      ]) {
        if (address.endsWith('/')) continue
        // fetch resolves dot segments by itself.
        const status = await statusOf(address)
        expect([address, status >= 400 && status < 500]).toEqual([address, true])
      }
    }
    const { json } = await world.ask('/api/models/acme/bodies/paths-info/main', {
      ...{ as: 'reader', body: { paths: tricks } },
    })
    expect(json).toEqual([])
  })

  /** A GET whose target nobody has tidied. */
  const statusOf = (target: string) =>
    new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(world.hub.url)
      const socket = connect(Number(port), hostname)
      const lines = [
        ...[`GET ${target} HTTP/1.1`, `host: ${hostname}:${port}`, 'connection: close'],
        ...[`authorization: Bearer ${world.tokenOf('reader')}`, '', ''],
      ]
      socket.once('data', (said) => {
        resolve(Number(said.toString().split(' ')[1]))
        socket.destroy()
      })
      socket.on('error', reject)
      socket.on('close', () => reject(new Error(`no answer to ${target.slice(0, 100)}`)))
      socket.write(lines.join('\r\n'))
    })

  // biome-ignore format: a table is read by its columns
  test.each([
    ['a fetch',  '/acme/bodies.git/git-upload-pack',    '0011command='],
    ['a commit', '/api/models/acme/bodies/commit/main', '{"key":'],
  ])('logs no failure when a client leaves in the body of %s', async (_, path, body) => {
    const before = world.logLines.length
    const arrived: IncomingMessage[] = []
    const note = (message: unknown) => {
      const { request: started } = message as { readonly request: IncomingMessage }
      // At the forge: the hub tells it the address of the client.
      if (started.headers['x-forwarded-for'] !== undefined) arrived.push(started)
    }
    subscribe('http.server.request.start', note)
    onTestFinished(() => void unsubscribe('http.server.request.start', note))
    const headers = {
      authorization: `Bearer ${world.tokenOf('writer')}`,
      ...{ 'git-protocol': 'version=2', 'content-length': 1000 },
    }
    const sent = request(world.hub.url + path, { method: 'POST', agent: false, headers })
    sent.on('error', () => {}).write(body)
    const isRead = () => arrived[0]?.listenerCount('readable')
    await expect.poll(isRead).toBeGreaterThan(0)
    sent.destroy()
    await expect.poll(() => arrived[0]?.errored, { timeout: 60_000 }).toBeTruthy()
    // The hub serves this afterwards.
    await headOf('bodies')
    expect(world.logLines.slice(before).filter((line) => line.includes('_failed'))).toEqual([])
  })

  /** A body of bytes, in parts that are sent one after the other. */
  const send = async (
    name: string,
    parts: AsyncIterable<Uint8Array>,
    as: 'writer' | 'owner' = 'writer',
  ) => {
    const answer = await fetch(`${world.hub.url}/api/models/acme/${name}/commit/main`, {
      ...{ method: 'POST', duplex: 'half', body: ReadableStream.from(parts) },
      headers: { authorization: `Bearer ${world.tokenOf(as)}` },
    } as RequestInit)
    return { status: answer.status, json: JSON.parse(await answer.text()) }
  }
  const line = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`)
  const file = (path: string) => line({ key: 'file', value: { path, content: 'x'.repeat(100) } })

  // biome-ignore format: a table is read by its columns
  test.each<[what: string, lines: readonly (Buffer | object)[]]>([
    ['a path that is no UTF-8',    [header, Buffer.from('{"key":"file","value":{"path":"a\xff","content":""}}\n', 'latin1')]],
    ['content that is no UTF-8',   [header, Buffer.from('{"key":"file","value":{"path":"a","content":"\xff"}}\n', 'latin1')]],
    ['a line that is no JSON',     [header, Buffer.from('{"key":\n')]],
    ['a key that nobody knows',    [header, { key: 'symlink', value: { path: 'a', target: '/etc/passwd' } }]],
    ['two headers',                [header, header]],
    ['no header',                  [{ key: 'file', value: { path: 'a', content: '' } }]],
    ['base64 that is none',        [header, { key: 'file', value: { path: 'a', content: '!', encoding: 'base64' } }]],
    ['a parent that is no commit', [{ key: 'header', value: { summary: 'x', parentCommit: '--all' } }]],
    ['a NUL in its summary',       [{ key: 'header', value: { summary: 'a\0b' } }]],
  ])('refuses a commit with %s', async (_, lines) => {
    const name = 'bodies'
    const head = await headOf(name)
    const body = lines.map((one) => (Buffer.isBuffer(one) ? one : line(one)))
    const { status, json } = await send(name, ReadableStream.from(body))
    expect([status, json.code]).toEqual([400, 'bad_request'])
    expect(await headOf(name)).toBe(head)
  })

  const api = '/api/models/acme/bodies'
  const kib = 1024
  // biome-ignore format: a table is read by its columns
  test.each<[method: string, path: string, bytes: number]>([
    ['POST',   '/api/repos/create',         64 * kib],
    ['DELETE', '/api/repos/delete',         64 * kib],
    ['POST',   `${api}/branch/new`,         64 * kib],
    ['POST',   `${api}/discussions`,        64 * kib],
    ['POST',   `${api}/paths-info/main`,   256 * kib],
    ['POST',   `${api}/tag/main`,          320 * kib],
    ['POST',   `${api}/preupload/main`,   2048 * kib],
    ['POST',   '/api/validate-yaml',      2048 * kib],
  ])('%s %s takes no more than %i bytes of JSON', async (method, path, bytes) => {
    const headers = { 'content-type': 'application/json', 'content-length': String(bytes + 1) }
    const { status, json } = await announce(method, path, headers)
    expect([status, json.code]).toEqual([413, 'body_too_large'])
    expect(json.detail).toContain(`larger than ${bytes} bytes`)
  })

  test.each<[what: string, body: string, status: number, detail: string]>([
    ['larger than 1 MiB', 'a'.repeat(1024 * kib + 1), 413, 'larger than 1048576 bytes'],
    ['with more than 1001 pairs', 'paths=a&'.repeat(1001), 400, 'no form of at most 1001 pairs'],
    ['with a pair of 16 KiB', `paths=${'a'.repeat(16 * kib)}`, 400, 'no form of'],
  ])('refuses a form %s', async (_, body, status, detail) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await announce('POST', `${api}/paths-info/main`, headers, body)
    expect(answer.status).toBe(status)
    expect(answer.json.detail).toContain(detail)
  })

  test('git-lfs is told to ask for less when its list is larger than 256 KiB', async () => {
    const path = '/acme/bodies.git/info/lfs/objects/batch'
    const { status } = await announce('POST', path, {}, ' '.repeat(256 * kib + 1))
    expect(status).toBe(413)
  })

  /** Sends the body, or its first byte: the hub passes on the head with it. By the announced length, the forge responds without the rest. */
  async function announce(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ) {
    const authorization = `Bearer ${world.tokenOf('owner')}`
    const sent = request(new URL(path, world.hub.url), {
      ...{ method, agent: false, headers: { ...headers, authorization } },
    })
    sent.on('error', () => {})
    if (body === undefined) sent.write('{')
    else sent.end(body)
    const [response] = await once(sent, 'response')
    const text = await readText(response)
    sent.destroy()
    return { status: response.statusCode, json: JSON.parse(text) }
  }

  test('keeps twins that differ by case alone apart', async () => {
    await world.create('twins')
    expect(
      (await world.commit('twins', { 'A.txt': '1', 'a.txt': '2', 'b/x': '3', 'B/x': '4' })).status,
    ).toBe(200)
    const texts = await Promise.all(
      ['A.txt', 'a.txt', 'b/x', 'B/x'].map((path) =>
        world.ask(`/acme/twins/resolve/main/${path}`, { as: 'reader' }),
      ),
    )
    expect(texts.map(({ text }) => text)).toEqual(['1', '2', '3', '4'])
  })

  test('stops reading a commit of a million lines at its bound', async () => {
    const head = await headOf('bodies')
    let sent = 0
    // Lines that say something are read one by one, which takes a second.
    const one = rounds(0, 1)
      ? line({ key: 'deletedFile', value: { path: 'a' } })
      : Buffer.from('\n')
    const lines = Buffer.alloc(2 ** 16, one)
    async function* million() {
      yield line(header)
      for (; sent < 1000; sent += 1) yield lines
    }
    // The connection may be ended while the rest is on its way.
    const answer = await send('bodies', million()).catch(() => undefined)
    if (answer !== undefined)
      expect([answer.status, answer.json.code]).toEqual([413, 'body_too_large'])
    expect(sent).toBeLessThan(1000)
    expect(await headOf('bodies')).toBe(head)
  })

  const whileItRuns = async (name: string, change: () => Promise<unknown>) => {
    let isRead = () => {}
    const read = new Promise<void>((resolve) => {
      isRead = resolve
    })
    async function* slow() {
      yield Buffer.concat([line(header), file('first.txt')])
      isRead()
      await sleep(50)
      await change()
      yield file('second.txt')
    }
    const answer = await send(name, slow())
    await read
    return answer
  }

  // conformance: Forge / Bad paths, bodies and states change nothing
  test('makes no commit on a branch that is deleted while it runs', async () => {
    await world.create('without-branch')
    const commit = await headOf('without-branch')
    const uid = await uidOf('without-branch')
    const repository = 'models/acme/without-branch'
    await world.done('ref set', { repository, ref: 'other', commit, from: 'main' })
    const answer = await whileItRuns('without-branch', () =>
      world.done('ref delete', { repository, ref: 'main', loseContent: true }),
    )
    expect([answer.status, answer.json.code]).toEqual([404, 'revision_not_found'])
    // A clone brings git to the directory.
    const refs = await world.ask('/acme/without-branch.git/info/refs?service=git-upload-pack', {
      as: 'owner',
    })
    expect([refs.status, refs.text.includes('refs/heads/main')]).toEqual([200, false])
    expect(refs.text).toContain('refs/heads/other')
    expect(readdirSync(join(world.data, 'forge', 'pending'))).toEqual([])
    expect(existsSync(join(placeOf(uid), 'refs/heads/main.lock'))).toBe(false)
  })

  test('makes no commit in a repository that is deleted while it runs, and leaves none of it', async () => {
    await world.create('without-repository')
    const uid = await uidOf('without-repository')
    const body = { name: 'without-repository', organization: 'acme' }
    const answer = await whileItRuns('without-repository', () =>
      world.ask('/api/repos/delete', { method: 'DELETE', as: 'owner', body }),
    )
    expect([answer.status, answer.json.code]).toEqual([404, 'repository_not_found'])
    expect(existsSync(placeOf(uid))).toBe(false)
    expect(readdirSync(join(world.data, 'forge', 'pending'))).toEqual([])
  })

  test('makes no commit with a hub token that is revoked while it runs', async () => {
    const head = await headOf('bodies')
    await world.apply({ hubTokens: [{ account: 'writer', name: 'short', kind: 'write' }] })
    const token = world.tokens['writer/short']?.reveal() ?? ''
    const { items } = (await world.done('hub-token list')) as {
      items: { id: string; name: string }[]
    }
    const hubToken = items.find((one) => one.name === 'short')?.id
    async function* slow() {
      yield Buffer.concat([line(header), file('first.txt')])
      await sleep(50)
      await world.done('hub-token revoke', { hubToken })
      yield file('second.txt')
    }
    const { status } = await fetch(`${world.hub.url}/api/models/acme/bodies/commit/main`, {
      ...{ method: 'POST', duplex: 'half', body: ReadableStream.from(slow()) },
      headers: { authorization: `Bearer ${token}` },
    } as RequestInit)
    expect(status).toBe(401)
    expect(await headOf('bodies')).toBe(head)
  })

  test('leaves nothing of a commit whose client goes away', async () => {
    await world.create('gone-away')
    const head = await headOf('gone-away')
    const uid = await uidOf('gone-away')
    const stopping = new AbortController()
    async function* half() {
      yield Buffer.concat([line(header), file('first.txt')])
      stopping.abort()
      yield file('second.txt')
    }
    const going = fetch(`${world.hub.url}/api/models/acme/gone-away/commit/main`, {
      ...{ method: 'POST', duplex: 'half', body: ReadableStream.from(half()) },
      ...{
        headers: { authorization: `Bearer ${world.tokenOf('writer')}` },
        signal: stopping.signal,
      },
    } as RequestInit)
    await expect(going).rejects.toThrow()
    expect((await world.commit('gone-away', { 'b.txt': 'b' })).status).toBe(200)
    const { json } = await world.ask('/api/models/acme/gone-away/commits/main', { as: 'reader' })
    expect(json.map(({ id }: { id: string }) => id).at(-1)).toBe(head)
    expect(json).toHaveLength(2)
    askGit(placeOf(uid), ['fsck', '--strict'])
  })

  test('answers a card that expands without end, or has no end, at once', async () => {
    const bomb = [
      'a: &a [x,x]',
      ...'bcdefghijklmnop'.split('').map((name, at) => {
        const before = 'abcdefghijklmnop'[at]
        return `${name}: &${name} [${`*${before},`.repeat(9)}*${before}]`
      }),
    ].join('\n')
    const deep = `a: ${'['.repeat(100_000)}`
    const wide = `a: [${'x,'.repeat(200_000)}x]`
    for (const yaml of [bomb, deep, `a: "${'x'.repeat(100_000)}`]) {
      const content = `---\n${yaml}\n---\n`
      const started = process.cpuUsage().user
      const { status, json } = await world.ask('/api/validate-yaml', {
        as: 'writer',
        body: { content, repoType: 'model' },
      })
      expect([status, json.errors.length > 0]).toEqual([400, true])
      expect((process.cpuUsage().user - started) / 1e6).toBeLessThan(5)
    }
    const large = await world.ask('/api/validate-yaml', { as: 'writer', body: { content: wide } })
    expect([200, 400, 413]).toContain(large.status)
  })

  test('answers for a commit with a longer hash, which the directory may name, that it is not here', async () => {
    await world.create('longer')
    const commit = 'ab'.repeat(32)
    await world.done('ref set', {
      repository: 'models/acme/longer',
      ref: 'elsewhere',
      commit,
      from: 'main',
    })
    for (const path of ['tree/elsewhere', 'commits/elsewhere', `tree/${commit}`]) {
      const { status, headers } = await world.ask(`/api/models/acme/longer/${path}`, {
        as: 'reader',
      })
      expect([path, status, headers.get('x-error-code')]).toEqual([path, 404, 'RevisionNotFound'])
    }
    const info = await world.ask('/api/models/acme/longer/revision/elsewhere', { as: 'reader' })
    expect(info.status).toBe(200)
    const clone = await world.ask('/acme/longer.git/info/refs?service=git-upload-pack', {
      as: 'owner',
    })
    expect(clone.status).toBe(200)
    expect(clone.text).not.toContain('elsewhere')
  })
})
