/** Runs a command of the person who checks a hub, in a shell. */

import { spawn } from 'node:child_process'

const maxShownLength = 300

/** Fails unless it exits with 0. Its standard output may hold secrets, and is not read. */
export async function runCommand(command: string, input = ''): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < maxShownLength) complaint += text
  })
  // A command that reads nothing closes its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return
  const reason = complaint.trim().slice(0, maxShownLength)
  throw new Error(`"${command}" must exit with 0, but exits with ${code}: ${reason}`)
}
