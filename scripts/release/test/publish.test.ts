/** Nothing is uploaded but what was released, and only when its version is named. */

import { appendFileSync, cpSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { sumOf } from '../artifacts.ts'
import { startRegistry } from './registry.ts'
import { type Ended, notMade, repository, runRelease } from './repository.ts'

const shared = join(sharedFolder(), 'released')
const tools = sharedFolder()
let made: Ended

/** Where nothing is that builds a wheel. */
beforeAll(async () => {
  made = await runRelease(repository(shared).root, ['0.2.0'], { LATCHKEY_TEST_TOOLS: tools })
})

async function released() {
  const folder = temporaryFolder()
  const root = join(folder, 'released')
  cpSync(shared, root, { recursive: true })
  const registry = await startRegistry(join(folder, 'npm'))
  onTestFinished(() => registry.close())
  const publish = (version: string) => runRelease(root, ['--publish', version], registry.env)
  const integrity = (file: string) =>
    `sha512-${sumOf(join(root, 'release/0.2.0', file), 'sha512', 'base64')}`
  return { root, registry, publish, integrity }
}

test('a release says that it has no wheel where nothing builds one', () => {
  expect(made).toMatchObject({ status: 0, stderr: notMade })
  expect(made.stdout).not.toContain('.whl')
  expect(readdirSync(join(shared, 'release/0.2.0'))).toContain('sbom.cdx.json')
  expect(globSync('**/*.whl', { cwd: shared })).toEqual([])
})

test('a version that was not released is not published', async () => {
  const { registry, publish } = await released()
  const { status, stderr } = await publish('0.3.0')
  expect([status, stderr]).toEqual([
    1,
    '0.3.0 has no tag, or no files to publish. Run: npm run release\n',
  ])
  expect(registry.requests).toEqual([])
})

test('a file that is not what was released is not published, nor any other', async () => {
  const { root, registry, publish } = await released()
  appendFileSync(join(root, 'release/0.2.0/own-two-0.2.0.tgz'), 'x')
  const { status, stderr } = await publish('0.2.0')
  expect([status, stderr]).toEqual([
    1,
    'Not as SHA256SUMS says: own-two-0.2.0.tgz. Nothing was uploaded. Run: npm run release -- --verify 0.2.0\n',
  ])
  expect(registry.requests).toEqual([])
})

test.each(['sbom.cdx.json', 'own-two-0.2.0.tgz'].slice(0, rounds(1, 2)))(
  'a release whose sums have lost %s is not published',
  async (file) => {
    const { root, registry, publish } = await released()
    const sums = join(root, 'release/0.2.0/SHA256SUMS')
    const lines = readFileSync(sums, 'utf8').split('\n')
    writeFileSync(sums, lines.filter((line) => !line.endsWith(file)).join('\n'))
    const { status, stderr } = await publish('0.2.0')
    expect([status, stderr]).toEqual([
      1,
      `Not as SHA256SUMS says: ${file}. Nothing was uploaded. Run: npm run release -- --verify 0.2.0\n`,
    ])
    expect(registry.requests).toEqual([])
  },
)

test('what the registry has is not sent again, and with other bytes it ends the rest', async () => {
  const { registry, publish, integrity } = await released()
  registry.published.set('one@0.2.0', integrity('one-0.2.0.tgz'))
  registry.published.set('@own/two@0.2.0', 'sha512-AAAA')
  expect(await publish('0.2.0')).toEqual({
    status: 1,
    stdout: 'one 0.2.0: there already\n',
    stderr: 'The registry has another @own/two 0.2.0. Release a greater version.\n',
  })
  expect(registry.requests.filter((request) => !request.startsWith('GET'))).toEqual([])
})

test('a package comes after those it needs', async () => {
  const { registry, publish, integrity } = await released()
  expect(await publish('0.2.0')).toEqual({
    status: 0,
    stdout: 'one 0.2.0: published\n@own/two 0.2.0: published\n',
    stderr: '',
  })
  expect([...registry.published]).toEqual([
    ['one@0.2.0', integrity('one-0.2.0.tgz')],
    ['@own/two@0.2.0', integrity('own-two-0.2.0.tgz')],
  ])
})
