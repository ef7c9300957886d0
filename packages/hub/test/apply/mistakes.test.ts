import { type RefusalCode, refuse } from '@latchkey/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hash, type Opened, openDirectory } from '../verbs/open-directory.ts'

/** What is there before each file, and after it: one thing of every kind. */
const before = {
  accounts: [{ name: 'ada', administrator: true }, { name: 'bob' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    {
      type: 'model',
      id: 'acme/bert',
      branches: { main: hash(1), dev: { commit: hash(2), from: 'main' } },
      tags: { 'v1.0': hash(1) },
      refs: { 'refs/pr/1': hash(3) },
    },
  ],
  hubTokens: [{ account: 'bob', name: 'laptop', kind: 'write' }],
}

const bert = (members: object) => ({
  repositories: [{ type: 'model', id: 'acme/bert', ...members }],
})
const token = (members: object) => ({
  hubTokens: [{ account: 'bob', name: 'new', kind: 'write', ...members }],
})
const grant = { on: '*', contents: 'read' }

// biome-ignore format: a table is read by its columns
const mistakes: readonly [what: string, file: unknown, code: RefusalCode, path: string | undefined][] = [
  ['a file that is a list', [], 'bad_request', undefined],
  ['a section that is not known', { users: [] }, 'bad_request', 'users'],
  ['a section that is no list', { accounts: {} }, 'bad_request', 'accounts'],
  ['a member that is not known', { accounts: [{ name: 'x', admin: true }] }, 'bad_request', 'accounts[0].admin'],
  ['a member that is missing', { accounts: [{}] }, 'bad_request', 'accounts[0].name'],
  ['a name that cannot be', { accounts: [{ name: 'a b' }] }, 'bad_request', 'accounts[0].name'],
  ['a value of another type', { accounts: [{ name: 'x', disabled: 'no' }] }, 'bad_request', 'accounts[0].disabled'],
  ['a kind that is none', { accounts: [{ name: 'x', kind: 'robot' }] }, 'bad_request', 'accounts[0].kind'],
  ['an account twice', { accounts: [{ name: 'x' }, { name: 'y' }, { name: 'X' }] }, 'bad_request', 'accounts[2]'],
  ['an account in other letters', { accounts: [{ name: 'ADA' }] }, 'conflict', 'accounts[0].name'],
  ['a namespace twice', { namespaces: [{ name: 'x' }, { name: 'X' }] }, 'bad_request', 'namespaces[1]'],
  ['a namespace in other letters', { namespaces: [{ name: 'Acme' }] }, 'conflict', 'namespaces[0].name'],
  ['a member that is no account', { namespaces: [{ name: 'acme', members: { eve: 'read' } }] }, 'resource_not_found', 'namespaces[0].members.eve'],
  ['a member in other letters', { namespaces: [{ name: 'acme', members: { Ada: 'read' } }] }, 'resource_not_found', 'namespaces[0].members.Ada'],
  ['a role that is none', { namespaces: [{ name: 'acme', members: { ada: 'owner' } }] }, 'bad_request', 'namespaces[0].members.ada'],
  ['a repository twice', { repositories: [{ type: 'model', id: 'acme/x' }, { type: 'model', id: 'acme/X' }] }, 'bad_request', 'repositories[1]'],
  ['a repository in other letters', { repositories: [{ type: 'model', id: 'acme/Bert' }] }, 'conflict', 'repositories[0].id'],
  ['a repository without a namespace', { repositories: [{ type: 'model', id: 'none/x' }] }, 'resource_not_found', 'repositories[0].id'],
  ['an id that is none', { repositories: [{ type: 'model', id: 'acme' }] }, 'bad_request', 'repositories[0].id'],
  ['an id of three parts', { repositories: [{ type: 'model', id: 'acme/x/y' }] }, 'bad_request', 'repositories[0].id'],
  ['a type that is none', { repositories: [{ type: 'models', id: 'acme/x' }] }, 'bad_request', 'repositories[0].type'],
  ['a visibility that is none', bert({ visibility: 'secret' }), 'bad_request', 'repositories[0].visibility'],
  ['a tag as default branch', bert({ defaultBranch: 'refs/tags/v1' }), 'bad_request', 'repositories[0].defaultBranch'],
  ['a short hash', bert({ branches: { main: 'abc' } }), 'bad_request', 'repositories[0].branches.main'],
  ['a short hash in an object', bert({ branches: { main: { commit: 'abc' } } }), 'bad_request', 'repositories[0].branches.main.commit'],
  ['a branch that is a number', bert({ branches: { main: 1 } }), 'bad_request', 'repositories[0].branches.main'],
  ['a branch that cannot be', bert({ branches: { HEAD: hash(1) } }), 'bad_request', 'repositories[0].branches.HEAD'],
  ['a full name among branches', bert({ branches: { 'refs/heads/x': hash(1) } }), 'bad_request', 'repositories[0].branches["refs/heads/x"]'],
  ['a branch called like a hash', bert({ branches: { [hash(1)]: hash(1) } }), 'bad_request', `repositories[0].branches["${hash(1)}"]`],
  ['a tag that cannot be', bert({ tags: { 'a..b': hash(1) } }), 'bad_request', 'repositories[0].tags["a..b"]'],
  ['a branch among other refs', bert({ refs: { 'refs/heads/x': hash(1) } }), 'bad_request', 'repositories[0].refs["refs/heads/x"]'],
  ['a branch with a stored tag of its name', bert({ branches: { 'v1.0': hash(1) } }), 'conflict', 'repositories[0].branches["v1.0"]'],
  ['a branch and a tag of one name', bert({ branches: { x: hash(1) }, tags: { x: hash(1) } }), 'conflict', 'repositories[0].tags.x'],
  ['a branch from one that is not there', bert({ branches: { x: { commit: hash(1), from: 'y' } } }), 'resource_not_found', 'repositories[0].branches.x.from'],
  ['a branch from one that this file deletes', bert({ branches: { x: { commit: hash(1), from: 'main' } } }), 'resource_not_found', 'repositories[0].branches.x.from'],
  ['a branch from a tag', bert({ branches: { x: { commit: hash(1), from: 'refs/tags/v1.0' } } }), 'bad_request', 'repositories[0].branches.x.from'],
  ['a branch from itself', bert({ branches: { x: { commit: hash(1), from: 'x' } } }), 'bad_request', 'repositories[0].branches.x.from'],
  ['branches from each other', bert({ branches: { x: { commit: hash(1), from: 'y' }, y: { commit: hash(1), from: 'x' } } }), 'bad_request', 'repositories[0].branches.x.from'],
  ['another origin', bert({ branches: { main: hash(1), x: hash(1), dev: { commit: hash(2), from: 'x' } } }), 'conflict', 'repositories[0].branches.dev.from'],
  ['an origin where there was none', bert({ branches: { dev: hash(2), main: { commit: hash(1), from: 'dev' } } }), 'conflict', 'repositories[0].branches.main.from'],
  ['a commit that is none', bert({ commits: { abc: [] } }), 'bad_request', 'repositories[0].commits.abc'],
  ['a commit twice', bert({ commits: { [`${hash(9)}`.replace(/^0/, 'a')]: [], [`${hash(9)}`.replace(/^0/, 'A')]: [] } }), 'bad_request', `repositories[0].commits.${hash(9).replace(/^0/, 'A')}`],
  ['a commit on a branch that is not there', bert({ commits: { [hash(9)]: ['main', 'x'] } }), 'resource_not_found', `repositories[0].commits["${hash(9)}"][1]`],
  ['a commit on a tag', bert({ commits: { [hash(9)]: ['refs/tags/v1.0'] } }), 'bad_request', `repositories[0].commits["${hash(9)}"][0]`],
  ['a collaborator that is no account', bert({ collaborators: { eve: 'read' } }), 'resource_not_found', 'repositories[0].collaborators.eve'],
  ['a rule for no pattern', bert({ refRules: [{ pattern: 'a b', write: 'admin' }] }), 'bad_request', 'repositories[0].refRules[0].pattern'],
  ['a rule twice', bert({ refRules: [{ pattern: 'x', write: 'admin' }, { pattern: 'refs/heads/x', write: 'write' }] }), 'bad_request', 'repositories[0].refRules[1]'],
  ['a hub token twice', { hubTokens: [{ account: 'bob', name: 'x', kind: 'read' }, { account: 'bob', name: 'X', kind: 'read' }] }, 'bad_request', 'hubTokens[1]'],
  ['a hub token in other letters', token({ name: 'Laptop' }), 'conflict', 'hubTokens[0].name'],
  ['a hub token of nobody', token({ account: 'eve' }), 'resource_not_found', 'hubTokens[0].account'],
  ['a hub token of another kind', token({ name: 'laptop', kind: 'read' }), 'conflict', 'hubTokens[0].kind'],
  ['an admin hub token of no administrator', token({ kind: 'admin' }), 'conflict', 'hubTokens[0].kind'],
  ['a fine-grained hub token without grants', token({ kind: 'fine-grained' }), 'bad_request', 'hubTokens[0].grants'],
  ['grants of another kind', token({ grants: [grant] }), 'bad_request', 'hubTokens[0].grants'],
  ['a grant on nothing', token({ kind: 'fine-grained', grants: [grant, { ...grant, on: 'x' }] }), 'bad_request', 'hubTokens[0].grants[1].on'],
  ['an expiry that has passed', token({ expiresAt: '2020-01-01T00:00:00Z' }), 'bad_request', 'hubTokens[0].expiresAt'],
  ['an expiry without a zone', token({ expiresAt: '2028-01-01T00:00:00' }), 'bad_request', 'hubTokens[0].expiresAt'],
]

let directory: Opened
let stored: unknown
beforeAll(async () => {
  directory = await openDirectory({}, afterAll)
  await directory.apply(before)
  stored = await directory.everything()
})

test.each(mistakes)(
  '%s is refused at its place and changes nothing',
  async (_, file, code, path) => {
    const { next: _next, ...refused } = Object(await directory.apply(file))
    expect(refused).toEqual({ ...refuse(code, expect.any(String)), ...(path && { path }) })
    expect(await directory.everything()).toEqual(stored)
  },
)

test('a mistake in the last entry undoes everything before it', async () => {
  const { apply, everything } = await openDirectory()
  const stored = await everything()
  const last = { account: 'nobody', name: 'x', kind: 'read' }
  const file = { ...before, hubTokens: [...before.hubTokens, last] }
  expect(await apply(file)).toMatchObject({ path: 'hubTokens[1].account' })
  expect(await everything()).toEqual(stored)
})

test('text that is no JSON, or names a member twice, changes nothing', async () => {
  const { apply } = await openDirectory()
  expect(await apply('{"accounts": [}')).toMatchObject({
    code: 'bad_request',
    detail: expect.stringContaining('line 1, column 15'),
  })
  expect(await apply('{"accounts": [], "accounts": []}')).toMatchObject({
    code: 'bad_request',
    path: 'accounts',
  })
})
