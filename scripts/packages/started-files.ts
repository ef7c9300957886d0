/** The source files that are started by their address, as a process or as a thread: named as their starters name them. */

export const startedFiles: Readonly<Record<string, string>> = {
  main: 'packages/cli/src/main.ts',
  'storage-child': 'packages/cli/src/serve/storage-child.ts',
  'forge-child': 'packages/cli/src/serve/forge-child.ts',
  thread: 'packages/storage/src/threads/thread.ts',
  'xorb-work': 'packages/storage/src/checking/xorb-work.ts',
  'reconstructions/plan-work': 'packages/storage/src/reconstructions/plan-work.ts',
  'files/content-work': 'packages/storage/src/files/content-work.ts',
  'files/pack-work': 'packages/storage/src/files/pack-work.ts',
  'files/sha256-work': 'packages/storage/src/files/sha256-work.ts',
  'read-back-work': 'packages/storage/src/grants/read-back-work.ts',
  'shards/shard-work': 'packages/storage/src/shards/shard-work.ts',
  'readme-thread': 'packages/forge/src/readme/readme-thread.ts',
  'cutting-thread': 'packages/xet/src/cutting/cutting-thread.ts',
}

/** Compiled code starts compiled files: with `.ts` it would find none, or make every thread load what takes types away. */
export function withCompiledNames(code: string): string {
  return Object.keys(startedFiles).reduce(
    (text, name) => text.replaceAll(`./${name}.ts`, `./${name}.js`),
    code,
  )
}
