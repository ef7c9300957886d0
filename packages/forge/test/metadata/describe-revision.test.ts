/** The metadata of a revision is told to its own repository alone, and is left out where it was not read. */

import type { CallerQuestions, PermittedRevision } from '@latchkey/admin-api/forge-port'
import { type CommitHash, type RepositoryUid, refuse } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import type { FilledRevision } from '../../src/large-files/open-revision.ts'
import { type DescribeDeps, describeRevisions } from '../../src/metadata/describe-revision.ts'
import type { CardTask } from '../../src/readme/open-readme-thread.ts'

const commit = 'c'.repeat(40) as CommitHash
const noWeights = async () => undefined
const refusal = refuse('rate_limited', 'Too many wait.', { retryAfterSeconds: 5 })

/** Describes the commit of a repository whose README.md is the text. */
function told(readCard: DescribeDeps['readCard']) {
  const describe = describeRevisions({ readCard, countParameters: noWeights })
  return (uid: string, text: string, payer = 'ada') => {
    const repo = { type: 'model', namespace: 'acme', name: uid }
    const permitted = { repo, repositoryUid: uid as RepositoryUid, commit } as PermittedRevision
    const entry = { kind: 'file', hash: commit }
    const repository = {
      findEntries: async (_: string, paths: readonly string[]) =>
        new Map(paths.map((path) => [path, entry])),
      infoOf: async () => [{ size: text.length }],
      readObject: async () => ({ bytes: Buffer.from(text) }),
      listTree: async () => ({ entries: [] }),
    }
    const opened = { permitted, commit, tree: commit, repository } as unknown as FilledRevision
    const hub = { payer: () => payer } as CallerQuestions
    const { signal } = new AbortController()
    const fields = new Set(['cardData', 'tags'] as const)
    const request = { fields, maxSiblings: 9, hub, signal }
    return describe({ permitted, open: async () => opened }, request).then(asJson)
  }
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

const license = async ({ text }: CardTask) => ({
  ...{ cardData: JSON.stringify({ license: text }), tags: [`license:${text}`] },
})

test('a second repository whose ref names the same commit shows nothing of the first', async () => {
  const tell = told(license)
  expect(await tell('first', 'secret')).toMatchObject({ cardData: { license: 'secret' } })
  expect(await tell('second', 'mit')).toMatchObject({ cardData: { license: 'mit' } })
})

test('a card that is refused for now is left out, and read the next time', async () => {
  let isBusy = true
  const tell = told(async (task) => (isBusy ? refusal : license(task)))
  expect(await tell('bert', 'mit')).toEqual({})
  isBusy = false
  expect(await tell('bert', 'mit')).toMatchObject({ tags: ['license:mit'] })
})

test('a card that takes too long is left out, and not read again in its repository', async () => {
  const asked: string[] = []
  const tell = told(async (task) => {
    asked.push(task.payer)
    return task.text === 'slow' ? 'slow' : license(task)
  })
  expect(await tell('bert', 'slow', 'mallory')).toEqual({})
  expect(await tell('bert', 'slow', 'mallory')).toEqual({})
  expect(await tell('other', 'mit', 'ada')).toMatchObject({ tags: ['license:mit'] })
  expect(asked).toEqual(['mallory', 'ada'])
})

test('a card that is invalid is told as an empty one', async () => {
  expect(await told(async () => 'invalid')('bert', 'x')).toEqual({ cardData: {}, tags: [] })
})
