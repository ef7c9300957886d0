/** Code in documents: TypeScript agrees with the types of the packages, Python and Go can be compiled. */

import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { expect, onTestFinished, test } from 'vitest'
import { tscEnvironment } from '../tools/tsc-environment.ts'

const root = resolve(import.meta.dirname, '../..')
const pages = globSync(
  [
    '*.md',
    'docs/**/*.md',
    '{packages,clients}/*/README.md',
    '{examples,outside,vectors}/**/README.md',
  ],
  { cwd: root, exclude: ['**/node_modules'] },
)

interface Block {
  /** The page and the number of the block, as a file name without an ending. */
  readonly name: string
  readonly code: string
}

function blocksIn(language: string): readonly Block[] {
  return pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const found = text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^\\1\`\`\`$`, 'gms'))
    return Array.from(found, ([, indent = '', code = ''], index) => ({
      name: `${page.replaceAll('/', '-')}-${index + 1}`,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }))
  })
}

/** Below the node_modules of this workspace, where the packages are found. */
function folderWith(blocks: readonly Block[], ending: string): string {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const made = mkdtempSync(join(cache, 'latchkey-blocks-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  for (const { name, code } of blocks) writeFileSync(join(made, `${name}${ending}`), code)
  return made
}

test('every TypeScript example has the types of the packages', () => {
  const blocks = blocksIn('ts')
  expect(blocks.length).toBeGreaterThan(10)
  const folder = folderWith(blocks, '.ts')
  // The storage that the guide about tests tests.
  copyFileSync(join(root, 'examples/hono-storage/storage.ts'), join(folder, 'storage.ts'))
  const compilerOptions = { moduleDetection: 'force' }
  const project = { extends: '../../../tsconfig.json', compilerOptions, include: ['*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const words = ['-p', folder, '--singleThreaded']
  const env = { ...process.env, ...tscEnvironment }
  const { stdout, status } = spawnSync('tsc', words, { cwd: folder, encoding: 'utf8', env })
  expect([stdout, status]).toEqual(['', 0])
})

const python = findProgram('python3')
if (python === undefined) console.warn('SKIPPED: examples in Python, because python3 is not there')

const compileAll = `
import pathlib, sys
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    compile(file.read_text(), file.name, "exec")
`

test.skipIf(python === undefined)('every Python example compiles', () => {
  const blocks = blocksIn('python')
  expect(blocks.length).toBeGreaterThan(1)
  const words = ['-c', compileAll, folderWith(blocks, '.py')]
  const { stderr, status } = spawnSync(python ?? '', words, { encoding: 'utf8' })
  expect([stderr, status]).toEqual(['', 0])
})

const gofmt = findProgram('gofmt')
if (gofmt === undefined) console.warn('SKIPPED: examples in Go, because gofmt is not there')

test.skipIf(gofmt === undefined)('every whole program in Go is formatted as gofmt does', () => {
  // Others are parts, such as one call.
  const blocks = blocksIn('go').filter(({ code }) => /^package /m.test(code))
  expect(blocks.length).toBeGreaterThan(0)
  const words = ['-l', '-e', folderWith(blocks, '.go')]
  const { stdout, stderr, status } = spawnSync(gofmt ?? '', words, { encoding: 'utf8' })
  expect([stdout, stderr, status]).toEqual(['', '', 0])
})
