/** The uses of PostgreSQL in a hub that compare no server: a short list, kept by hand. */

import { codeOf, filesWith } from '@latchkey/testing/source-files'
import { expect, test } from 'vitest'

const opening = 'hub/src/stores/postgres/open-store.ts'

test('a hub opens PostgreSQL in one file, where everything but the start and the comparison itself is compared', () => {
  const files = filesWith(/\b(?:openPostgres|connections|new pg\.Pool)\b\s*[<(]/)
  expect(files.filter((file) => file.startsWith('hub/'))).toEqual([opening])
  const uses = Array.from(
    codeOf(opening).matchAll(/^.*\b(?:database|hot|asking)\b(?!:|_).*$/gm),
    ([line]) => line.trim(),
  )
  expect(uses).toEqual([
    'const database = await openPostgres<Schema>({',
    'closing.push(database.close)',
    'const hot = await openPostgres<Schema>({ ...quick(settings), connections: 4 })',
    'closing.push(hot.close)',
    'const asking = await openPostgres<Schema>({ ...quick(settings), connections: 1 })',
    'closing.push(asking.close)',
    'const { read, change } = database',
    'database: asking,',
    'const compared = database.guardedBy(guard)',
    'access: postgresAccess(hot.guardedBy(guard), { schema, head }),',
  ])
})
