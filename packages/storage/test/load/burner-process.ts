/** Burns the processor time that it gets on as many threads as it is told, with the priority of the storage's threads. */

import { isMainThread, Worker } from 'node:worker_threads'
import { lowerOwnPriority } from '../../src/threads/lower-priority.ts'

if (isMainThread) {
  const threads = Number(process.argv[2])
  for (let count = 0; count < threads; count += 1) new Worker(new URL(import.meta.url))
} else {
  lowerOwnPriority()
  for (;;);
}
