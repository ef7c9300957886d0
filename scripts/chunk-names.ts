/** Which modules of the bundle share a file: each file that Node loads takes it about half a millisecond. */

import { join } from 'node:path'

/** The static imports of each module, by id. */
export type Imports = ReadonlyMap<string, readonly string[]>

/** Commands that a person waits for, or that a script runs many times. */
const transfers = ['upload', 'download', 'token'].map(
  (name) => `packages/cli/src/commands/${name}.ts`,
)

/** Null for a module that the bundler may place as it likes. */
export function chunkNames(
  root: string,
  startedFiles: Readonly<Record<string, string>>,
  imports: Imports,
): (id: string) => string | null {
  const reached = (...files: string[]) =>
    closure(
      files.map((file) => join(root, file)),
      imports,
    )
  const { main = '', 'storage-child': storage = '', ...threads } = startedFiles
  const command = reached(main, ...transfers)
  // A module has the first name that fits: so neither a thread nor the storage loads what the command alone needs.
  const groups = Object.entries({
    cutting: reached(threads['cutting-thread'] ?? ''),
    threads: reached(...Object.values(threads)).intersection(command),
    storage: reached(storage).intersection(command),
    main: reached(main),
    transfers: command,
  })
  // A started file runs when it is loaded, so it shares no chunk with other modules.
  const started = new Set(Object.values(startedFiles).map((file) => join(root, file)))
  return (id) => (started.has(id) ? null : (groups.find(([, ids]) => ids.has(id))?.[0] ?? null))
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
