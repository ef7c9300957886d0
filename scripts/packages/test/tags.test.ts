/** The reference says how people call a function, and what an option is if they leave it out. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reportFile } from '../api-report.ts'
import { described, folderOf, root } from '../packages.ts'
import { declarationsIn, importedNames, withoutDefault, withoutExample } from '../tags.ts'

const pages = globSync(
  ['README.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/**/*.{ts,js,mjs}'],
  { cwd: root, exclude: ['**/node_modules'] },
).map((page) => readFileSync(join(root, page), 'utf8'))

/** Options that do nothing if they are left out: signals, listeners, and parts of a request. */
const noDefault: readonly string[] = [
  'FetchGuardOptions.publicHandler',
  'PlaceOptions.isolation',
  'ClientOptions.signal',
  'OperationOptions.signal',
  'TransferOptions.onProgress',
  'TransferOptions.signal',
  'StreamOptions.onPlaced',
  'UploadOptions.onAcknowledged',
  'UploadOptions.onSettled',
  'GateRequest.address',
  'HttpHubLinkOptions.onKeyFailure',
  'HttpHubLinkOptions.onRevocationFailure',
  'HubKeysOptions.onFailure',
  'HubRevocationsOptions.onFailure',
  'TokenRequest.flaw',
  'RevokeRequest.token',
  'RevokeRequest.hubToken',
  'RevokeRequest.account',
  'RevokeRequest.namespace',
  'RevokeRequest.repository',
  'RevokeRequest.ref',
  'RevokeRequest.all',
]

test('every exception is an option of today', () => {
  const all = described.flatMap((name) =>
    withoutDefault(declarationsIn(readFileSync(reportFile(name), 'utf8'))),
  )
  expect(noDefault.filter((option) => !all.includes(option))).toEqual([])
})

describe.each(described)('api/%s.d.ts', (name) => {
  const declarations = declarationsIn(readFileSync(reportFile(name), 'utf8'))
  const manifest = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'))

  test('has @example on every function that a guide, a README or an example imports', () => {
    const called = new Set(pages.flatMap((page) => importedNames(page, manifest.name)))
    const bare = withoutExample(declarations, called)
    expect(bare).toEqual([])
  })

  test('has @default on every option that people may leave out', () => {
    const bare = withoutDefault(declarations).filter((option) => !noDefault.includes(option))
    expect(bare).toEqual([])
  })
})
