/** Runs a program to its end. */

import { type SpawnOptions, spawn } from 'node:child_process'

const patienceMs = 300_000

/** Whether it succeeded. What it has to say goes to the terminal. */
export function run(
  program: string,
  words: readonly string[],
  options: SpawnOptions = {},
): Promise<boolean> {
  const child = spawn(program, words, { stdio: 'inherit', timeout: patienceMs, ...options })
  return new Promise((resolve) => {
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code === 0))
  })
}
