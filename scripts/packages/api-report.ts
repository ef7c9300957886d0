/** What a package declares to those who install it, as one text: every declaration that its entries lead to. */

import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { folderOf, root } from './packages.ts'
import { platformFiles } from './platform-files.ts'

export function reportFile(name: string): string {
  return join(root, 'api', `${name}.d.ts`)
}

/** Of what `npm run build` has made. */
export function reportOf(name: string): string {
  const entries = entriesOf(name)
  const lines = entries.map(([entry, file]) => `// ${entry} is ${file}`)
  const files = [...reached(name, new Set(entries.map(([, file]) => file)))].sort()
  const head = `// What ${name} declares, written by \`npm run api\`.\n${lines.join('\n')}\n`
  return [head, ...files.map((file) => `// ${file}\n${declarationsIn(name, file)}`)].join('\n')
}

type Entry = readonly [entry: string, file: string]

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string }>>
}

function entriesOf(name: string): readonly Entry[] {
  const text = readFileSync(join(folderOf(name), 'package.json'), 'utf8')
  const { exports }: Manifest = JSON.parse(text)
  return Object.entries(exports).flatMap(([entry, { types }]) =>
    types.includes('*') ? entriesLike(name, entry) : [[entry, types.replace('./dist/', '')]],
  )
}

/** `./*` is every file. */
function entriesLike(name: string, entry: string): readonly Entry[] {
  const files = globSync('**/*.d.ts', { cwd: join(folderOf(name), 'dist') }).sort()
  return files.map((file) => [entry.replace('*', file.replace(/\.d\.ts$/, '')), file])
}

/** The files themselves, and all that they import from their own package. */
function reached(name: string, files: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set([...files, ...[...files].flatMap((file) => importedBy(name, file))])
  return found.size === files.size ? files : reached(name, found)
}

function importedBy(name: string, file: string): readonly string[] {
  const found = declarationsIn(name, file).matchAll(/["'](\.[^"'\s]+\.js|#[^"'\s]+)["']/g)
  return Array.from(found, ([, target = '']) => target).flatMap((target) =>
    target.startsWith('#')
      ? platformFiles(name, target, 'dist').map((path) =>
          declarationOf(path.slice('./dist/'.length)),
        )
      : [declarationOf(join(dirname(file), target))],
  )
}

function declarationOf(module: string): string {
  return normalize(module.replace(/\.js$/, '.d.ts'))
}

function declarationsIn(name: string, file: string): string {
  const text = readFileSync(join(folderOf(name), 'dist', file), 'utf8')
  return text.replace(/\/\/# sourceMappingURL=.*/, '')
}
