/** Threads as a storage starts them, with work that is bundled. */

import { bundledFile } from '../../../../scripts/bundle-command.ts'
import { type OpenPool, threadPool } from '../../src/threads/thread-pool.ts'

export const bundledThreads: OpenPool = (options) =>
  threadPool({ ...options, module: bundledFile(options.module) })
