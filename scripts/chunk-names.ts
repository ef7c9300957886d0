/** Which modules of the bundle share a file: each file that Node loads takes it about half a millisecond. */

import { join } from 'node:path'

/** The static imports of each module, by id. */
export type Imports = ReadonlyMap<string, readonly string[]>

/** Commands that a person waits for, or that a script runs many times. */
const transfers = ['upload', 'download', 'token'].map(
  (name) => `packages/cli/src/commands/${name}.ts`,
)

/** What stays in the memory of a hub for as long as it runs. */
const hubFiles = ['packages/cli/src/commands/serve.ts', 'packages/cli/src/serve/start-both.ts']

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
  const hub = reached(main, ...hubFiles)
  const ofThreads = reached(...Object.values(threads)).intersection(command)
  // A module has the first name that fits: so neither a thread nor the storage loads what the command alone needs.
  const groups = Object.entries({
    cutting: reached(threads['cutting-thread'] ?? ''),
    // Native code is here: a hub and `--help` need none.
    xorbs: ofThreads.difference(hub),
    threads: ofThreads,
    storage: reached(storage).intersection(command),
    main: reached(main),
    shared: command.intersection(hub),
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
