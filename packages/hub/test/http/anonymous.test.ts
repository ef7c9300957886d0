import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, claimsOf, pathOf } from '@latchkey/testing/hub/ask'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { disturb } from './changes.ts'
import { codeOf, gist } from './compare.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(acme, { anonymousPublicRead: true, limits: { failuresPerMinute: 0 } })
})
afterAll(() => world.close())

const missing = [401, 'hub_token_missing']

// conformance: Options / anonymousPublicRead gives read tokens for public repositories without a hub token
test('without the switch an anonymous request for a public repository is refused', async () => {
  const closed = await startWorld(acme)
  expect(codeOf(await ask(closed, 'read models/acme/open@main'))).toEqual(missing)
  await closed.close()
})

// conformance: Attacks / 33. An attacker uses anonymous or browser access to read private data
test('everything but a readable public repository gets the same anonymous 401', async () => {
  const asked = [
    'read models/acme/bert@main',
    'read models/acme/none@main',
    'read models/nobody/none@main',
    'read models/acme/bert.git@main',
    'read models/acme/bert@nowhere',
    'read models/acme/open@nowhere',
    `read models/acme/open@${commit('9')}`,
    'read models/acme/open@a..b',
    'write models/acme/open@main',
    'write models/acme/bert@main',
    'write models/acme/none@main',
  ]
  const answers: object[] = []
  for (const what of asked) {
    const told = await ask(world, what)
    expect(codeOf(told), what).toEqual(missing)
    answers.push(gist(told))
  }
  for (const answer of answers) expect(answer).toEqual(answers[0])
})

// conformance: Attacks / 33. An attacker uses anonymous or browser access to read private data
test('an anonymous caller cannot tell a private repository from none by the work done', async () => {
  const work = async (what: string) => {
    await disturb(world)
    return statementsDuring(() => ask(world, what))
  }
  for (const revision of ['main', commit('a'), 'v1.0', 'refs/pr/1']) {
    const hidden = await work(`read models/acme/bert@${revision}`)
    expect(hidden, revision).toEqual(await work(`read models/acme/none@${revision}`))
    expect(hidden.length).toBeGreaterThan(0)
  }
})

// conformance: Options / anonymousPublicRead gives read tokens for public repositories without a hub token
test('an invalid hub token stays invalid where none at all would do', async () => {
  for (const value of ['Bearer nonsense', 'Bearer', `Bearer lk_${'a'.repeat(49)}`]) {
    const headers = ['Authorization', value]
    const told = await askExactly(world, pathOf('read models/acme/open@main'), { headers })
    expect(codeOf(told), value).toEqual([401, 'hub_token_invalid'])
  }
})

// conformance: Options / anonymousPublicRead gives read tokens for public repositories without a hub token
test('credentials of another scheme do not make a caller anonymous', async () => {
  for (const value of ['Basic d3JpdGVyOng=', 'Digest x']) {
    const headers = ['Authorization', value]
    const told = await askExactly(world, pathOf('read models/acme/open@main'), { headers })
    expect(codeOf(told), value).toEqual(missing)
  }
})

// conformance: Options / anonymousPublicRead gives read tokens for public repositories without a hub token
test('an anonymous caller gets a read token for a public repository', async () => {
  const told = await ask(world, 'read models/acme/open@main')
  expect(told.status).toBe(200)
  expect(claimsOf(told)).toMatchObject({
    sub: 'anonymous',
    client_id: 'anonymous',
    scope: 'read',
    repo: { type: 'model', id: 'acme/open' },
    ref: { name: 'refs/heads/main' },
  })
  expect(told.json.exp).toBe(world.now() + 900)
})

// conformance: Attacks / 33. An attacker uses anonymous or browser access to read private data
test('a public repository that becomes private is closed to anonymous callers at once', async () => {
  await world.done('repo create', { repository: 'models/acme/fading', visibility: 'public' })
  await world.done('ref set', {
    repository: 'models/acme/fading',
    ref: 'main',
    commit: commit('6'),
  })
  expect((await ask(world, 'read models/acme/fading@main')).status).toBe(200)
  await world.done('repo set', { repository: 'models/acme/fading', visibility: 'private' })
  expect(codeOf(await ask(world, 'read models/acme/fading@main'))).toEqual(missing)
})

test('anonymous requests beyond the limit of an address get 429, and hub tokens are not affected', async () => {
  const limits = { requestsPerMinute: 3, failuresPerMinute: 0 }
  const limited = await startWorld(acme, { anonymousPublicRead: true, limits })
  const statuses = []
  for (let time = 0; time < 4; time += 1) {
    statuses.push((await ask(limited, 'read models/acme/open@main')).status)
  }
  expect(statuses).toEqual([200, 200, 200, 429])
  expect((await ask(limited, 'read models/acme/open@main', { as: 'reader/write' })).status).toBe(
    200,
  )
  await limited.close()
})
