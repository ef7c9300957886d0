import { pooledRandom } from '@latchkey/service/machine/random'
import { expect, test } from 'vitest'
import { makeHubToken } from '../../src/identity/hub-token.ts'
import { hash, openDirectory } from './open-directory.ts'

const token = makeHubToken('lk_', pooledRandom()).reveal()
const jws = `eyJhbGciOiJFUzI1NiJ9.${'a'.repeat(40)}.${'b'.repeat(86)}`
const repository = 'models/acme/bert'
const commit = hash(1)

test.each([
  ['account create', { name: token }],
  ['account show', { account: token }],
  ['account create', { name: 'ada', [token]: 1 }],
  ['account create', { name: 'ada', kind: token }],
  ['account list', { limit: token }],
  ['namespace create', { name: token }],
  ['repo create', { repository: `models/acme/${token}` }],
  ['repo create', { repository, defaultBranch: jws }],
  ['ref set', { repository, ref: token, commit }],
  ['ref set', { repository, ref: token.replace('_', '%5F'), commit }],
  ['ref set', { repository, ref: jws, commit }],
  ['ref set', { repository, ref: 'main', commit: token }],
  ['ref-rule set', { repository, pattern: token, write: 'admin' }],
  ['hub-token show', { hubToken: token }],
  ['hub-token create', { account: token, name: 'x', kind: 'read' }],
  ['explain', { scope: 'read', repository, account: 'ada', revision: token }],
  ['apply', { file: { accounts: [{ name: token }] } }],
  ['apply', { file: { namespaces: [{ name: 'acme', members: { [token]: 'read' } }] } }],
  ['apply', { file: { repositories: [{ type: 'model', id: `acme/${token}` }] } }],
  ['apply', { file: bert({ branches: { [token]: commit } }) }],
  ['apply', { file: bert({ branches: { [token]: 'x' } }) }],
  ['apply', { file: bert({ branches: { x: { commit, from: token } } }) }],
  ['apply', { file: bert({ collaborators: { [token]: 'read' } }) }],
  ['apply', { file: bert({ commits: { [token]: [] } }) }],
  ['apply', { file: `{"${token}":1,"${token}":2}` }],
  ['apply', { file: `{"accounts": ${token}` }],
  ['apply', { file: `{"accounts": [], "${jws}": []}` }],
])('a token in the place of a word of "%s" is refused and not repeated', async (words, input) => {
  const { run, done, everything } = await openDirectory()
  await done('account create', { name: 'ada' })
  await done('namespace create', { name: 'acme' })
  const answer = await run(words, input)
  expect(answer).toMatchObject({ code: 'bad_request' })
  const seen = JSON.stringify([answer, await everything()])
  for (const secret of [token.slice(3), jws]) expect(seen).not.toContain(secret)
})

function bert(members: object): object {
  return { repositories: [{ type: 'model', id: 'acme/bert', ...members }] }
}
