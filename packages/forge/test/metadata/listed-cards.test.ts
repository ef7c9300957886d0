/** A list of repositories takes the event loop no longer where their cards are hostile. */

import type { PermittedRevision } from '@latchkey/admin-api/forge-port'
import type { CommitHash, RepositoryUid } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { listRepos } from '../../src/api/list-repos.ts'
import type { Exchange, ForgeDeps } from '../../src/handler/exchange.ts'
import { describeRevisions } from '../../src/metadata/describe-revision.ts'
import { readCardFacts } from '../../src/readme/card/card-facts.ts'

const commit = 'c'.repeat(40) as CommitHash
const count = 50

/** Milliseconds of processor time for some lists whose cards are known. A list waits for no file, so each is one piece. */
async function listMs(readme: string): Promise<number> {
  const repos = Array.from({ length: count }, (_, at) => ({
    ...{ type: 'model', namespace: 'acme', name: `bert-${at}` },
  }))
  const hub = {
    payer: () => 'ada',
    repositories: async () => ({ repositories: repos.map((repo) => ({ repo, uid: repo.name })) }),
    decide: async ({ repo }: Pick<PermittedRevision, 'repo'>) => ({
      ...{ repo, commit, repositoryUid: repo.name as RepositoryUid },
    }),
  }
  const repository = {
    treeOf: async () => commit,
    findEntries: async () => new Map([['README.md', { kind: 'file', hash: commit }]]),
    infoOf: async () => [{ size: readme.length }],
    readObject: async () => ({ bytes: Buffer.from(readme) }),
    listTree: async () => ({ entries: [] }),
  }
  const facts = readCardFacts(readme, []) ?? 'invalid'
  const describeRevision = describeRevisions({
    readCard: async () => facts,
    countParameters: async () => undefined,
  })
  const exchange = {
    ...{ hub, request: { url: '/' }, query: new Map([['expand', ['cardData', 'tags']]]) },
  } as unknown as Exchange
  const parts = {
    ...{ describeRevision, git: { openToRead: () => repository }, publicUrl: 'https://a' },
    seal: { close: () => 'x' },
  } as unknown as ForgeDeps
  const list = () => listRepos(exchange, { type: 'model' }, parts)
  expect(await list()).toHaveProperty('body')
  const before = process.threadCpuUsage()
  for (let lists = 0; lists < 30; lists += 1) await list()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test('a page of cards with thousands of values takes no longer than one of small cards', async () => {
  const shapes = Array.from({ length: 1000 }, (_, at) => `{k${at}: [${at}]}`)
  const hostile = await listMs(`---\nmodel-index: [${shapes}]\n---\n`)
  const small = await listMs(`---\nmodel-index: [${'a'.repeat(13_000)}]\n---\n`)
  // The clock of the processor has steps.
  expect(hostile).toBeLessThan(4 * small + 20)
})
