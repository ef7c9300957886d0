/** A `git cat-file` process that is asked for many objects, one after the other. */

import { GitFailed } from '../process/git-errors.ts'
import type { GitProcess } from '../process/start-git.ts'
import type { ObjectHash } from './object-hash.ts'
import { readHash } from './object-hash.ts'

export const objectKinds = ['blob', 'tree', 'commit', 'tag'] as const
export type ObjectKind = (typeof objectKinds)[number]

export interface ObjectInfo {
  readonly hash: ObjectHash
  readonly kind: ObjectKind
  readonly size: number
}

export interface Answer extends ObjectInfo {
  /** Empty unless the content was asked for. */
  readonly bytes: Buffer
}

/** The object is named by its hash, or by a hash and what to follow it to. */
export interface Question {
  readonly wants: 'info' | 'contents'
  readonly object: ObjectHash | `${ObjectHash}^{${'commit' | 'tree'}}`
}

export interface ObjectReader {
  /** Undefined stands for an object that is not there. */
  ask(questions: readonly Question[]): Promise<readonly (Answer | undefined)[]>
}

interface Waiting {
  readonly wants: Question['wants']
  answer(answer: Answer | undefined): void
  fail(error: unknown): void
}

export const readerArgs = ['cat-file', '--batch-command']

export function objectReader(git: GitProcess, deadlineMs: number): ObjectReader {
  const waiting: Waiting[] = []
  let failure: unknown
  const failAll = (error: unknown) => {
    failure = error
    for (const one of waiting.splice(0)) one.fail(error)
  }
  git.ended.then(() => failAll(new GitFailed('closed', 'cat-file has ended')), failAll)
  void readAnswers(git, waiting)
  let unsent = ''
  const send = () => {
    git.stdin.write(unsent, 'latin1')
    unsent = ''
  }

  return {
    async ask(questions) {
      if (failure !== undefined) throw failure
      const late = () => git.kill(new GitFailed('deadline', 'cat-file took too long'))
      const deadline = setTimeout(late, deadlineMs)
      const answers = questions.map(({ wants }) => {
        const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>()
        waiting.push({ wants, answer: resolve, fail: reject })
        return promise
      })
      // What other requests of the same turn ask goes with it: a write takes longer than a question.
      if (unsent === '') setImmediate(send)
      for (const { wants, object } of questions) unsent += `${wants} ${object}\n`
      try {
        return await Promise.all(answers)
      } finally {
        clearTimeout(deadline)
      }
    },
  }
}

/** Answers come in the order of the questions. */
async function readAnswers(git: GitProcess, waiting: Waiting[]): Promise<void> {
  let parts: Buffer[] = []
  let length = 0
  /** So many bytes the next answer has at least. */
  let minLength = 0
  try {
    for await (const part of git.output()) {
      parts.push(part)
      length += part.length
      if (length < minLength) continue
      const { rest, minLength: more } = giveAnswers(Buffer.concat(parts), waiting)
      parts = [rest]
      length = rest.length
      minLength = more
    }
  } catch (error) {
    // Those who wait learn it from the end of the process.
    git.kill(error)
  }
}

interface Unread {
  readonly rest: Buffer
  readonly minLength: number
}

function giveAnswers(output: Buffer, waiting: Waiting[]): Unread {
  let rest = output
  for (;;) {
    const line = rest.indexOf(10)
    const [next] = waiting
    if (line === -1 || next === undefined) return { rest, minLength: 0 }
    const info = parseInfo(rest.toString('latin1', 0, line))
    const hasBytes = info !== undefined && next.wants === 'contents'
    // A line ends the content too.
    const end = line + 1 + (hasBytes ? info.size + 1 : 0)
    if (rest.length < end) return { rest, minLength: end }
    const part = rest.subarray(line + 1, hasBytes ? end - 1 : line + 1)
    // A copy of its own, so that a small object keeps no large buffer alive.
    const bytes = part.length > output.length / 2 ? part : Buffer.from(part)
    rest = rest.subarray(end)
    waiting.shift()
    next.answer(info && { ...info, bytes })
  }
}

function parseInfo(line: string): ObjectInfo | undefined {
  const [hash = '', word, size] = line.split(' ')
  const kind = objectKinds.find((one) => one === word)
  return kind && { hash: readHash(hash), kind, size: Number(size) }
}
