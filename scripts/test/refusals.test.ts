import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { statusOf } from '@latchkey/protocol'
import { expect, test } from 'vitest'

const text = readFileSync(join(import.meta.dirname, '../../docs/refusals.md'), 'utf8')
const documented = Object.fromEntries(
  Array.from(text.matchAll(/^\| `(\w+)` \| (\d+) \|/gm), ([, code, status]) => [
    code,
    Number(status),
  ]),
)

test('every refusal code is documented with its status, and only those', () => {
  expect(documented).toEqual(statusOf)
})
