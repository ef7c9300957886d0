/** The habits of compatible clients never change which revision others ask for. */

import { parseTokenPath, type TokenWord } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { wantedRevision } from '../../src/issue/issue-token.ts'

function wanted(revision: string, compatible: boolean, word: TokenWord = 'storage') {
  const path = parseTokenPath(`/api/models/acme/bert/${word}-read-token/${revision}`)
  return path === undefined ? undefined : wantedRevision(path, compatible)
}

test('None is a name that cannot exist', () => {
  expect(wanted('None', false)).toEqual({ kind: 'impossible', text: 'None' })
})

test.each(['none', 'None1', 'refs/heads/None', 'HEAD', '%20default'])(
  'nothing but None means the default branch, even for compatible clients: %s',
  (revision) => {
    expect(wanted(revision, true)).toEqual(wanted(revision, false))
  },
)

test('None means the default branch for compatible clients, whatever the query', () => {
  expect(wanted('None', true)).toEqual({ kind: 'default' })
  expect(wanted('None?create_pr=1', true)).toEqual({ kind: 'default' })
})

test('HEAD means the default branch for compatible clients on their own route alone', () => {
  expect(wanted('HEAD', true, 'xet')).toEqual({ kind: 'default' })
  expect(wanted('HEAD?create_pr=1', true, 'xet')).toEqual({ kind: 'default' })
  const impossible = { kind: 'impossible', text: 'HEAD' }
  expect(wanted('HEAD', false, 'xet')).toEqual(impossible)
  expect(wanted('HEAD', true)).toEqual(impossible)
  expect(wanted('head', true, 'xet')).toEqual(wanted('head', false, 'xet'))
})

test.each(['main', 'refs%2Fpr%2F1', '0123456789abcdef0123456789abcdef01234567'])(
  'a revision stays what it is for everybody: %s',
  (revision) => {
    expect(wanted(revision, true)).toEqual(wanted(revision, false))
  },
)
