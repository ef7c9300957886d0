/** What a client of git gets by hash: what refs point to and what the API shows, and nothing else that git has. */

import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type LargeWorld, startLargeForge } from './large-world.ts'

const blobHash = (text: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

describe.skipIf(!isGitThere)('by its hash', () => {
  let world: LargeWorld
  let gitDir: string
  beforeAll(async () => {
    world = await startLargeForge()
    await world.create('wanted')
    const shown = await world.done('repo show', { repository: 'models/acme/wanted' })
    gitDir = join(world.data, 'repositories', `${(shown as { uid: string }).uid}.git`)
  })
  afterAll(() => world?.stopped())

  const api = (rest: string) => `/api/models/acme/wanted/${rest}`
  const inRepository = (...words: readonly string[]) =>
    execFileSync('git', ['--git-dir', gitDir, ...words], { encoding: 'utf8' }).trim()

  /** By a client that has nothing yet: it does not ask for what it has. */
  async function fetched(hash: string, version = 2): Promise<string> {
    const folder = temporaryFolder()
    execFileSync('git', ['init', '--quiet', '--bare', folder])
    const address = world.hub.url.replace('//', `//reader:${world.tokenOf('reader')}@`)
    const env = {
      ...{ PATH: process.env['PATH'] ?? '', HOME: folder, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
      GIT_CONFIG_NOSYSTEM: '1',
    }
    const words = ['--git-dir', folder, '-c', `protocol.version=${version}`]
    const args = [...words, 'fetch', '--quiet', `${address}/acme/wanted`, hash]
    return promisify(execFile)('git', args, { env }).then(
      () => 'all of it',
      ({ stderr }) => String(stderr).split('\n').toSorted().join('\n'),
    )
  }
  const isInGit = (hash: string) => inRepository('cat-file', '-t', hash)

  test('a commit of a deleted branch is fetched, as the API shows it', async () => {
    expect((await world.ask(api('branch/dev'), { as: 'writer', body: {} })).status).toBe(200)
    const { json } = await world.commit('wanted', { 'a.txt': 'of dev' }, { revision: 'dev' })
    const deleted = await world.ask(api('branch/dev'), { as: 'writer', method: 'DELETE' })
    expect(deleted.status).toBe(200)
    const { commitOid } = json
    expect((await world.ask(api(`tree/${commitOid}`), { as: 'reader' })).status).toBe(200)
    expect(await fetched(commitOid)).toBe('all of it')
    expect(await fetched(inRepository('rev-parse', 'refs/heads/main'))).toBe('all of it')
  })

  // conformance: Forge / A hash gives no access beyond the API
  test('nothing is fetched that was refused, or that no client is to see', async () => {
    const text = 'of a proposal that was refused'
    const missing = { path: 'large.bin', algo: 'sha256', oid: 'a'.repeat(64), size: 5 }
    const propose = (...lines: readonly object[]) =>
      world.ask(api('commit/main?create_pr=1'), {
        ...{
          as: 'stranger',
          body: [{ key: 'header', value: { summary: 'a proposal' } }, ...lines],
        },
      })
    await world.done('repo set', { repository: 'models/acme/wanted', visibility: 'public' })
    const small = { key: 'file', value: { path: 'a.txt', content: text } }
    expect((await propose(small, { key: 'lfsFile', value: missing })).status).toBe(400)
    expect((await propose({ ...small, value: { path: 'b', content: 'b' } })).status).toBe(200)

    const refused = blobHash(text)
    const record = inRepository('rev-parse', 'refs/latchkey/pr/1')
    const unreachable = inRepository('fsck', '--unreachable', '--no-reflogs', '--no-progress')
    const [, commit = ''] = /unreachable commit (\S+)/.exec(unreachable) ?? []
    const hidden = [refused, record, commit, blobHash('of dev')]
    expect(hidden.map(isInGit)).toEqual(['blob', 'commit', 'commit', 'blob'])
    const absent = await fetched('12'.repeat(20))
    expect(absent).toContain('not our ref')
    for (const hash of hidden) expect(await fetched(hash)).toBe(absent)
    expect(await fetched(refused, 0)).not.toBe('all of it')
    for (const hash of [record, commit]) {
      expect((await world.ask(api(`tree/${hash}`), { as: 'reader' })).status).toBe(404)
    }
  })
  const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
  const askGit = async (body: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${world.hub.url}/acme/wanted.git/git-upload-pack`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.tokenOf('reader')}`,
        'content-type': 'application/x-git-upload-pack-request',
        'git-protocol': 'version=2',
        ...headers,
      },
      body,
    })
    return { status: answer.status, text: await answer.text() }
  }

  test('no size of an object is told: a command other than ls-refs and fetch does not reach git', async () => {
    const head = inRepository('rev-parse', 'refs/heads/main')
    const sizes = `0001${line('size')}${line(`oid ${head}`)}0000`
    const served = await askGit(`${line('command=ls-refs\n')}0000`)
    expect([served.status, served.text.includes(head)]).toEqual([200, true])
    for (const command of ['object-info', 'bundle-uri', 'fetch\0', '']) {
      const { status, text } = await askGit(`${line(`command=${command}`)}${sizes}`)
      expect([status, text]).toEqual([400, expect.stringContaining('ls-refs and fetch')])
    }
    const second = `${line('command=fetch')}${line('command=object-info')}${sizes}`
    for (const body of [second, line('agent=x') + sizes, '0000', '', 'zzzz']) {
      expect((await askGit(body)).status).toBe(400)
    }
  })

  interface Answered {
    readonly status: number
    /** Without the objects. */
    readonly lines: readonly string[]
    readonly objects: readonly string[]
  }

  /** The lines of an answer, and the objects that git finds in its pack. */
  async function fetchedRaw(body: string, protocol: string): Promise<Answered> {
    const answer = await fetch(`${world.hub.url}/acme/wanted.git/git-upload-pack`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.tokenOf('reader')}`,
        'content-type': 'application/x-git-upload-pack-request',
        'git-protocol': protocol,
      },
      body,
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const lines: string[] = []
    const pack: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      const length = Number.parseInt(bytes.toString('latin1', at, at + 4), 16)
      if (Number.isNaN(length)) {
        lines.push(bytes.toString('utf8', at))
        break
      }
      const packet = bytes.subarray(at + 4, at + Math.max(length, 4))
      if (packet[0] === 1) pack.push(packet.subarray(1))
      else if (packet.length > 0) lines.push(packet.toString('latin1'))
      at += Math.max(length, 4)
    }
    const { status } = answer
    return { status, lines, objects: pack.length === 0 ? [] : objectsIn(Buffer.concat(pack)) }
  }

  function objectsIn(pack: Buffer): string[] {
    const folder = temporaryFolder()
    const git = (words: readonly string[], input: Buffer | string = '') =>
      execFileSync('git', ['--git-dir', folder, ...words], { input, encoding: 'utf8' })
    execFileSync('git', ['init', '--quiet', '--bare', folder])
    git(['unpack-objects', '-q'], pack)
    const listing = ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)']
    return git(listing).trim().split('\n')
  }

  /** Of both protocols: the first says what it can with its first want. */
  const fetchOf = (hash: string, lines: readonly string[]): readonly [string, string][] => {
    const rest = lines.map((text) => line(`${text}\n`)).join('')
    const first = line(`want ${hash} side-band-64k no-progress deepen-since deepen-relative\n`)
    const head = `${line('command=fetch')}0001${line('no-progress')}${line(`want ${hash}\n`)}`
    return [
      [`${head}${rest}${line('done\n')}0000`, 'version=2'],
      [`${first}${rest}0000${line('done\n')}`, 'version=0'],
    ]
  }

  test('a hash that a client says it has without its parents is checked, too', async () => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    const commitTree = (...words: readonly string[]) =>
      inRepository(...author, 'commit-tree', ...words)
    const head = inRepository('rev-parse', 'refs/heads/main')
    const tree = inRepository('rev-parse', `${head}^{tree}`)
    const parent = commitTree(tree, '-m', 'the hidden parent')
    const tip = commitTree(tree, '-p', parent, '-m', 'the hidden tip')
    const hidden = [tip, parent, tree, blobHash('of dev')]
    for (const depth of ['deepen 2147483647', 'deepen 2147483646', 'deepen 1', 'deepen-since 1']) {
      const requests = (hash: string) => fetchOf(head, [`shallow ${hash}`, depth])
      for (const [at, [body, version]] of requests('12'.repeat(20)).entries()) {
        const absent = await fetchedRaw(body, version)
        expect([absent.status, absent.objects.includes(head)]).toEqual([200, true])
        expect(absent.objects).not.toContain(parent)
        for (const hash of hidden) {
          const [asked = ''] = requests(hash)[at] ?? []
          expect(await fetchedRaw(asked, version)).toEqual(absent)
        }
      }
    }
  })

  test('a depth that is no plain number is refused', async () => {
    const head = inRepository('rev-parse', 'refs/heads/main')
    for (const depth of ['0x7fffffff', '017777777777', ' 5', '+5', '6442450943']) {
      for (const [body, version] of fetchOf(head, [`deepen ${depth}`])) {
        expect((await fetchedRaw(body, version)).status).toBe(400)
      }
    }
  })

  test('more commits than a client may name are refused', async () => {
    const head = inRepository('rev-parse', 'refs/heads/main')
    const hashes = Array.from({ length: 1001 }, (_, at) => blobHash(`absent ${at}`))
    const shallow = hashes.map((hash) => `shallow ${hash}`)
    for (const [body, version] of fetchOf(head, shallow)) {
      const { status, lines } = await fetchedRaw(body, version)
      expect([status, lines.join()]).toEqual([400, expect.stringContaining('more than 1000')])
    }
  })

  test.each([0, 2])('a shallow clone grows as its client asks, by protocol %i', async (version) => {
    const name = `shallow-${version}`
    await world.create(name)
    for (const at of [1, 2, 3, 4]) await world.commit(name, { 'a.txt': `commit ${at}` })
    const folder = temporaryFolder()
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_TERMINAL_PROMPT: '0' }
    const address = world.hub.url.replace('//', `//reader:${world.tokenOf('reader')}@`)
    const git = async (...words: readonly string[]) => {
      const all = ['-c', `protocol.version=${version}`, ...words]
      return (await promisify(execFile)('git', all, { cwd: folder, env })).stdout.trim()
    }
    const count = () => git('rev-list', '--count', 'origin/main')
    await git('clone', '-q', '--depth', '1', `${address}/acme/${name}`, '.')
    expect(await count()).toBe('1')
    // No ref points to the commit any more that the clone ends with.
    await world.commit(name, { 'a.txt': 'commit 1' })
    await git('fetch', '-q')
    expect(await count()).toBe('2')
    await git('fetch', '-q', '--deepen', '2')
    expect(await count()).toBe('4')
    await git('fetch', '-q', '--shallow-since', '2000-01-01')
    expect(await count()).toBe('6')
    await git('fetch', '-q', '--depth', '1')
    expect(await count()).toBe('1')
    await world.commit(name, { 'a.txt': 'commit 2' })
    await git('fetch', '-q', '--unshallow')
    expect(await count()).toBe('7')
    await git('fsck', '--strict')
  })

  test('a request with too many capabilities is refused before the rest of it comes', async () => {
    const sent = httpRequest(`${world.hub.url}/acme/wanted.git/git-upload-pack`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${world.tokenOf('reader')}`,
        'content-type': 'application/x-git-upload-pack-request',
        'git-protocol': 'version=2',
        'content-length': 65_000,
      },
    })
    sent.write('0005a'.repeat(65))
    const [answer] = await once(sent, 'response')
    expect(answer.statusCode).toBe(400)
    sent.on('error', () => {}).destroy()
  })

  test('a request that git cannot read is refused, and is no failure of the hub', async () => {
    const head = inRepository('rev-parse', 'refs/heads/main')
    const lines = ['want-ref refs/latchkey/pr/1', 'filter blob:none', 'deepen -5', 'shallow zzz']
    for (const asked of lines) {
      const fetching = `${line('command=fetch')}0001${line(`want ${head}\n`)}${line(asked)}`
      const { status, text } = await askGit(`${fetching}${line('done\n')}0000`)
      expect([status, text]).toEqual([400, expect.stringContaining('Git refuses the request')])
      // The forge does not repeat the text of a client: it may hold a secret.
      expect(text).not.toContain(asked)
    }
    for (const version of ['version=2', 'version=0']) {
      const packed = { 'content-encoding': 'gzip', 'git-protocol': version }
      const { status, text } = await askGit('xx', packed)
      expect([status, text]).toEqual([400, expect.stringContaining('gzip')])
    }
  })

  // conformance: Forge / A hash gives no access beyond the API
  test('a file that is hidden is no base of what is sent, whatever a client says it has', async () => {
    const seed = (at: number) => createHash('sha256').update(`secret ${at}`).digest('hex')
    const secret = Array.from({ length: 200 }, (_, at) => seed(at)).join('\n')
    const inGit = (input: string, ...words: readonly string[]) =>
      execFileSync('git', ['--git-dir', gitDir, ...words], { input, encoding: 'utf8' }).trim()
    const blob = inGit(secret, 'hash-object', '-w', '--stdin')
    const tree = inGit(`100644 blob ${blob}\tsecret.txt\n`, 'mktree')
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    const hidden = inRepository(...author, 'commit-tree', tree, '-m', 'hidden')
    const guess = `${secret.slice(0, 9000)} a guess ${secret.slice(9100)}`
    const { json } = await world.commit('wanted', { 'secret.txt': guess })
    const tip = json.commitOid
    const first = inRepository('rev-list', '--max-parents=0', 'refs/heads/main')
    const [shallow, have] = [`shallow ${first}\n`, `have ${hidden}\n`]
    const [want, wantThin] = [`want ${tip}\n`, `want ${tip} thin-pack ofs-delta no-progress\n`]
    const of2 = (...lines: readonly string[]) =>
      `${line('command=fetch')}0001${lines.map(line).join('')}0000`
    const requests = [
      ['version=2', of2('thin-pack', want, shallow, have, 'done\n')],
      ['version=2', of2(shallow, want, 'thin-pack\n', have, 'done\n')],
      ['version=2', of2('thin-pack', want, have, shallow, 'done\n')],
      ['version=2', of2(want, have, 'thin-pack', shallow, 'done\n')],
      ['version=2', of2('thin-pack', want, 'deepen 1\n', have, 'done\n')],
      ['version=2', of2('thin-pack', want, 'deepen-since 1\n', have, 'done\n')],
      ['version=2', of2('thin-pack', want, have, 'deepen-relative\n', 'deepen 1\n', 'done\n')],
      [
        'version=0',
        `${[wantThin, shallow].map(line).join('')}0000${[have, 'done\n'].map(line).join('')}`,
      ],
      [
        'version=0',
        `${[wantThin, 'deepen 1\n'].map(line).join('')}0000${[have, 'done\n'].map(line).join('')}`,
      ],
      ['version=2', of2('thin-pack', want, have, 'done\n')],
    ] as const
    for (const [version, body] of requests) {
      const answer = await fetch(`${world.hub.url}/acme/wanted.git/git-upload-pack`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.tokenOf('reader')}`,
          'content-type': 'application/x-git-upload-pack-request',
          'git-protocol': version,
        },
        body,
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect([body, bytes.includes(Buffer.from(blob, 'hex'))]).toEqual([body, false])
      if (answer.status === 200) expect(bytes.length).toBeGreaterThan(6000)
    }
  })

  test('a client that has no depth gets differences to the files that it has', async () => {
    const text = Array.from({ length: 500 }, (_, at) => blobHash(`${at}`)).join('\n')
    const commits: string[] = []
    for (const end of ['one', 'two']) {
      const { json } = await world.commit('wanted', { 'thin.txt': text + end })
      commits.push(json.commitOid)
    }
    const lines = ['thin-pack', `want ${commits[1]}\n`, `have ${commits[0]}\n`, 'done\n'].map(line)
    const { status, text: sent } = await askGit(`${line('command=fetch')}0001${lines.join('')}0000`)
    expect([status, sent.length < 2000]).toEqual([200, true])
  })

  test('an object that a client says it has is acknowledged if git has it, and nothing more is told', async () => {
    const head = inRepository('rev-parse', 'refs/heads/main')
    const [there, absent] = [blobHash('of dev'), '12'.repeat(20)]
    const lines = [`want ${head}\n`, `have ${there}\n`, `have ${absent}\n`].map(line).join('')
    const { text } = await askGit(`${line('command=fetch')}0001${lines}0000`)
    expect(text).toBe(`${line('acknowledgments\n')}${line(`ACK ${there}\n`)}0000`)
  })
})
