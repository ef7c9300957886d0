/** The TypeScript in the READMEs of packages compiles with the types that npm gets. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tscEnvironment } from '../../tools/tsc-environment.ts'
import { folderOf, libraries, root } from '../packages.ts'

/** Below the node_modules of this workspace, where the packages are found. */
function folder(): string {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const made = mkdtempSync(join(cache, 'latchkey-readmes-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

function examplesIn(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  return Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = '']) => code)
}

test('every TypeScript example of a package compiles with the types that npm gets', () => {
  const made = folder()
  for (const name of libraries) {
    const examples = examplesIn(join(folderOf(name), 'README.md'))
    expect(examples.length, name).toBeGreaterThan(0)
    examples.forEach((code, index) => {
      writeFileSync(join(made, `${name.replaceAll('/', '-')}-${index + 1}.ts`), code)
    })
  }
  writeFileSync(
    join(made, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../../tsconfig.json',
      compilerOptions: { customConditions: [], moduleDetection: 'force' },
      include: ['*.ts'],
    }),
  )
  const { stdout } = spawnSync('tsc', ['-p', made, '--singleThreaded'], {
    ...{ cwd: made, encoding: 'utf8', env: { ...process.env, ...tscEnvironment } },
  })
  expect(stdout).toBe('')
})
