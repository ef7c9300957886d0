/** A thread that answers to three words and dies of any other. */

import { parentPort, threadId } from 'node:worker_threads'

const answers: Record<string, object> = {
  flawed: { flaw: 'as asked' },
  named: { flaw: `thread ${threadId}` },
  full: { failed: 'ENOSPC: no space left on device, write', code: 'ENOSPC' },
}

parentPort?.on('message', ({ file }: { readonly file: string }) => {
  const answer = answers[file]
  if (answer === undefined) process.exit(1)
  parentPort?.postMessage(answer)
})
