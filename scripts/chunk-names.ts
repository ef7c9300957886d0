/** Which modules of the bundle share a file: each file that Node loads takes it about half a millisecond. */

import { join } from 'node:path'

/** The static imports of each module, by id. */
export type Imports = ReadonlyMap<string, readonly string[]>

const command = (name: string) => `packages/cli/src/commands/${name}.ts`

/** What a kind of process loads at every start, beside `main`, also by late imports. */
const commands: Readonly<Record<string, readonly string[]>> = {
  hub: [command('serve'), 'packages/cli/src/serve/start-both.ts'],
  // They need native code, which no other command does.
  transfers: ['upload', 'download'].map(command),
  clients: ['token', 'fetch', 'login', 'whoami'].map(command),
  'remote-verbs': [command('noun')],
  verbs: [command('noun'), 'packages/cli/src/management/local.ts'],
}

/**
 * Modules that the same kinds of process load share a file. So no process loads a module that it does not need, and each loads
 * few files. Null for a module that the bundler may place as it likes.
 */
export function chunkNames(
  root: string,
  startedFiles: Readonly<Record<string, string>>,
  imports: Imports,
): (id: string) => string | null {
  const reached = (files: readonly string[]) =>
    closure(
      files.map((file) => join(root, file)),
      imports,
    )
  const { main = '', ...others } = startedFiles
  const kinds = [
    ...Object.entries({ main: [], ...commands }).map(
      ([kind, files]) => [kind, reached([main, ...files])] as const,
    ),
    ...Object.entries(others).map(
      ([kind, file]) => [kind.replace(/.*\//, ''), reached([file])] as const,
    ),
  ]
  // A started file runs when it is loaded, so it shares no chunk with other modules.
  const started = new Set(Object.values(startedFiles).map((file) => join(root, file)))
  return (id) => {
    const names = kinds.filter(([, ids]) => ids.has(id)).map(([kind]) => kind)
    return started.has(id) || names.length === 0 ? null : names.join('+')
  }
}

function closure(ids: readonly string[], imports: Imports): Set<string> {
  const found = new Set<string>()
  const open = [...ids]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue
    found.add(id)
    open.push(...(imports.get(id) ?? []))
  }
  return found
}
