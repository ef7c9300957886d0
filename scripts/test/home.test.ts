/** Every manifest has the addresses of the repository, from one constant. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { manifests, manifestWithHome, repositoryUrl, withHome } from '../packages/home.ts'
import { root } from '../packages/packages.ts'

const example = 'https://git.example/latchkey/latchkey'

test('every package and every client in Python has a manifest here', () => {
  const expected = ['package.json', 'packages/gate/package.json', 'clients/python/pyproject.toml']
  expect(manifests).toEqual(expect.arrayContaining(expected))
})

describe.each(manifests)('%s', (manifest) => {
  const text = readFileSync(join(root, manifest), 'utf8')

  test('has the addresses of scripts/packages/home.ts; scripts/write-home.ts writes them', () => {
    expect(text).toBe(manifestWithHome(manifest, repositoryUrl))
  })

  test('gets the addresses of a repository, and loses them again', () => {
    const withAddresses = withHome(manifest, text, example)
    expect(withAddresses).toContain(`${example}/issues`)
    expect(withHome(manifest, withAddresses, example)).toBe(withAddresses)
    expect(withHome(manifest, withAddresses, '')).toBe(withHome(manifest, text, ''))
  })
})

test('a package of npm says in which folder of the repository it is', () => {
  const manifest = JSON.parse(manifestWithHome('packages/gate/package.json', example))
  expect(manifest).toMatchObject({
    homepage: `${example}#readme`,
    repository: { type: 'git', url: `git+${example}.git`, directory: 'packages/gate' },
    bugs: { url: `${example}/issues` },
  })
})
