import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, gist } from './compare.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
  await world.apply({
    repositories: [
      {
        type: 'model',
        id: 'acme/bert',
        tags: { 'v1.0': commit('a'), 'r1.0': commit('b'), 'd1.0': commit('c') },
        commits: { [commit('7')]: ['main', 'release/1'], [commit('8')]: ['dev'] },
      },
    ],
    hubTokens: [
      {
        account: 'reader',
        name: 'boasting',
        kind: 'fine-grained',
        grants: [{ on: '*', contents: 'write' }],
      },
      {
        account: 'reader',
        name: 'main-only',
        kind: 'fine-grained',
        grants: [{ on: 'models/acme/bert', contents: 'read', refs: ['main'] }],
      },
      {
        account: 'maintainer',
        name: 'main-and-release',
        kind: 'fine-grained',
        grants: [{ on: 'models/acme/bert', contents: 'write', refs: ['main', 'release/*'] }],
      },
    ],
  })
})
afterAll(() => world.close())

const denied = [403, 'permission_denied']

async function expectDenied(as: string, ...whats: readonly string[]): Promise<void> {
  for (const what of whats) {
    expect(codeOf(await ask(world, what, { as })), `${as} asks to ${what}`).toEqual(denied)
  }
}

// conformance: Authentication / 6. A write token needs write access to repository and ref
test('a hub token of kind read gets no write token, whatever its account may do', async () => {
  await expectDenied('writer/read', 'write models/acme/bert@main', 'write spaces/acme/demo@main')
})

// conformance: Authentication / 6. A write token needs write access to repository and ref
test('an account with the role read gets no write token', async () => {
  await expectDenied('reader/write', 'write models/acme/bert@main', 'write models/acme/open@main')
})

// conformance: Authentication / 6. A read token needs at least read access to repository and ref
test('an account without a role gets neither token for a private repository', async () => {
  await expectDenied('stranger/write', 'read models/acme/bert@main', 'write models/acme/bert@main')
  await expectDenied('guest/write', 'read spaces/acme/demo@main')
})

// conformance: Authentication / 6. A write token needs write access to repository and ref
test('an account without a role gets no write token for a public repository', async () => {
  await expectDenied(
    'stranger/write',
    'write models/acme/open@main',
    'write datasets/acme/bert@main',
  )
})

// conformance: Attacks / 11. An attacker uses an admin hub token for storage or beyond its scopes
test('an admin hub token gets no storage token, not even to read a public repository', async () => {
  await expectDenied(
    'maintainer/admin',
    'read models/acme/bert@main',
    'write models/acme/bert@main',
    'read models/acme/open@main',
  )
})

// conformance: Authentication / 6. A fine-grained hub token needs read or write access to contents
test('a fine-grained hub token gets nothing where it has no grant, not even what is public', async () => {
  await expectDenied(
    'ci-bot/main-only',
    'read models/acme/open@main',
    'read datasets/acme/bert@main',
    'read spaces/acme/demo@main',
  )
})

// conformance: Authentication / 6. A fine-grained hub token needs read or write access to contents
test('a fine-grained hub token with contents read gets no write token', async () => {
  await expectDenied(
    'ci-bot/read-acme',
    'write models/acme/bert@main',
    'write models/acme/open@main',
  )
})

// conformance: Authentication / 6. A fine-grained hub token needs read or write access to contents
test('a fine-grained hub token does not give more than its account has', async () => {
  await expectDenied(
    'reader/boasting',
    'write models/acme/bert@main',
    'write models/acme/open@main',
  )
})

// conformance: Authentication / 6. A read token needs at least read access to repository and ref
test('a fine-grained hub token limited to refs gets neither token for another ref', async () => {
  await expectDenied(
    'ci-bot/main-only',
    'read models/acme/bert@dev',
    'write models/acme/bert@dev',
    'read models/acme/bert@refs/pr/1',
    'read models/acme/bert@d1.0',
    `read models/acme/bert@${commit('8')}`,
  )
})

// conformance: Authentication / 6. A write token needs write access to repository and ref
test('a ref rule keeps the role write from the branches it names', async () => {
  await expectDenied('writer/write', 'write models/acme/bert@release/1')
  await expectDenied('writer/write', 'write models/acme/bert@refs/heads/release/1')
})

