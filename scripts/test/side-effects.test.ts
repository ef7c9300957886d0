/** Who bundles one function of a library gets what that function needs, and no more of the library. */

import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, relative } from 'node:path'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { folderOf, libraries, root } from '../packages/packages.ts'

interface Manifest {
  readonly name: string
  readonly sideEffects?: false | readonly string[]
  readonly exports: Readonly<Record<string, object>>
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'))

/** The sources that a program is bundled of, and what it imports from elsewhere. */
async function bundled(program: string): Promise<readonly string[]> {
  const entry = join(temporaryFolder(), 'program.js')
  writeFileSync(entry, program)
  const built = await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    resolve: { conditions: ['@latchkey/source', 'module'] },
    // The program is outside of the checkout; what it imports is looked up in the checkout.
    plugins: [
      {
        name: 'from-root',
        enforce: 'pre',
        resolveId(id, importer) {
          return importer === entry ? this.resolve(id, join(root, 'program.js')) : undefined
        },
      },
    ],
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ['es'] },
      rolldownOptions: { external: (id) => isBuiltin(id) },
    },
  })
  const [output] = [built].flat()
  if (output === undefined || !('output' in output)) throw new Error('vite has built nothing')
  const [{ modules, imports }] = output.output
  const rendered = Object.entries(modules).filter(([, { renderedLength }]) => renderedLength > 0)
  const files = rendered.map(([id]) => relative(root, id))
  return [...files, ...imports].sort()
}

const entries = libraries.flatMap((name) => {
  const { name: installed, exports } = manifestOf(name)
  return Object.keys(exports)
    .filter((entry) => !entry.includes('*'))
    .map((entry) => join(installed, entry))
})

test('a program that imports every entry and uses none is empty', async () => {
  expect(entries.length).toBeGreaterThan(50)
  const imports = entries.map((entry) => `import '${entry}'\n`).join('')
  expect(await bundled(imports)).toEqual([])
})

test.each([
  [`export { visible } from '@latchkey/gate'`, ['packages/gate/src/grant/visibility.ts']],
  [
    `export { identityHeaders } from '@latchkey/gate/headers'`,
    ['packages/gate/src/grant/grant.ts'],
  ],
  [
    `export { parseNormalPath } from '@latchkey/protocol'`,
    ['packages/protocol/src/storage-path.ts'],
  ],
  [
    `export { listHash } from '@latchkey/token'`,
    ['node:crypto', 'packages/token/src/claims.ts', 'packages/token/src/cut-off.ts'],
  ],
])('%s brings what it needs', async (program, files) => {
  expect(await bundled(program)).toEqual(files)
})

/** A statement at the start of a line that is neither a declaration nor the rest of one. */
const statement =
  /^(?!import |export |const |let |function\* |type |interface |function |async |class |abstract |declare |enum |namespace )[A-Za-z_$][^\n]*/gm

const marks = 'packages/gate/src/adapters/fastify.ts: Object.assign(fastifyGate,'

test('no file of a library does anything when it is loaded, unless its manifest names the file', () => {
  const found = libraries.flatMap((name) => {
    const { sideEffects } = manifestOf(name)
    const named = sideEffects === undefined ? undefined : sideEffects || []
    if (named === undefined) return [`${name} says nothing about side effects`]
    return globSync('src/**/*.ts', { cwd: folderOf(name) })
      .filter((file) => !named.includes(`./${file}`))
      .flatMap((file) => {
        const text = readFileSync(join(folderOf(name), file), 'utf8')
        const code = text.replace(/`(?:[^`\\]|\\.)*`|\/\*.*?\*\//gs, '')
        return (code.match(statement) ?? []).map((line) => `packages/${name}/${file}: ${line}`)
      })
  })
  expect(found.filter((line) => !line.startsWith(marks))).toEqual([])
})
