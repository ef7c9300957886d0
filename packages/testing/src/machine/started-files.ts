/** The source files that are started by their address: as a process or as a thread. */

/**
 * Named as their starters name them. The bundle is one folder, so `new URL('./requests/plan-work.ts', import.meta.url)`
 * finds the file from every chunk.
 */
export const startedFiles: Readonly<Record<string, string>> = {
  main: 'cli/src/main.ts',
  'storage-child': 'cli/src/serve/storage-child.ts',
  thread: 'storage/src/threads/thread.ts',
  'xorb-work': 'storage/src/checking/xorb-work.ts',
  'requests/plan-work': 'storage/src/requests/plan-work.ts',
  'requests/shard-work': 'storage/src/requests/shard-work.ts',
  'cutting-thread': 'xet/src/cutting/cutting-thread.ts',
}
