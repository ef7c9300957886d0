import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { adminPrefix, operationId, verbs } from '@latchkey/admin-api'
import { expect, test } from 'vitest'
import { operationFiles } from '../../../scripts/admin-client/write-operations.ts'
import { rows } from '../src/operations/rows.ts'

const folder = join(import.meta.dirname, '../../..')
const files = Object.entries(operationFiles())

test.each(files.map(([file, text]) => [relative(folder, file), file, text] as const))(
  '%s is what node scripts/write-admin-client.ts writes',
  (_, file, text) => {
    expect(readFileSync(file, 'utf8')).toBe(text)
  },
)

test('the client has each operation of the admin API, and whoami', () => {
  const names = verbs.map((verb) => operationId(verb))
  expect(Object.keys(rows)).toEqual([...names, 'whoami'])
  expect(Object.values(rows).filter(({ path }) => path.startsWith(adminPrefix))).toHaveLength(
    verbs.length,
  )
})

test('each member of a response that is a secret is known to the client', () => {
  const shown = Object.entries(rows).filter(([, { shown }]) => shown.length > 0)
  expect(shown.map(([name, { shown }]) => [name, shown])).toEqual([
    ['hubTokenCreate', [['token']]],
    ['apply', [['hubTokens', 'token']]],
  ])
})
