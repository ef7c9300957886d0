/** A verifier in another language as a process: questions in, verdicts out, a line each. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'

export interface LineVerifier {
  /** One line of answer for each line; fails when the process ends before. */
  ask(lines: readonly string[]): Promise<readonly string[]>
  /** Ends the process; fails unless it ended well. */
  close(): Promise<void>
}

export interface VerifierProgram {
  readonly program: string
  readonly words: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export function lineVerifier({ program, words, cwd, env = {} }: VerifierProgram): LineVerifier {
  const child = spawn(program, words, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' })
  const ended = once(child, 'close')
  const complaints = text(child.stderr)
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  // A process that is gone is noticed by its missing answers.
  child.stdin.on('error', () => {})
  return {
    async ask(lines) {
      child.stdin.write(lines.map((line) => `${line}\n`).join(''))
      const got: string[] = []
      while (got.length < lines.length) {
        const { done, value } = await answers.next()
        if (done === true) throw new Error(`the verifier ended early: ${await complaints}`)
        got.push(value)
      }
      return got
    },
    async close() {
      child.stdin.end()
      const [code] = await ended
      if (code !== 0) throw new Error(`the verifier ended with ${code}: ${await complaints}`)
    },
  }
}
