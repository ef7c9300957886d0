/** A test process that is killed leaves neither a server nor a file. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { hasProc, isGone } from '@latchkey/testing/machine/child-processes'
import { isPoolerMissing, isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { expect, onTestFinished, test } from 'vitest'
import type { Left } from './start-and-wait.ts'

const hasNoPostgres = isPostgresMissing('it is not shown that a killed test leaves none behind')
const hasNoPooler = isPoolerMissing('it is not shown that a killed test leaves none behind')

const parts = [
  'folder',
  ...(hasNoPostgres ? [] : ['cluster', 'replica']),
  ...(hasNoPostgres || hasNoPooler ? [] : ['pooler']),
]

test('a killed process leaves no folder, cluster, replica or pooler', async () => {
  const file = join(import.meta.dirname, 'start-and-wait.ts')
  const child = spawn(process.execPath, [file, ...parts], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface(child.stdout), 'line')
  const { folders, pids }: Left = JSON.parse(line)
  expect([folders.length, pids.length]).toEqual([parts.length, parts.length - 1])
  expect(folders.every(existsSync) && pids.every(isRunning)).toBe(true)
  child.kill('SIGKILL')
  await expect.poll(() => folders.some(existsSync) || pids.some(isRunning)).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !(hasProc && isGone(pid))
  } catch {
    return false
  }
}
