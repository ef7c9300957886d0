import { type Verb, verbs } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import { StorageFull } from '@latchkey/service/database'
import { pooledRandom } from '@latchkey/service/machine/random'
import { testKeyWork } from '@latchkey/testing/hub/key-work'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { repositoryFinder } from '../../src/access/find-repository.ts'
import { runVerb } from '../../src/run-verb/run-verb.ts'
import type { Directory } from '../../src/tables/directory.ts'
import { believed } from '../revocation/pretended-token.ts'
import { openDirectory } from '../verbs/open-directory.ts'

function called(words: string): Verb {
  const verb = verbs.find((row) => row.words === words)
  if (verb === undefined) throw new Error(`no verb ${words}`)
  return verb
}

async function surroundings(directory: Directory) {
  const { store, now } = await openDirectory()
  return {
    directory,
    now,
    randomBytes: pooledRandom(),
    hubTokenPrefix: 'lk_',
    actor: async () => undefined,
    findRepository: repositoryFinder(store.access, () => now),
    policy: { hidePrivateRepositories: false },
    keys: testKeyWork(),
    verifyOwnToken: believed,
    providers: [],
    repositoriesPerNamespace: 10_000,
  }
}

test('what cannot be answered has not happened', async () => {
  const { store, everything } = await openDirectory()
  const before = await everything()
  const mute = { ...called('namespace create'), output: z.never() }
  await expect(
    runVerb(mute, { name: 'acme' }, await surroundings(store.directory)),
  ).rejects.toThrow()
  expect(await everything()).toEqual(before)
})

test('a full disk is a refusal, whichever way the verb was asked for', async () => {
  const full = () => Promise.reject(new StorageFull())
  const directory = { read: full, readBeside: full, change: full, note: full }
  const answer = await runVerb(called('account list'), { limit: 1 }, await surroundings(directory))
  expect(isRefusal(answer)).toBe(true)
  expect(answer).toMatchObject({ code: 'storage_full' })
})

test.each(verbs.map((verb) => [verb.words, verb] as const))(
  '"%s" opens a transaction only if it changes something',
  async (words, verb) => {
    const opened: string[] = []
    const open = (way: string) => () => {
      opened.push(way)
      return Promise.reject(new StorageFull())
    }
    const directory = {
      read: open('read'),
      readBeside: open('readBeside'),
      change: open('change'),
      note: open('note'),
    }
    await runVerb(verb, words === 'apply' ? { file: {} } : {}, await surroundings(directory))
    const looks = words === 'apply' ? 'readBeside' : 'read'
    expect(opened).toEqual([verb.method === 'GET' || words === 'apply' ? looks : 'change'])
  },
)
