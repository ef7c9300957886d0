/** Runs a program to its end, without blocking the other files of this worker. */

import { execFile } from 'node:child_process'

export interface RanProgram {
  readonly status: number
  readonly output: string
}

export function runProgram(
  program: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<RanProgram> {
  const { cwd, env = {} } = options
  const settings = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((done) => {
    const child = execFile(program, words, settings, (_error, stdout, stderr) =>
      done({ status: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}
