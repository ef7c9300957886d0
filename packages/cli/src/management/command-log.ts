/** The log of commands that change data on this machine: a file in the data directory, one line for each. */

import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type AdminCall,
  changesIn,
  endOf,
  levelOf,
  logAdminCall,
  type Target,
} from '@latchkey/hub/management'
import { machineUser } from '@latchkey/service/machine/data-directory'
import { CannotStart } from '@latchkey/service/machine/errors'
import { newId, pooledRandom } from '@latchkey/service/machine/random'
import { createLog } from '@latchkey/service/observe/log'
import { reasonOf } from '../output/new-file.ts'
import { tell } from '../output/tell.ts'

export interface RecordedCommand<Result> {
  /** The words of the command, such as `storage gc`. */
  readonly verb: string
  /** The target that the command changes; called again with the result of the work. */
  target(result?: Result): Target
  work(): Promise<Result>
}

/** The file is opened first: a change that could not be written down is not made. */
export async function recordCommand<Result>(
  data: string,
  { verb, target, work }: RecordedCommand<Result>,
): Promise<Result> {
  const file = join(data, 'commands.log')
  const descriptor = open(file)
  const startedAt = performance.now()
  // Ties the lines of one command together, as that of a request does.
  const requestId = newId(pooledRandom())
  const writeDown = (end: ReturnType<typeof endOf>, result?: Result) => {
    const changes = changesIn(result)
    const milliseconds = Math.round((performance.now() - startedAt) * 1000) / 1000
    const made = changes === undefined ? {} : { changes }
    const call = { verb, target: target(result), ...end, ...made, requestId, milliseconds }
    const failure = append(descriptor, linesFor({ ...call, actor: { user: machineUser() } }))
    // The change has happened, so the command does not fail for its line.
    if (failure === undefined || end.outcome !== 'done') return
    tell(`latchkey: this change is not recorded in ${file}: ${failure}`)
  }
  try {
    const result = await work()
    writeDown(endOf(result), result)
    return result
  } catch (error) {
    writeDown({ outcome: 'failed', code: undefined })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/** The same lines as those of the admin API. */
function linesFor(call: AdminCall): string {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  logAdminCall(createLog({ levelOf, level: 'info', write }), call)
  return lines.join('')
}

/** A link in place of the file could lead anywhere, so it is not followed. */
function open(file: string): number {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants
  try {
    const descriptor = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
    giveToOwnerOfData(descriptor, dirname(file))
    return descriptor
  } catch (error) {
    throw new CannotStart(
      `${file} cannot be written: ${reasonOf(error)}. Every change must be recorded there, so nothing was changed. The file must be a regular file owned by this user: fix or delete it.`,
    )
  }
}

/** A file that root made would keep the hub's own user from every later change. */
function giveToOwnerOfData(descriptor: number, data: string): void {
  if (process.geteuid?.() !== 0 || fstatSync(descriptor).uid !== 0) return
  const { uid, gid } = statSync(data)
  if (uid !== 0) fchownSync(descriptor, uid, gid)
}

/** Gives the reason why the lines could not be written; undefined when they are on the disk. */
function append(descriptor: number, lines: string): string | undefined {
  try {
    writeFileSync(descriptor, lines)
    fsyncSync(descriptor)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}
