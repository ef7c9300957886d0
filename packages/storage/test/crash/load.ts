/** Clients that send to two branches and read back what was acknowledged, over and over, until they are told to finish. */

import { setTimeout as delay } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { makeFile, makeShard } from '@latchkey/testing/xet/making'
import { type Counter, counter } from './counter.ts'
import { type Branch, bytesOfFile, type Content, xorbOf } from './sending.ts'
import type { Answer, Ref } from './storage-process.ts'

export interface LoadOptions {
  readonly refs: Readonly<Record<Branch, Ref>>
  readonly firstNumber: number
  /** Whether clients send a request again that got this answer, or an error instead of one. */
  isRepeated(answer: Answer | Error): boolean
}

export interface Load {
  /** Comes back after so many more acknowledgements. */
  acknowledged(count: number): Promise<void>
  /** Comes back after so many more reads. */
  read(count: number): Promise<void>
  /** When everything that was sent is acknowledged; gives all of it. */
  finish(): Promise<readonly Content[]>
}

const writersPerBranch = rounds(2, 3)
/** Until a soak, clients rest: while a process starts, fewer requests are made. */
const [restOfWriterMs, restOfReaderMs] = [rounds(10, 0), rounds(25, 5)]
/** Before a client sends a request again. */
const pauseMs = 25

export function startLoad({ refs, firstNumber, isRepeated }: LoadOptions): Load {
  const ending = new AbortController()
  const [acknowledgements, reads] = [counter(), counter()]
  const all: Content[] = []
  const lanes = (['main', 'dev'] as const).flatMap((branch) => {
    const [ref, own] = [refs[branch], [] as Content[]]
    let number = firstNumber
    const write = async () => {
      number += 1
      const content = { number, branch }
      await sendFile(ref, content, { isRepeated, acknowledgements })
      own.push(content)
      all.push(content)
      await delay(restOfWriterMs)
    }
    let turn = 0
    const read = async () => {
      turn += 1
      const content = own[(turn * 7) % Math.max(1, own.length)]
      if (content !== undefined) {
        await readBack(ref, content, isRepeated)
        reads.add()
      }
      await delay(restOfReaderMs)
    }
    return [...Array(writersPerBranch).fill(write), read].map((step) => repeat(step, ending.signal))
  })
  const over = Promise.all(lanes)
  over.catch(() => {})
  // A client that got a wrong answer ends what waits for the others.
  const unlessFailed = (waited: Promise<void>) => Promise.race([waited, over.then(() => {})])
  return {
    acknowledged: (count) => unlessFailed(acknowledgements.more(count)),
    read: (count) => unlessFailed(reads.more(count)),
    async finish() {
      ending.abort()
      await over
      return all
    },
  }
}

async function repeat(step: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await step()
}

/** A xorb, and then the file that is made of it. */
async function sendFile(
  ref: Ref,
  content: Content,
  {
    isRepeated,
    acknowledgements,
  }: Pick<LoadOptions, 'isRepeated'> & { readonly acknowledgements: Counter },
): Promise<void> {
  const xorb = xorbOf(content)
  const body = new Uint8Array(xorb.bytes)
  const shard = makeShard({ files: [makeFile([{ xorb }])], xorbs: [xorb] })
  for (const send of [() => ref.sendXorb(xorb.hash, body), () => ref.sendShard(shard)]) {
    await persist(send, isRepeated)
    acknowledgements.add()
  }
}

/** Throws unless both are there, with the bytes that were sent. */
export async function readBack(
  ref: Ref,
  content: Content,
  isRepeated: LoadOptions['isRepeated'],
): Promise<void> {
  const xorb = xorbOf(content)
  const file = makeFile([{ xorb }])
  const reads = [
    { ask: () => ref.readXorb(xorb.hash), expected: xorb.bytes },
    { ask: () => answerOfFile(ref, file.hash), expected: bytesOfFile(content) },
  ]
  for (const { ask, expected } of reads) {
    const { body } = await persist(ask, isRepeated)
    if (!body.equals(expected)) throw new Error(`${JSON.stringify(content)} has other bytes`)
  }
}

async function answerOfFile(ref: Ref, hash: Parameters<Ref['readFile']>[0]): Promise<Answer> {
  const body = await ref.readFile(hash)
  return body === undefined ? { status: 404, body: Buffer.of() } : { status: 200, body }
}

/** Gives the first answer with status 200; any other must be one that is repeated. */
async function persist(
  ask: () => Promise<Answer>,
  isRepeated: LoadOptions['isRepeated'],
): Promise<Answer> {
  for (;;) {
    const answer = await ask().catch((error: Error) => error)
    if (!(answer instanceof Error) && answer.status === 200) return answer
    if (!isRepeated(answer)) throw mistake(answer)
    await delay(pauseMs)
  }
}

function mistake(answer: Answer | Error): Error {
  if (answer instanceof Error) return new Error('a request got no answer', { cause: answer })
  return new Error(`a request got ${answer.status}: ${answer.body}`)
}
