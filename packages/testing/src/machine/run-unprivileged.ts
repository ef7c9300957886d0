/** Runs a program as a user without rights where the test runs as root: some servers refuse root. */

import { spawn } from 'node:child_process'
import { chownSync } from 'node:fs'

const nobody = 65_534
const isRoot = process.getuid?.() === 0

/** For `spawn`. */
export const unprivileged: { uid?: number; gid?: number } = isRoot
  ? { uid: nobody, gid: nobody }
  : {}

/** Leaves a file or a folder to that user. */
export function handOver(path: string): void {
  if (isRoot) chownSync(path, nobody, nobody)
}

export interface Surroundings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** What it printed; an error with what it complained of if it failed. */
export function runUnprivileged(
  program: string,
  args: readonly string[],
  { cwd, env = {}, input = '' }: Surroundings,
): Promise<string> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, LC_ALL: 'C', ...env },
    ...unprivileged,
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
  })
  // A program that does not read its input to the end says why in another way.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve(said.stdout)
      else
        reject(new Error(`${program} ended with ${code ?? signal}: ${said.stderr || said.stdout}`))
    })
  })
}
