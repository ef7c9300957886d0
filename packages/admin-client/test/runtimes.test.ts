import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { runElsewhere } from '@latchkey/testing/machine/run-elsewhere'
import { findNode, findProgram } from '@latchkey/testing/tools/find-program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../../scripts/bundle-client.ts'

const patienceMs = 60_000
const folder = sharedFolder()
const program = join(folder, 'program.mjs')
const server = createServer(({ method, url = '' }, response) => {
  const isSecond = url.includes('after=c1')
  const page = { items: [{ name: isSecond ? 'bob' : 'ada' }], total: 2 }
  const body =
    method === 'GET'
      ? { ...page, ...(isSecond ? {} : { next: 'c1' }) }
      : method === 'POST'
        ? { token: 'lk_new' }
        : { code: 'resource_not_found', detail: 'There is no account.' }
  response.writeHead(method === 'DELETE' ? 404 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
})
let url = ''

beforeAll(async () => {
  const text = await bundle(fileURLToPath(import.meta.resolve('@latchkey/admin-client')))
  const source = stripTypeScriptTypes(
    readFileSync(join(import.meta.dirname, 'exercise.ts'), 'utf8'),
  )
  writeFileSync(program, source.replace(`'@latchkey/admin-client'`, `'./bundle.mjs'`))
  writeFileSync(join(folder, 'bundle.mjs'), text)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

test('the bundle imports nothing, so browsers load it', () => {
  const text = readFileSync(join(folder, 'bundle.mjs'), 'utf8')
  expect(text).not.toMatch(/\bimport\b|\brequire\b|\bnode:|\bprocess\b/)
})

// biome-ignore format: a table is read by its columns
const runtimes = [
  { name: 'Node 20', command: findNode(20),       words: [] },
  { name: 'Deno', command: findProgram('deno'),   words: ['run', '--no-prompt', '--no-lock', '--cached-only', '--allow-net=127.0.0.1'] },
  { name: 'Bun',  command: findProgram('bun'),    words: ['--no-install', 'run'] },
]

for (const { name, command = '', words } of runtimes) {
  const isMissing = command === ''
  if (isMissing)
    console.warn(`SKIPPED: ${name} is not installed, so the admin client is not run by it`)

  describe.skipIf(isMissing)(`the admin client in ${name}`, () => {
    test('lists, creates and is denied', async () => {
      const { stdout, stderr, code } = await runElsewhere(
        command,
        [...words, program, url],
        patienceMs,
      )
      expect([stderr, code]).toEqual(['', 0])
      const expected = { names: ['ada', 'bob'], token: '[hub-token]', code: 'resource_not_found' }
      expect(JSON.parse(stdout)).toEqual(expected)
    })
  })
}
