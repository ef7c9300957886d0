import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { keystream } from '@latchkey/testing/keystream'
import { type Serving, serve } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exampleFile, type Ran, runExample, temporaryFolder } from './run-example.ts'

const folder = sharedFolder()
let prepared: Prepared
let hub: Serving
beforeAll(async () => {
  prepared = await prepareData(folder)
  hub = await serve(['--data', prepared.data], { cwd: folder })
})
afterAll(() => hub?.end())

function run(word: string, branch: string, what: string, as = 'writer/write'): Promise<Ran> {
  const args = [exampleFile('xet/files.ts'), word, 'models/acme/bert', branch, what]
  const around = { hub: hub.url, hubToken: prepared.tokens[as] ?? '' }
  return runExample([process.execPath, ...args], around).ended
}

it('examples/xet/files.ts uploads a file and downloads it, for its own branch alone', async () => {
  const file = join(temporaryFolder(), 'weights.bin')
  const bytes = keystream('weights', 400_000)
  writeFileSync(file, bytes)
  const uploaded = await run('upload', 'main', file)
  expect([uploaded.code, uploaded.stderr]).toEqual([0, ''])
  const hash = uploaded.stdout.toString().trim()
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
  const [own, other, mistyped] = await Promise.all([
    run('download', 'main', hash),
    run('download', 'dev', hash),
    run('download', 'main', 'abc'),
  ])
  expect([own.code, own.stderr]).toEqual([0, ''])
  expect(own.stdout.equals(bytes)).toBe(true)
  for (const { code, stdout, stderr } of [other, mistyped]) {
    expect([code, stdout.length, stderr.trim().split('\n').length]).toEqual([1, 0, 1])
  }
  expect(other.stderr).toContain('404')
})
