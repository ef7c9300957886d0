import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseRepoRef, parseRevision } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repositoryFinder } from '../../src/access/find-repository.ts'
import { closedRepository } from '../../src/permission/access-facts.ts'
import { disturb } from './changes.ts'
import { codeOf, gist } from './compare.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(acme, { hidePrivateRepositories: true })
})
afterAll(() => world.close())

/** Every form of a revision: existing in the hidden repository, and not. */
const revisions = [
  ...['main', 'release/1', 'v1.0', 'refs/heads/main', 'refs/tags/v1.0', 'refs/pr/1'],
  ...[commit('a'), commit('f'), 'nowhere', 'refs/heads/nowhere', commit('9'), 'a..b', 'HEAD'],
]

/** Who may not read the private repository: no role, no grant, an admin token. */
const strangers = ['stranger/write', 'maintainer/admin']

const hidden = (scope: string, revision: string) => `${scope} models/acme/bert@${revision}`
const absent = (scope: string, revision: string) => `${scope} models/acme/none@${revision}`

// conformance: Options / hidePrivateRepositories returns 404 instead of 403 to callers without read access
test('a private repository that the caller may not read is answered as one that does not exist', async () => {
  for (const as of strangers) {
    for (const scope of ['read', 'write']) {
      for (const revision of revisions) {
        const one = await ask(world, hidden(scope, revision), { as })
        const other = await ask(world, absent(scope, revision), { as })
        expect(codeOf(one), `${scope} ${revision}`).toEqual([404, 'repository_not_found'])
        expect(gist(one), `${scope} ${revision}`).toEqual(gist(other))
      }
    }
  }
})

// conformance: Attacks / 9. An attacker detects a hidden repository by a response
test('a hidden repository has the same headers in the same order as an absent one', async () => {
  const as = 'stranger/write'
  const names = async (what: string) => [...(await ask(world, what, { as })).headers.keys()]
  expect(await names(hidden('read', 'main'))).toEqual(await names(absent('read', 'main')))
})

// conformance: Guarantees / Hidden and absent repositories cost the same statements
// conformance: Attacks / 9. An attacker detects a hidden repository by a response
test('a hidden repository costs the same SQL statements as an absent one, with nothing cached', async () => {
  const as = 'stranger/write'
  for (const revision of revisions) {
    const work = async (what: string) => {
      await disturb(world)
      return statementsDuring(() => ask(world, what, { as }))
    }
    const one = await work(hidden('read', revision))
    expect(one, revision).toEqual(await work(absent('read', revision)))
    expect(one.length, revision).toBeGreaterThan(0)
  }
})

// conformance: Attacks / 42. An attacker detects a hidden repository by response times
test('whether a repository is hidden is read from indexes alone, and its row only when it is not', async () => {
  await disturb(world)
  const executed = await statementsDuring(() =>
    ask(world, hidden('read', 'main'), { as: 'stranger/write' }),
  )
  const lookups = executed.filter((sql) => /FROM repositories/.test(sql))
  expect(lookups).toHaveLength(1)
  const plan = planOf(lookups[0] ?? '')
  // What stands behind CASE comes last, and is read only for what was found.
  const behindCase = plan.findIndex((step) => step.startsWith('CORRELATED'))
  const searches = plan.slice(0, behindCase).filter((step) => step.startsWith('SEARCH'))
  expect(searches.length).toBeGreaterThan(5)
  for (const step of searches)
    expect(step).toMatch(/USING COVERING INDEX|^SEARCH (record|together|alone) USING PRIMARY KEY/)
  expect(plan.slice(behindCase)).toContain(
    'SEARCH repositories USING INTEGER PRIMARY KEY (rowid=?)',
  )
})

// conformance: Attacks / 42. An attacker detects a hidden repository by response times
test('nothing of a hidden repository reaches the decision', async () => {
  const repo = parseRepoRef('models/acme/bert')
  if (repo === undefined) throw new Error('no repository can have this name')
  const found = await repositoryFinder(world.store.access, systemClock)(
    undefined,
    repo,
    parseRevision('main'),
  )
  expect(found).toBe(closedRepository)
})

