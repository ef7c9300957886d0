/** Arbitrary directory files, most of them without a mistake. */

import fc, { type Arbitrary } from 'fast-check'
import { arbitraryPattern } from '../permission/arbitraries.ts'
import {
  branch,
  commit,
  flags,
  mostly,
  person,
  role,
  some,
  tokenName,
  visibility,
  write,
} from './arbitrary-words.ts'

const people = fc.dictionary(fc.constantFrom('ada', 'bob'), role)
const moving = fc.oneof(commit, fc.constant(null), some({}, { commit, from: fc.constant('main') }))
const branches = fc
  .record({ main: fc.option(commit), others: fc.dictionary(branch, moving, { maxKeys: 3 }) })
  .map(({ main, others }) => ({ ...others, main }))

const place = fc.constantFrom(
  { type: 'model', id: 'acme/bert' },
  { type: 'model', id: 'acme/gpt' },
  { type: 'dataset', id: 'beta/set' },
)
const ownRepository = some(
  {},
  {
    visibility,
    defaultBranch: branch,
    branches,
    tags: fc.dictionary(fc.constantFrom('v1', 'v2'), commit),
    refs: fc.dictionary(fc.constant('refs/pr/1'), commit),
    commits: fc.dictionary(commit, fc.subarray(['main']), { maxKeys: 2 }),
    collaborators: people,
    refRules: fc.uniqueArray(fc.record({ pattern: arbitraryPattern, write }), { maxLength: 2 }),
  },
)

/** Names must differ within a list. */
function list<Entry extends object>(
  entry: Arbitrary<Entry>,
  selector: (entry: Entry) => unknown,
): Arbitrary<Entry[]> {
  return fc.uniqueArray(entry, { selector, minLength: 1, maxLength: 3 })
}

const named = (names: Arbitrary<string>, others: Arbitrary<object>) =>
  fc.tuple(names, others).map(([name, rest]) => ({ name, ...rest }))

const accounts = list(named(person, some({}, flags)), ({ name }) => name)
const namespaces = list(
  named(fc.constantFrom('acme', 'beta'), some({}, { members: people })),
  ({ name }) => name,
)
const repositories = list(
  fc.tuple(place, ownRepository).map(([where, rest]) => ({ ...where, ...rest })),
  ({ id }) => id,
)
const hubTokens = list(
  fc.record({
    account: mostly(fc.constantFrom('ada', 'bob'), fc.constant('nobody')),
    name: tokenName,
    kind: fc.constantFrom('read', 'write'),
  }),
  ({ account, name }) => `${account}/${name}`,
)

export const directoryFile = some({}, { accounts, namespaces, repositories, hubTokens })
