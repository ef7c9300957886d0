/** Pushes that an attacker makes: hidden objects, hostile names, packs that lie, floods of refs. */

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  blobOf as blob,
  commitText as commitOf,
  treeEntry as entry,
  noObject as none,
  objectOf,
  type Packed,
  packOf,
  pushBody,
  sizeBytes,
  treeOf as tree,
} from '@latchkey/testing/git/packs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge } from './forge-world.ts'
import { clone } from './git-client.ts'

describe.skipIf(!isGitThere)('a hostile push', () => {
  let world: ForgeWorld
  let gitDir: string
  beforeAll(async () => {
    world = await startForge({}, { bounds: { pushBytes: 4 * 1024 * 1024 } })
    await world.create('hostile')
    const shown = await world.done('repo show', { repository: 'models/acme/hostile' })
    gitDir = join(world.data, 'repositories', `${(shown as { uid: string }).uid}.git`)
  })
  afterAll(() => world?.stopped())

  const inRepository = (...words: readonly string[]) =>
    execFileSync('git', ['--git-dir', gitDir, ...words], { encoding: 'utf8' }).trim()
  const post = async (body: Buffer, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${world.hub.url}/acme/hostile.git/git-receive-pack`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.tokenOf('writer')}`,
        'content-type': 'application/x-git-receive-pack-request',
        ...headers,
      },
      body,
    })
    return { status: answer.status, text: await answer.text() }
  }
  const send = (lines: readonly string[], pack?: Buffer) => post(pushBody(lines, pack))
  let pushes = 0
  /** A new branch with a commit of the tree. */
  const branch = async (
    objects: readonly Packed[],
    commit: Buffer,
  ): Promise<{ readonly ref: string; readonly text: string; readonly hash: string }> => {
    pushes += 1
    const ref = `refs/heads/attack-${pushes}`
    const made = objectOf('commit', commit)
    const { hash } = made
    const pack = packOf([...objects, made])
    const { text } = await send([`${none} ${hash} ${ref}`], pack)
    return { ref, text, hash }
  }
  /** Nothing of a refused push stays, in git or beside it. */
  const leftovers = () => ({
    parts: readdirSync(join(world.data, 'repositories')).filter((name) => name.endsWith('.part')),
    refs: inRepository('for-each-ref', '--format=%(refname)', 'refs/heads').split('\n'),
  })

  test('of an honest kind is taken, so that the others are refused for their faults', async () => {
    const file = blob('a file')
    const folder = tree(entry('100644', 'a.txt', file.hash))
    const { ref, text } = await branch([file, folder], commitOf(folder.hash))
    expect(text).toContain(`ok ${ref}`)
    expect((await post(Buffer.from('0000'))).status).toBe(200)
  })

  // conformance: Forge / A push gives no access to hidden objects
  test('gets no object that is hidden: commits, folders, files and bases of deltas are refused as absent ones', async () => {
    const text = 'of a proposal that was refused'
    const missing = { path: 'large.bin', algo: 'sha256', oid: 'a'.repeat(64), size: 5 }
    const lines = [
      { key: 'header', value: { summary: 'a proposal' } },
      { key: 'file', value: { path: 'folder/a.txt', content: text } },
      { key: 'lfsFile', value: missing },
    ]
    const api = '/api/models/acme/hostile/commit/main'
    expect((await world.ask(api, { as: 'writer', body: lines })).status).not.toBe(200)
    const hiddenFile = blob(text).hash
    expect(inRepository('cat-file', '-t', hiddenFile)).toBe('blob')
    const kept = commitOf(inRepository('rev-parse', 'refs/heads/main^{tree}'))
    const stdin = { input: kept, encoding: 'utf8' } as const
    const args = ['--git-dir', gitDir, 'hash-object', '-t', 'commit', '-w', '--stdin']
    const hiddenCommit = execFileSync('git', args, stdin).trim()
    inRepository('update-ref', `refs/latchkey/keep/${hiddenCommit}`, hiddenCommit)
    const hiddenFolder = tree(entry('100644', 'secret.txt', hiddenFile))
    const trees = { input: hiddenFolder.bytes, encoding: 'utf8' } as const
    execFileSync('git', [...args.slice(0, 3), '-t', 'tree', '-w', '--stdin'], trees)

    const absent = '12'.repeat(20)
    const faultOf = async (objects: readonly Packed[], commit: Buffer) => {
      const { ref, text } = await branch(objects, commit)
      // Packets tell their lengths.
      return text.replaceAll(ref, 'REF').replaceAll(/[0-9a-f]{4}ng /g, 'ng ')
    }
    const own = tree(entry('100644', 'a.txt', blob('a file').hash))
    const naming = (hash: string, mode: string) => tree(entry(mode, 'x', hash))
    const file = (hash: string) => {
      const folder = naming(hash, '100644')
      return faultOf([folder], commitOf(folder.hash))
    }
    const folder = (hash: string) => faultOf([], commitOf(hash))
    const parent = (hash: string) => faultOf([own, blob('a file')], commitOf(own.hash, hash))
    expect(await file(hiddenFile)).toBe(await file(absent))
    expect(await file(absent)).toContain('names objects that it does not hold')
    expect(await folder(hiddenFolder.hash)).toBe(await folder(absent))
    expect(await parent(hiddenCommit)).toBe(await parent(absent))
    // A ref alone.
    const alone = async (hash: string) =>
      (await send([`${none} ${hash} refs/heads/alone`], packOf([]))).text
    expect(await alone(hiddenCommit)).toContain('names objects that it does not hold')
    expect(await alone(hiddenCommit)).toBe(await alone(absent))
    // A delta that copies all of the hidden file.
    const size = Buffer.byteLength(text)
    const delta = Buffer.from([size, size, 0x90, size])
    const thin = (base: string) => {
      const copy = tree(entry('100644', 'copy.txt', hiddenFile))
      return faultOf([{ kind: 'ref', bytes: delta, base }, copy], commitOf(copy.hash))
    }
    expect(await thin(hiddenFile)).toContain('thin packs')
    expect(await thin(hiddenFile)).toBe(await thin(absent))
    const { parts, refs } = leftovers()
    expect([parts, refs.includes('refs/heads/alone')]).toEqual([[], false])
  })

  test.each<[what: string, name: string | Buffer]>([
    ...['.GIT', 'git~1', '.git. ', '.g\u200cit', '.git::$INDEX_ALLOCATION'].map(
      (name): [string, string] => [`the name ${JSON.stringify(name)}`, name],
    ),
    ['two dots', '..'],
    ['a backslash', 'a\\b'],
    ['a control character', 'a\u0007b'],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0xff])],
    ['a name of 256 bytes', 'a'.repeat(256)],
    ['a drive', 'C:a'],
  ])('is refused for %s in a folder', async (_, name) => {
    const file = blob('a file')
    const folder = tree(entry('100644', name, file.hash))
    const { ref, text } = await branch([file, folder], commitOf(folder.hash))
    expect(text).toContain(`ng ${ref}`)
    expect(text).toMatch(/cannot show|check of objects|cannot read the pack/)
  })

  test('is refused for submodules that run a command, also where the file came before', async () => {
    const evil = blob('[submodule "x"]\n\tpath = x\n\turl = --upload-pack=evil\n')
    const readme = tree(entry('100644', 'README.md', evil.hash))
    const first = await branch([evil, readme], commitOf(readme.hash))
    expect(first.text).toContain(`ok ${first.ref}`)
    const modules = tree(entry('100644', '.gitmodules', evil.hash))
    const second = await branch([modules], commitOf(modules.hash, first.hash))
    expect(second.text).toMatch(/check of objects finds gitmodules/)
    const both = await branch([evil, modules], commitOf(modules.hash))
    expect(both.text).toMatch(/check of objects finds gitmodules/)
  })

  test('is refused for a file that belongs to git-lfs, by its name', async () => {
    const large = blob(Buffer.alloc(10 * 1024 * 1024 + 1))
    const folder = tree(entry('100644', 'model.bin', large.hash))
    const { text } = await branch([large, folder], commitOf(folder.hash))
    expect(text).toContain('"model.bin" is larger than 10485760 bytes')
    expect(text).toContain('git-lfs')
  })

  test('is refused for a pack that is a bomb, too large, cut or no pack', async () => {
    const bomb = blob(Buffer.alloc(33 * 1024 * 1024))
    const folder = tree(entry('100644', 'bomb', bomb.hash))
    expect((await branch([bomb, folder], commitOf(folder.hash))).text).toContain('larger than')
    const base = blob('a')
    // Claims a result of a terabyte.
    const claim = Buffer.from([...sizeBytes(1), ...sizeBytes(2 ** 40), 0x90, 1])
    const commit = commitOf(folder.hash)
    const lying = await branch([base, { kind: 'ref', bytes: claim, base: base.hash }], commit)
    expect(lying.text).toMatch(/unpack (?!ok)/)
    expect((await branch([blob(randomBytes(5 * 1024 * 1024))], commit)).text).toContain(
      'larger than this hub takes',
    )
    const cut = packOf([blob('whole')]).subarray(0, 20)
    const ref = 'refs/heads/cut'
    expect((await send([`${none} ${'1'.repeat(40)} ${ref}`], cut)).text).toMatch(/unpack (?!ok)/)
    const text = Buffer.from('no pack at all')
    expect((await send([`${none} ${'1'.repeat(40)} ${ref}`], text)).text).toContain('no pack')
    const many = packOf([blob('x')], 4_000_000_000)
    expect((await send([`${none} ${'1'.repeat(40)} ${ref}`], many)).text).toContain('500000')
    expect(leftovers().parts).toEqual([])
  })

  test.each<[what: string, ref: string]>([
    ['what the hub keeps', 'refs/latchkey/keep/x'],
    ['records of pull requests', 'refs/latchkey/pr/9'],
    ['notes', 'refs/notes/commits'],
    ['HEAD', 'HEAD'],
    ['a way out', 'refs/heads/../../config'],
    ['a name that is a hash', `refs/heads/${'ab'.repeat(20)}`],
    ['a pull request that nobody opened', 'refs/pr/7'],
    ['a branch like an option', 'refs/heads/-x'],
  ])('does not write %s', async (_, ref) => {
    const main = inRepository('rev-parse', 'refs/heads/main')
    const before = inRepository('for-each-ref')
    const { text } = await send([`${none} ${main} ${ref}`], packOf([]))
    expect(text).toContain(`ng ${ref}`)
    expect(inRepository('for-each-ref')).toBe(before)
  })

  test('is refused whole if its commands are too many, twice the same, or unreadable', async () => {
    const main = inRepository('rev-parse', 'refs/heads/main')
    const line = (name: string) => `${none} ${main} refs/heads/${name}`
    const many = Array.from({ length: 1001 }, (_, at) => line(`many-${at}`))
    for (const lines of [many, [line('x'), line('x')], ['nonsense'], ['push-cert']]) {
      const { status, text } = await send(lines, packOf([]))
      expect([200, 400]).toContain(status)
      expect(text).not.toContain('unpack ok')
    }
    expect((await post(Buffer.from('zzzz'))).status).toBe(400)
    expect((await post(Buffer.from('00'))).status).toBe(400)
    const form = { 'content-type': 'text/plain' }
    expect((await post(Buffer.from('0000'), form)).status).toBe(415)
  })

  test('with many refs at once is answered for each', async () => {
    const ada = await clone(world, 'hostile', 'writer')
    for (let at = 0; at < 20; at += 1) await ada.git('branch', `many/${at}`)
    await ada.git('push', '--quiet', '--all', 'origin')
    expect(inRepository('for-each-ref', 'refs/heads/many').split('\n')).toHaveLength(20)
  })
})
