/** A user with nothing but `latchkey serve --forge` and the clients that everybody has. */

import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  countCommits,
  createRepo,
  deleteRepo,
  downloadFile,
  listCollections,
  listFiles,
  listModels,
  modelInfo,
  uploadFiles,
} from '@huggingface/hub'
import { rounds } from '@latchkey/testing/chance'
import { findProgram, isGitLfsMissing } from '@latchkey/testing/tools/find-program'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { cutInto, makeFile, makeShard, makeXorb } from '@latchkey/testing/xet/making'
import { describe, expect, test } from 'vitest'
import { hubWithForge } from './hub-with-forge.ts'

/** The newest: it asks for the most. */
const environment = pythonClients.at(-1)
const hasPython = environment !== undefined && isInstalled(environment)
const hasGit = findProgram('git') !== undefined
if (!hasPython)
  console.warn('NOT TESTED: huggingface_hub is not installed, so it makes no repository')
const hasGitLfs = !isGitLfsMissing('large files are not cloned with it')
if (!hasGit) console.warn('NOT TESTED: git is not installed, so no repository is made or cloned')

const run = promisify(execFile)
const isSoak = rounds(0, 1) === 1
const patience = { timeout: 600_000 }
const weights = randomBytes(300_000)

const told = (url: string): Readonly<Record<string, object>> => ({
  files: {
    ...{ whoami: 'ada', url: `${url}/acme/first`, again: `${url}/acme/first` },
    files: [
      ...['.gitattributes', 'README.md', ...[0, 1, 2, 3, 4].map((part) => `parts/${part}.txt`)],
      ...['parts/half.bin', 'weights.safetensors'],
    ],
    commits: [
      ...['parts (part 3)', 'parts (part 2)', 'parts'],
      ...[expect.stringContaining('weights'), expect.stringContaining('README'), 'initial commit'],
    ],
    ...{ branches: ['main'], last: expect.stringContaining('README'), folders: ['parts'] },
    ...{ sizes: [9, 300_000, 300_000], readme: '# A card\n', isSame: true },
    snapshot: ['.gitattributes', 'README.md', 'parts', 'weights.safetensors'],
    ...{ isSnapshotSame: true, left: ['.gitattributes', 'README.md', 'weights.safetensors'] },
    earlier: 'part 0',
  },
  failures: {
    'no repository': ['RepositoryNotFoundError', 404],
    'no name that can be': ['RepositoryNotFoundError', 404],
    'no revision': ['RevisionNotFoundError', 404],
    'no file': ['RemoteEntryNotFoundError', 404],
    'no file of a revision': ['RevisionNotFoundError', 404],
    'no folder': ['RemoteEntryNotFoundError', 404],
    'nothing to delete': ['RemoteEntryNotFoundError', 404],
    moved: ['HfHubHTTPError', 412],
    there: ['HfHubHTTPError', 409],
    'a reader writes': ['HfHubHTTPError', 403],
    'a reader deletes': ['HfHubHTTPError', 403],
    // Over https the same answer is RepositoryNotFoundError.
    'nobody reads': ['HfHubHTTPError', 401],
    'a path into .git': [expect.any(String), expect.toBeOneOf([400, null])],
    'a card that cannot be read': ['ValueError', null],
  },
  command: {
    ...{ whoami: 0, create: 0, upload: 0, 'upload large': 0, download: 0, delete: 0 },
    ...{ 'create again': 0, branch: 0, tag: 0, propose: 0, 'delete files': 0, list: 0 },
    ...{ name: true, isSame: true, text: 'sent', gone: ['RepositoryNotFoundError', 404] },
    ...{ refs: [['dev', 'main'], ['v1'], 1], left: ['.gitattributes', 'weights.safetensors'] },
    ...{ proposed: true, listed: true },
  },
  end: ['RepositoryNotFoundError', 404],
  refs: {
    ...{ branches: ['dev', 'main'], tags: ['v1'], isTagSame: true },
    there: [
      ['HfHubHTTPError', 409],
      ['HfHubHTTPError', 409],
    ],
    nowhere: ['RevisionNotFoundError', 404],
    main: ['.gitattributes', 'a.txt'],
    gone: [
      [expect.any(String), 404],
      [expect.any(String), 404],
    ],
  },
  head: {
    ...{ megabytes: 10, isMain: true, isSame: true, byPath: true },
    other: ['.gitattributes'],
    proposed: ['refs/pr/1', true],
  },
  pullRequests: {
    first: ['refs/pr/1', 1, `${url}/acme/proposals/discussions/1`],
    ...{ isSame: true, isThirdSame: true, main: ['.gitattributes', 'a.txt'], ofReader: 4 },
    several: [3, ['.gitattributes', 'a.txt', 'c.txt', 'd.txt', 'e.txt', 'third.bin']],
    commits: 4,
    refs: ['refs/pr/1', 'refs/pr/2', 'refs/pr/3'],
  },
  plainDownload: { isSame: true, part: [206, true] },
  listing: { models: true, datasets: ['acme/listed-set'], ofStranger: [] },
  metadata: {
    card: ['mit', 'en', 'text-generation', 'transformers'],
    tags: [...['speech', 'transformers', 'text-generation', 'en', 'safetensors', 'license:mit']],
    config: { model_type: 'bert', architectures: ['BertModel'] },
    ...{ safetensors: [{ F32: 6 }, 6], isSizeSame: true, isListedSame: true },
    ...{ page: [200, true], diff: true },
    access: [null, ['HfHubHTTPError', 403], ['RepositoryNotFoundError', 404]],
    unserved: [
      ['HfHubHTTPError', 501],
      ['RepositoryNotFoundError', 404],
    ],
  },
  // Every public method of HfApi: none gets an untrue 404. Addresses are checked without a client in client-calls.test.ts.
  ...(isSoak ? { everyMethod: [] } : {}),
})

