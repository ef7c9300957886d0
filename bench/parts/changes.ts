/** How many changes a second does the directory take: verbs one after the other, and files? And how long does a file keep others waiting? */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Directory, openStore } from '@latchkey/hub/management'
import { systemClock } from '@latchkey/service/machine/time'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { type RunVerb, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { startCluster } from '@latchkey/testing/postgres/cluster'
import { findPostgres } from '@latchkey/testing/tools/postgres-programs'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { missing, type Part } from '../part.ts'

const verbs = 1000
const large = 20_000
/** The largest that is still one transaction. */
const whole = 1990

const root = { name: 'root', administrator: true }

export const changes: Part = {
  name: 'changes',
  async figures({ database }) {
    const inSqlite = await measure('SQLite')
    if (database === 'sqlite') return inSqlite
    if (findPostgres() === undefined) {
      return [...inSqlite, missing('PostgreSQL', '', 'PostgreSQL', 'install Debian’s postgresql')]
    }
    const cluster = await startCluster()
    try {
      const url = cluster.url(await cluster.createDatabase())
      return [...inSqlite, ...(await measure('PostgreSQL', url))]
    } finally {
      await cluster.kill()
    }
  },
}

async function measure(name: string, url?: string): Promise<readonly Figure[]> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  const database = url === undefined ? 'sqlite:hub.db' : readPostgresSettings(url)
  const store = await openStore({ data, database }, { create: true })
  const watch = watched(store.directory)
  const run = verbRunner({ ...store, directory: watch.directory }, systemClock)
  const figures: Figure[] = []
  for (const [what, work] of courses) {
    watch.maxMs = 0
    const before = await entries(store.directory)
    const startedAt = performance.now()
    await work(run)
    const seconds = (performance.now() - startedAt) / 1000
    const changes = (await entries(store.directory)) - before
    figures.push({
      figure: `${name}, ${what}`,
      anchor: '',
      result: measuredOf([changes / seconds], { unit: 'changes/s' }),
      details: { changes, 'longest transaction, ms': watch.maxMs },
    })
  }
  await store.close()
  rmSync(data, { recursive: true })
  return figures
}

/** From the moment at which a transaction has the lock to its end. */
function watched(directory: Directory) {
  const watch = {
    maxMs: 0,
    directory: {
      ...directory,
      async change(work) {
        let begunAt = 0
        const result = await directory.change((transaction) => {
          begunAt = performance.now()
          return work(transaction)
        })
        watch.maxMs = Math.max(watch.maxMs, performance.now() - begunAt)
        return result
      },
    } satisfies Directory as Directory,
  }
  return watch
}

async function entries(directory: Directory): Promise<number> {
  const rows = await directory.read((tables) =>
    tables
      .selectFrom('journal')
      .select((all) => all.fn.countAll().as('count'))
      .execute(),
  )
  return Number(rows[0]?.count)
}

type Course = readonly [what: string, work: (run: RunVerb) => Promise<unknown>]

const courses: readonly Course[] = [
  ['verbs, one after the other', oneByOne],
  ['file: new accounts, one transaction', file({ accounts: accounts(whole) })],
  ['file: all of them disabled', file({ accounts: accounts(whole, { disabled: true }) })],
  ['file: all of them pruned', file({ accounts: [root] }, true)],
  ['file: new public repositories, in steps', file(repositories(large, 'public'))],
  ['file: all of them private', file(repositories(large, 'private'))],
  ['file: a part of them public, one transaction', file(repositories(whole, 'public'))],
  ['file: the same again', file(repositories(whole, 'public'))],
  ['file: one repository with 9000 branches', file(branches(9000))],
  ['file: all but 1990 pruned', file(repositories(whole, 'public'), true)],
  ['file: these pruned, one transaction', file({ repositories: [] }, true)],
]

async function oneByOne(run: RunVerb): Promise<void> {
  await run('account create', root)
  for (let n = 1; n < verbs; n += 1) await run('namespace create', { name: `team-${n}` })
}

function file(given: object, prune = false): Course[1] {
  return (run) => run('apply', { file: given, prune })
}

function accounts(count: number, more: object = {}): object[] {
  const names = Array.from({ length: count }, (_, n) => `person-${n}`)
  return [root, ...names.map((name) => ({ name, ...more }))]
}

function repositories(count: number, visibility: string): object {
  const ids = Array.from({ length: count }, (_, n) => `acme/model-${n}`)
  return {
    namespaces: [{ name: 'acme' }],
    repositories: ids.map((id) => ({ type: 'model', id, visibility })),
  }
}

function branches(count: number): object {
  const list = Array.from({ length: count }, (_, n) => [
    `b-${n}`,
    (n + 1).toString(16).padStart(40, '0'),
  ])
  const repository = { type: 'model', id: 'acme/wide', branches: Object.fromEntries(list) }
  return { namespaces: [{ name: 'acme' }], repositories: [repository] }
}
