/** What git said about objects is remembered for a repository, and for no other. */

import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'
import type { ObjectHash } from '../../src/git/index.ts'
import { objectMemory } from '../../src/git/objects/remembered-objects.ts'
import { addFile, commitEdits, openWorld, someUid, uidOf } from './world.ts'

test('a remembered object is shown in its repository alone', async () => {
  const { git, repository, place } = await openWorld(temporaryFolder())
  const other = await git.create(uidOf('b'))
  const blob = await repository.writeBlob(Buffer.from('content'))
  const commit = await commitEdits(repository, [await addFile(repository, 'x', 'content')])
  const looksAt = async (it: typeof other) => [
    ...(await it.infoOf([blob])),
    (await it.readObject(blob, 100))?.bytes.toString(),
    await it.treeOf(commit),
    await it.commitBehind(commit),
  ]
  const shown = await looksAt(repository)
  expect(shown).not.toContain(undefined)
  expect(await looksAt(other)).toEqual([undefined, undefined, undefined, undefined])
  // Git has no files any more, and is asked for nothing.
  renameSync(join(place, 'objects'), join(place, 'gone'))
  expect(await looksAt(repository)).toEqual(shown)
  expect(await looksAt(other)).toEqual([undefined, undefined, undefined, undefined])
  git.close()
})

test('a repository that is deleted is remembered no more, also where one of its name comes back', async () => {
  const { git, repository } = await openWorld(temporaryFolder())
  const blob = await repository.writeBlob(Buffer.from('content'))
  expect((await repository.readObject(blob, 100))?.bytes.toString()).toBe('content')
  await git.remove(someUid)
  const again = await git.create(someUid)
  expect(await again.infoOf([blob])).toEqual([undefined])
  expect(await again.readObject(blob, 100)).toBeUndefined()
  git.close()
})

test('an object that was absent is found when it comes', async () => {
  const { git, repository } = await openWorld(temporaryFolder())
  const other = await git.create(uidOf('b'))
  const blob = await other.writeBlob(Buffer.from('later'))
  expect(await repository.infoOf([blob])).toEqual([undefined])
  await repository.writeBlob(Buffer.from('later'))
  expect(await repository.infoOf([blob])).toEqual([{ hash: blob, kind: 'blob', size: 5 }])
  git.close()
})

test('the bytes that are remembered stay within their bound, and large content is none of them', () => {
  const memory = objectMemory(100_000)
  const { learn, object, info } = memory.of('/one')
  const hashes = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(40, '0') as ObjectHash)
  const answer = (hash: ObjectHash, size: number) =>
    ({ hash, kind: 'blob', size, bytes: Buffer.alloc(size) }) as const
  for (const hash of hashes) learn(answer(hash, 10_000), true)
  const kept = hashes.filter((hash) => object(hash) !== undefined)
  expect(kept.length).toBeGreaterThan(0)
  expect(kept.length).toBeLessThan(10)
  const [large = kept[0]] = hashes.filter((hash) => info(hash) === undefined)
  if (large === undefined) throw new Error('everything is remembered')
  learn(answer(large, 40_000), true)
  expect([object(large), info(large)?.size]).toEqual([undefined, 40_000])
})

test('remembered bytes keep no larger buffer alive', () => {
  const { learn, object } = objectMemory().of('/one')
  const hash = '1'.repeat(40) as ObjectHash
  learn({ hash, kind: 'blob', size: 3, bytes: Buffer.alloc(1_000_000).subarray(0, 3) }, true)
  expect(object(hash)?.bytes.buffer.byteLength).toBe(3)
})