// conformance: Attacks / 3. An attacker passes a ref rule with a write token for a tag or commit
test('a ref rule is not passed by asking for a tag or a commit of the branch it names', async () => {
  await expectDenied('writer/write', 'write models/acme/bert@r1.0')
  await expectDenied('writer/write', `write models/acme/bert@${commit('b')}`)
})

// conformance: Attacks / 3. An attacker passes a ref rule with a write token for a tag or commit
test('a commit on two branches is written only by who may write both', async () => {
  await expectDenied('writer/write', `write models/acme/bert@${commit('7')}`)
  await expectDenied('ci-bot/main-only', `write models/acme/bert@${commit('7')}`)
  const both = await ask(world, `write models/acme/bert@${commit('7')}`, {
    as: 'maintainer/main-and-release',
  })
  expect(both.status).toBe(200)
})

// conformance: Errors / 403 if the hub token lacks permission for the token type
test('who may see the repository is told what is missing', async () => {
  const missing = async (as: string, what: string) =>
    (await ask(world, what, { as })).json['missing']
  expect(await missing('writer/read', 'write models/acme/bert@main')).toMatch(/kind write/)
  expect(await missing('reader/write', 'write models/acme/bert@main')).toBe(
    'the role write for main',
  )
  expect(await missing('writer/write', 'write models/acme/bert@release/1')).toBe(
    'the role admin for release/1',
  )
  expect(await missing('ci-bot/read-acme', 'write models/acme/bert@main')).toMatch(
    /contents: write/,
  )
  expect(await missing('ci-bot/main-only', 'read models/acme/bert@dev')).toMatch(/refs include dev/)
  expect(await missing('stranger/write', 'write models/acme/open@main')).toBe(
    'the role write for main',
  )
})

// conformance: Attacks / 9. An attacker detects a hidden repository by a response
test('who may not see the repository is told nothing about what is missing', async () => {
  for (const what of ['read models/acme/bert@main', 'write models/acme/bert@release/1']) {
    const { json } = await ask(world, what, { as: 'stranger/write' })
    expect(json).not.toHaveProperty('missing')
    expect(json['detail']).toBe('This hub token gives no access to this repository.')
  }
})

// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('a stranger gets the same 403 for every revision of a private repository, existing or not', async () => {
  const asked = ['main', 'release/1', 'v1.0', commit('a'), 'nowhere', commit('9'), 'a..b']
  const answers: object[] = []
  for (const revision of asked) {
    const what = `read models/acme/bert@${revision}`
    answers.push(gist(await ask(world, what, { as: 'stranger/write' })))
  }
  for (const answer of answers) expect(answer).toEqual(answers[0])
})

/** Asks for what exists and what does not; the answers must differ in the asked text alone. */
async function expectAlike(as: string, scope: string, there: string, absent: string) {
  const [one, other] = await Promise.all(
    [there, absent].map(async (revision) =>
      gist(await ask(world, `${scope} models/acme/bert@${revision}`, { as }), revision),
    ),
  )
  expect(one, `${as} asks to ${scope} ${there}`).toEqual(other)
  expect(one).toMatchObject({ status: 403 })
}

// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('a hub token limited to refs cannot tell a branch of another name from none', async () => {
  await expectAlike('ci-bot/main-only', 'read', 'dev', 'nowhere')
  await expectAlike('ci-bot/main-only', 'write', 'dev', 'nowhere')
  await expectAlike('ci-bot/main-only', 'read', 'refs/pr/1', 'refs/pr/9')
})

// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('a hub token limited to refs cannot tell a tag it may not read from none', async () => {
  await expectAlike('ci-bot/main-only', 'read', 'd1.0', 'd9.9')
  await expectAlike('reader/main-only', 'read', 'r1.0', 'r9.9')
  await expectAlike('reader/main-only', 'write', 'r1.0', 'r9.9')
})

// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('a hub token limited to refs cannot tell a commit it may not read from an unknown one', async () => {
  await expectAlike('ci-bot/main-only', 'read', commit('8'), commit('9'))
  await expectAlike('reader/main-only', 'read', commit('b'), commit('9'))
  await expectAlike('ci-bot/main-only', 'write', commit('8'), commit('9'))
})

// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('a hub token limited to refs learns nothing of a protected branch by asking to write its commits', async () => {
  await expectAlike('ci-bot/main-only', 'write', commit('b'), commit('9'))
  await expectAlike('ci-bot/main-only', 'write', 'r1.0', 'r9.9')
})