test('a path between two repositories, before the first or after the last is absent', async () => {
  const asked = ['models/acme/bers', 'models/acme/bert0', 'datasets/a/a', 'spaces/zz/zz']
  for (const path of asked) {
    const told = await ask(world, `read ${path}@main`, { as: 'maintainer/write' })
    expect(codeOf(told), path).toEqual([404, 'repository_not_found'])
  }
})

// conformance: Attacks / 9. An attacker detects a hidden repository by a response
test('a hidden repository costs the same SQL statements as an absent one, with everything cached', async () => {
  const as = 'stranger/write'
  for (const revision of revisions) {
    for (const what of [hidden('read', revision), absent('read', revision)]) {
      for (const _ of [1, 2]) await ask(world, what, { as })
      expect(await statementsDuring(() => ask(world, what, { as })), what).toEqual([])
    }
  }
})

// conformance: Attacks / 9. An attacker detects a hidden repository by a response
test('a hidden repository is counted in the metrics like an absent one', async () => {
  const counted = async (what: string) => {
    const before = await counters(world)
    await ask(world, what, { as: 'stranger/write' })
    const after = await counters(world)
    return [...after].flatMap(([name, value]) => {
      const grown = value - (before.get(name) ?? 0)
      return grown === 0 ? [] : [`${name} +${grown}`]
    })
  }
  const one = await counted(hidden('read', 'main'))
  expect(one).toEqual(await counted(absent('read', 'main')))
  expect(one).toContain('latchkey_tokens_refused_total{code="repository_not_found"} +1')
})

// conformance: Attacks / 9. An attacker detects a hidden repository by a response
test('a hidden repository is logged at the level and with the fields of an absent one', async () => {
  const logged = async (what: string) => {
    await ask(world, what, { as: 'stranger/write' })
    return JSON.parse(world.logLines.at(-1) ?? '') as Record<string, unknown>
  }
  const one = await logged(hidden('read', 'main'))
  const other = await logged(absent('read', 'main'))
  expect(Object.keys(one)).toEqual(Object.keys(other))
  const own = { repository: '', requestId: '', milliseconds: 0, time: '' }
  expect({ ...one, ...own }).toEqual({ ...other, ...own })
})

// conformance: Options / hidePrivateRepositories returns 404 instead of 403 to callers without read access
test('a fine-grained hub token without a grant there finds no private repository', async () => {
  const told = await ask(world, 'read spaces/acme/demo@main', { as: 'ci-bot/main-only' })
  expect(codeOf(told)).toEqual([404, 'repository_not_found'])
})

// conformance: Options / hidePrivateRepositories returns 404 instead of 403 to callers without read access
test('who may read a private repository but not write it is still told so', async () => {
  const told = await ask(world, hidden('write', 'main'), { as: 'reader/write' })
  expect(codeOf(told)).toEqual([403, 'permission_denied'])
  expect(told.json['missing']).toBe('the role write for main')
  expect((await ask(world, hidden('read', 'main'), { as: 'reader/write' })).status).toBe(200)
})

// conformance: Options / hidePrivateRepositories returns 404 instead of 403 to callers without read access
test('a public repository hides nothing', async () => {
  const told = await ask(world, 'write models/acme/open@main', { as: 'stranger/write' })
  expect(codeOf(told)).toEqual([403, 'permission_denied'])
})

// conformance: Options / hidePrivateRepositories returns 404 instead of 403 to callers without read access
test('without the switch a private repository is refused with 403', async () => {
  const open = await startWorld(acme)
  const told = await ask(open, hidden('read', 'main'), { as: 'stranger/write' })
  expect(codeOf(told)).toEqual([403, 'permission_denied'])
  await open.close()
})

/** How SQLite would execute a statement. */
function planOf(sql: string): string[] {
  const file = join(world.settings.data, 'latchkey.db')
  const database = new DatabaseSync(file, { readOnly: true })
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
  database.close()
  return steps.map(({ detail }) => String(detail))
}

/** What the hub counts, without how long things took. */
async function counters(of: World): Promise<Map<string, number>> {
  const { text } = await ask(of, '/metrics')
  const lines = text.split('\n').filter((line) => /^latchkey_/.test(line))
  const counts = lines.filter((line) => !/_bucket|_sum/.test(line))
  return new Map(
    counts.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}
