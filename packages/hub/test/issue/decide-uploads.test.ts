import { parseTokenPath } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { asksForUpload } from '../../src/issue/decide-uploads.ts'

function asks(target: string): boolean | undefined {
  const path = parseTokenPath(target)
  return path && asksForUpload(path, target)
}

const writing = '/api/models/acme/bert/storage-write-token/main'

test.each(['?create_pr=1', '?create_pr=true', '?a=b&create_pr=1&c=d'])(
  'a query asks for an upload: %s',
  (query) => expect(asks(writing + query)).toBe(true),
)

test.each([
  '',
  '?create_pr=0',
  '?xcreate_pr=1',
  '?create_pr=12',
  '&create_pr=1',
  '&create_pr=1?a=b',
])('a target asks for no upload: %s', (rest) => expect(asks(writing + rest)).toBe(false))

test('reading asks for no upload', () => {
  expect(asks('/api/models/acme/bert/storage-read-token/main?create_pr=1')).toBe(false)
})
