/** The real git as a client of repositories behind a small server. */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { type CommitHash, parseRefName } from '@latchkey/protocol'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepRef, type Repository } from '../../src/git/index.ts'
import {
  addFile,
  commitEdits,
  main,
  openWorld,
  path,
  pointTo,
  readAll,
  ref,
  type World,
} from './world.ts'

const folder = sharedFolder()
const content = randomBytes(2_000_000)
let world: World
let repository: Repository
let server: Server
let url: string
let first: CommitHash
let kept: CommitHash
beforeAll(async () => {
  world = await openWorld(folder)
  repository = world.repository
  const large = await repository.writeBlob(content)
  const edit = { kind: 'add', path: path('large.bin'), hash: large, mode: '100644' } as const
  first = await commitEdits(repository, [edit])
  kept = await commitEdits(repository, [await addFile(repository, 'kept', 'kept')], {
    parents: [first],
  })
  await pointTo(repository, main, first)
  await pointTo(repository, parseRefName('refs/pr/1') ?? main, first)
  await pointTo(repository, keepRef(kept), kept)
  server = createServer((request, response) => void answer(request, response)).listen(
    0,
    '127.0.0.1',
  )
  await new Promise((resolve) => server.once('listening', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/repository.git`
})
afterAll(() => {
  server.close()
  world.git.close()
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const protocol = request.headers['git-protocol']
  const about = { protocol: protocol?.toString(), signal: gone.signal }
  const isPost = request.method === 'POST'
  const isPacked = request.headers['content-encoding'] === 'gzip'
  const body = isPacked ? request.pipe(createGunzip()) : request
  response.setHeader(
    'content-type',
    `application/x-git-upload-pack-${isPost ? 'result' : 'advertisement'}`,
  )
  const said = isPost ? repository.uploadPack({ ...about, body }) : repository.advertiseRefs(about)
  await pipeline(said, response).catch(() => response.destroy())
}

async function client(...args: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  }
  const { stdout } = await promisify(execFile)('git', args, { cwd: folder, env })
  return stdout
}

describe.each([0, 2])('with protocol %d', (version) => {
  const protocol = ['-c', `protocol.version=${version}`]
  const into = join(folder, `clone-${version}`)

  test('git clones what is there and fetches what comes later', async () => {
    await client(...protocol, 'clone', '--quiet', url, into)
    expect(readFileSync(join(into, 'large.bin')).equals(content)).toBe(true)
    const later = await commitEdits(
      repository,
      [await addFile(repository, `later-${version}`, 'x')],
      { parents: [first] },
    )
    await pointTo(repository, ref(`later-${version}`), later)
    await client('-C', into, ...protocol, 'fetch', '--quiet', 'origin')
    expect((await client('-C', into, 'rev-parse', `origin/later-${version}`)).trim()).toBe(later)
    expect(await client('-C', into, 'fsck', '--full')).toBe('')
  })

  test('refs that keep commits are neither listed nor fetched', async () => {
    const listed = await client(...protocol, 'ls-remote', url)
    expect(listed).toContain('refs/heads/main')
    expect(listed).toContain('refs/pr/1')
    expect(listed).not.toContain('latchkey')
    expect(listed).not.toContain(kept)
    await expect(
      client('-C', into, ...protocol, 'fetch', 'origin', keepRef(kept)),
    ).rejects.toThrow()
    await client('-C', into, ...protocol, 'fetch', '--quiet', 'origin', '+refs/*:refs/all/*')
    await expect(client('-C', into, 'cat-file', '-e', kept)).rejects.toThrow()
  })
})

test('a request that is none ends with an error, and so does one that breaks off', async () => {
  const garbage = repository.uploadPack({ body: 'garbage' })
  await expect(readAll(garbage)).rejects.toMatchObject({ reason: 'exit' })
  const broken = async function* () {
    yield Buffer.from('0032want ')
    throw new Error('the client has gone')
  }
  await expect(readAll(repository.uploadPack({ body: broken() }))).rejects.toThrow(
    'the client has gone',
  )
})

test('of the header that names the protocol nothing reaches git but a version', async () => {
  const plain = await readAll(repository.advertiseRefs({}))
  const odd = await readAll(repository.advertiseRefs({ protocol: 'version=1;rm:x=y:\n' }))
  expect(odd.equals(plain)).toBe(true)
  expect(plain.toString('latin1')).toMatch(/^001e# service=git-upload-pack\n0000/)
  const second = await readAll(repository.advertiseRefs({ protocol: 'x:version=2' }))
  expect(second.toString('latin1')).toMatch(/^000eversion 2\n/)
})
