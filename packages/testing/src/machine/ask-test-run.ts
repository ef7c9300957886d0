/** Asks the run of the tests for what its processes share: `serve-test-run.ts` answers. */

import { connect } from 'node:net'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'

/** The Unix socket of the run, in the environment of all its processes. The command would refuse a name like its own. */
export const runSocketVariable = 'TEST_RUN_SOCKET'

export type Shared = 'template' | 'cluster' | 'versitygw'

/** A folder for files, which goes with the run; the user who removes it could not remove another's folders in it. */
export function folderOfTestRun(): string | undefined {
  const path = process.env[runSocketVariable]
  return path === undefined ? undefined : dirname(path)
}

/** Undefined outside of a run that offers it. */
export async function askTestRun<Answer>(what: Shared): Promise<Answer | undefined> {
  const path = process.env[runSocketVariable]
  if (path === undefined) return undefined
  const socket = connect(path)
  socket.write(`${what}\n`)
  const answer: { value?: Answer; error?: string } = JSON.parse(await text(socket))
  if (answer.error !== undefined) throw new Error(answer.error)
  return answer.value
}