describe.skipIf(!hasGit)('latchkey serve --forge', () => {
  const hub = hubWithForge()
  const around = () => ({
    ...{ HOME: hub.cwd, HF_HOME: join(hub.cwd, 'hf'), HF_ENDPOINT: hub.url },
    ...{ PATH: process.env['PATH'] ?? '', HF_TOKEN: hub.tokens['ada'] ?? '' },
    ...{ HF_HUB_DISABLE_TELEMETRY: '1', HF_HUB_DISABLE_PROGRESS_BARS: '1' },
  })
  const ask = (path: string, init: RequestInit & { readonly as?: string } = {}) => {
    const { as = 'ada', headers, ...rest } = init
    const authorization = `Bearer ${hub.tokens[as]}`
    return fetch(hub.url + path, { ...rest, headers: { authorization, ...headers } })
  }
  const create = async (name: string) => {
    const body = JSON.stringify({ name, organization: 'acme' })
    const { status } = await ask('/api/repos/create', {
      ...{ method: 'POST', body, headers: { 'content-type': 'application/json' } },
    })
    expect(status).toBe(200)
  }
  const commit = async (name: string, key: string, value: object) => {
    const lines = [
      { key: 'header', value: { summary: 'a commit' } },
      { key, value },
    ]
    const body = lines.map((line) => JSON.stringify(line)).join('\n')
    const answer = await ask(`/api/models/acme/${name}/commit/main`, { method: 'POST', body })
    return { status: answer.status, text: await answer.text() }
  }

  // conformance: Guarantees / The forge serves hf, huggingface_hub, @huggingface/hub and git
  // conformance: Forge / Unmodified clients work
  test.skipIf(!hasPython)(
    'makes, fills, lists, reads and deletes repositories for huggingface_hub and hf, and fails with their errors',
    async () => {
      writeFileSync(join(hub.cwd, 'weights.safetensors'), weights)
      const expected = Object.entries(told(hub.url))
      const program = join(import.meta.dirname, 'hub.py')
      const python = run(environment?.python ?? '', [program], { env: around(), ...patience })
      const { ada: token, guest, stranger } = hub.tokens
      const steps = expected.map(([step]) => step)
      python.child.stdin?.end(JSON.stringify({ token, guest, stranger, steps, folder: hub.cwd }))
      expect(JSON.parse((await python).stdout)).toEqual(Object.fromEntries(expected))
    },
    patience.timeout,
  )

  // conformance: Forge / Unmodified clients work
  test('makes, fills, lists, reads and deletes a repository for huggingface.js', async () => {
    const about = { repo: 'acme/by-js', accessToken: hub.tokens['ada'] ?? '', hubUrl: hub.url }
    const { repoUrl } = await createRepo({ ...about, visibility: 'private' })
    expect(repoUrl).toBe(`${hub.url}/acme/by-js`)
    const large = { path: 'weights.safetensors', content: new Blob([weights]) }
    const small = { path: 'folder/a.txt', content: new Blob(['text']) }
    const files = [small, large]
    const made = await uploadFiles({ ...about, files, useXet: true })
    expect(made?.commit.oid).toMatch(/^[0-9a-f]{40}$/)
    const sizes = new Map<string, number>()
    for await (const { path, size } of listFiles({ ...about, recursive: true }))
      sizes.set(path, size)
    for (const { path, content } of files) expect(sizes.get(path)).toBe(content.size)
    const text = await downloadFile({ ...about, path: 'folder/a.txt' })
    expect(await text?.text()).toBe('text')
    const got = await downloadFile({ ...about, path: large.path })
    expect(weights.equals(Buffer.from(await (got ?? new Blob()).arrayBuffer()))).toBe(true)
    if (hasGitLfs) expect(weights.equals(await clonedByLfs('by-js', large.path))).toBe(true)
    const card = '---\npipeline_tag: text-generation\ntags: [speech]\n---\n# A card\n'
    await uploadFiles({ ...about, files: [{ path: 'README.md', content: new Blob([card]) }] })
    const told = { name: 'acme/by-js', task: 'text-generation', tags: expect.any(Array) }
    const model = await modelInfo({
      ...about,
      name: about.repo,
      additionalFields: ['tags', 'filePaths'],
    })
    expect(model).toMatchObject(told)
    expect(model.filePaths).toContain('weights.safetensors')
    const search = { owner: 'acme', query: 'by-js' }
    for await (const one of listModels({ ...about, search, additionalFields: ['tags'] }))
      expect(one).toMatchObject(told)
    expect(await countCommits(about)).toBe(3)
    const collection = listCollections(about).next()
    await expect(collection).rejects.toThrow('Latchkey does not support collections.')
    await deleteRepo(about)
    await expect(listFiles(about).next()).rejects.toThrow(/no such repository/)
  })

  /** A file of a clone that git-lfs has filled. */
  async function clonedByLfs(name: string, path: string): Promise<Buffer> {
    const config = join(hub.cwd, 'git-lfs-config')
    writeFileSync(config, '[filter "lfs"]\nprocess = git-lfs filter-process\nrequired = true\n')
    const env = { ...around(), GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: config }
    const address = `${hub.url.replace('//', `//ada:${hub.tokens['ada']}@`)}/acme/${name}`
    const words = ['clone', '--quiet', address, 'with-lfs']
    await run('git', words, { cwd: hub.cwd, env, ...patience })
    return readFileSync(join(hub.cwd, 'with-lfs', path))
  }

  // conformance: Forge / Unmodified clients work
  test('is cloned, fetched from and pushed to by git, and by nobody without a hub token', async () => {
    await create('cloned')
    await commit('cloned', 'file', { path: 'a.txt', content: 'a' })
    const env = { ...around(), GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: '/dev/null' }
    const git = async (...words: string[]) =>
      (await run('git', words, { cwd: hub.cwd, env, ...patience })).stdout
    const address = `${hub.url.replace('//', `//ada:${hub.tokens['ada']}@`)}/acme/cloned`
    await git('clone', '--quiet', address, 'clone')
    expect(readFileSync(join(hub.cwd, 'clone', 'a.txt'), 'utf8')).toBe('a')
    const { text } = await commit('cloned', 'file', { path: 'b/c.txt', content: 'c' })
    await git('-C', 'clone', 'fetch', '--quiet')
    const { commitOid } = JSON.parse(text)
    expect((await git('-C', 'clone', 'rev-parse', 'origin/main')).trim()).toBe(commitOid)
    expect(await git('-C', 'clone', 'show', 'origin/main:b/c.txt')).toBe('c')
    await git('-C', 'clone', 'fsck', '--strict')
    await expect(git('ls-remote', `${hub.url}/acme/cloned.git`)).rejects.toThrow()
    const stranger = address.replace(hub.tokens['ada'] ?? '', hub.tokens['stranger'] ?? '')
    await expect(git('ls-remote', stranger)).rejects.toThrow(/403|not found/)
    const pushTo = (to: string, branch: string) =>
      git('-C', 'clone', 'push', '--quiet', to, `origin/main:refs/heads/${branch}`)
    await pushTo(address, 'pushed')
    const guest = address.replace(hub.tokens['ada'] ?? '', hub.tokens['guest'] ?? '')
    await expect(pushTo(`${hub.url}/acme/cloned`, 'nobody')).rejects.toThrow()
    await expect(pushTo(stranger, 'stranger')).rejects.toThrow(/403|not found/)
    await expect(pushTo(guest, 'guest')).rejects.toThrow(/403/)
    const refs = await git('ls-remote', '--heads', address)
    expect(refs).toBe(`${commitOid}\trefs/heads/main\n${commitOid}\trefs/heads/pushed\n`)
  })

  // conformance: Forge / A SHA-256 gives no access to another repository
  test('gives no repository the content of another by its SHA-256, whatever a shard claims', async () => {
    const [own, other] = [randomBytes(20_000), randomBytes(20_000)]
    const oidOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
    await create('victim')
    await create('thief')
    /** Uploads content under a claim of its SHA-256. */
    const upload = async (name: string, content: Buffer, claim: Buffer, isSent = true) => {
      const answer = await ask(`/api/models/acme/${name}/storage-write-token/main`)
      const { casUrl, accessToken } = (await answer.json()) as Record<string, string>
      const headers = { authorization: `Bearer ${accessToken}` }
      const xorb = makeXorb(cutInto(content, 10_000))
      const send = (path: string, body: Buffer) =>
        fetch(casUrl + path, { method: 'POST', headers, body: new Uint8Array(body) })
      if (isSent)
        expect((await send(`/v1/xorbs/default/${xorb.hash}`, xorb.bytes)).status).toBe(200)
      const shard = makeShard({ files: [makeFile([{ xorb }], claim)], xorbs: [xorb] })
      return (await send('/v1/shards', shard)).status
    }
    const name = (repository: string, content: Buffer) => {
      const [oid, size] = [oidOf(content).toString('hex'), content.length]
      return commit(repository, 'lfsFile', { path: 'x.bin', algo: 'sha256', oid, size })
    }

    expect(await upload('victim', other, oidOf(other))).toBe(200)
    expect((await name('victim', other)).status).toBe(200)
    expect((await name('thief', other)).status).toBe(400)
    // A claim that is not true, of content of the same length.
    expect(await upload('thief', own, oidOf(other))).toBe(200)
    const forged = await name('thief', other)
    expect([forged.status, forged.text]).toEqual([400, expect.stringContaining('no content')])
    // A shard that names the xorb of the other repository.
    expect(await upload('thief', other, oidOf(other), false)).toBeGreaterThanOrEqual(400)
    expect((await name('thief', other)).status).toBe(400)
    // The claim has not hidden what is there.
    expect((await name('thief', own)).status).toBe(200)
    const { status } = await ask('/acme/victim/resolve/main/x.bin', { method: 'HEAD' })
    expect(status).toBe(200)
  })
})
