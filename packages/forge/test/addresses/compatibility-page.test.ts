/** docs/reference/compatibility.md agrees with the recorded calls of the clients. */

import { readFileSync } from 'node:fs'
import { isRefusal } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { findForgeRoute } from '../../src/serve/answer-request.ts'

const page = readFileSync(
  new URL('../../../../docs/reference/compatibility.md', import.meta.url),
  'utf8',
)
const recorded: readonly (readonly [call: string, method: string, path: string])[] = JSON.parse(
  readFileSync(new URL('./client-calls.json', import.meta.url), 'utf8'),
)

/** The names of calls in the table below a heading. */
function callsUnder(heading: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [table = ''] = section.split('\n## ')
  const rows = table.match(/^\|.*$/gm)?.slice(2) ?? []
  return rows.flatMap((row) => Array.from(row.matchAll(/`(\w+)`/g), ([, name = '']) => name))
}

function isServed(method: string, path: string): boolean {
  const found = findForgeRoute(method, path)
  return found !== undefined && !isRefusal(found) && !('refuse' in found.row)
}

/** By the name of the call: whether every address that it asks for is served. */
const servedByCall = new Map<string, boolean>()
for (const [call, method, path] of recorded.filter(([call]) => !call.startsWith('hf '))) {
  const name = call.split(' ').at(-1) ?? ''
  servedByCall.set(name, (servedByCall.get(name) ?? true) && isServed(method, path))
}

test('no call that the page says works asks for an address that is not served', () => {
  const calls = callsUnder('Calls that work with the forge')
  expect(calls.length).toBeGreaterThan(40)
  expect(calls.filter((call) => servedByCall.get(call) === false)).toEqual([])
})

test('every call that the page says does not work is recorded, and asks for an address that is not served', () => {
  const calls = callsUnder('Calls that do not work')
  expect(calls.length).toBeGreaterThan(15)
  expect(calls.filter((call) => servedByCall.get(call) !== false)).toEqual([])
})

test('the page names every recorded call that works', () => {
  // The forge opens discussions only as pull requests, and the address does not tell.
  const calls = new Set([...callsUnder('Calls that work with the forge'), 'create_discussion'])
  const working = [...servedByCall].flatMap(([call, served]) => (served ? [call] : []))
  expect(working.filter((call) => !calls.has(call))).toEqual([])
})
