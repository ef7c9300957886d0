/** Runs a program on a terminal, as a person would: waits until something is shown, then types. */

import { spawn } from 'node:child_process'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { bin, collect, ended, environmentOf, type Surroundings } from './run-latchkey.ts'

export const hasTerminal = findProgram('python3') !== undefined
if (!hasTerminal) {
  console.warn('SKIPPED: python3 is not installed, so nothing is tried on a terminal')
}

/** What must be shown before it is typed, and the keys. */
export type Step = readonly [shown: string, typed: string]

export interface Shown {
  readonly code: number | null
  readonly screen: string
}

/** A terminal of 80 columns, whose own echo is on until the program turns it off. */
const driver = `
import fcntl, json, os, pty, select, struct, sys, termios, time
command, steps = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    os.execvp(command[0], command)
shown, deadline = b'', time.time() + 20
while time.time() < deadline:
    if steps and steps[0][0].encode() in shown:
        shown = b''
        os.write(terminal, steps.pop(0)[1].encode())
    if not select.select([terminal], [], [], 0.05)[0]:
        continue
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    shown += part
    sys.stdout.buffer.write(part)
else:
    os.kill(child, 9)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)
`

export async function onTerminal(
  command: readonly string[],
  steps: readonly Step[],
  around: Surroundings,
): Promise<Shown> {
  const child = spawn('python3', ['-c', driver, JSON.stringify([command, steps])], {
    cwd: around.cwd,
    env: { ...environmentOf(around), TERM: 'xterm', LC_ALL: 'C.UTF-8' },
    stdio: 'pipe',
  })
  const output = collect(child)
  const code = await ended(child)
  return { code, screen: output().stdout }
}

export function latchkeyOnTerminal(
  args: readonly string[],
  steps: readonly Step[],
  around: Surroundings,
): Promise<Shown> {
  return onTerminal([process.execPath, bin, ...args], steps, around)
}
