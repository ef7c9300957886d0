import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clientCodes } from '../../src/error/latchkey-error.ts'

const text = readFileSync(
  join(import.meta.dirname, '../../../../docs/guides/javascript-client.md'),
  'utf8',
)
const [, errors = ''] = text.split('\n## Errors\n')
const [section = ''] = errors.split('\n## ')
const documented = Array.from(section.matchAll(/^\| `(\w+)` \|/gm), ([, code]) => code)

test("every code of the client's own is documented, and only those", () => {
  expect(documented).toEqual(clientCodes)
})
