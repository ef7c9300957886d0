/** Content that is sent to two branches at once, over and over, until the storage is gone; and what came of it. */

import { setTimeout as delay } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import type { Hash, WrittenXorb } from '@latchkey/xet/format'
import type { Answer, Ref } from './storage-process.ts'

export type Branch = 'main' | 'dev'

/** The bytes follow from it. */
export interface Content {
  readonly number: number
  readonly branch: Branch
}

export interface Sent extends Content {
  readonly kind: 'xorb' | 'file'
  readonly hash: Hash
  isAcknowledged: boolean
}

const chunkBytes = rounds(4, 16) * 1024
const lanesPerBranch = 4

/** Both branches get the same chunks at about the same time, some in the very same bytes. */
export function xorbOf({ number, branch }: Content): WrittenXorb {
  const chunks = randomChunks(number, 1 + ((number * 17) % 24), chunkBytes)
  const isPacked = number % 3 === 0 && branch === 'dev'
  return makeXorb(chunks, { scheme: isPacked ? 'lz4' : 'none' })
}

export function bytesOfFile({ number }: Content): Buffer {
  return Buffer.concat(randomChunks(number, 1 + ((number * 17) % 24), chunkBytes))
}

/** Runs until requests get no answer; gives everything that was tried. */
export async function sendUntilGone(
  refs: Readonly<Record<Branch, Ref>>,
  firstNumber: number,
  onAcknowledged: () => void,
): Promise<readonly Sent[]> {
  const log: SendingLog = { all: [], onAcknowledged }
  const lanes = (['main', 'dev'] as const).flatMap((branch) => {
    let number = firstNumber
    const next = () => {
      number += 1
      return { number, branch }
    }
    return Array.from({ length: lanesPerBranch }, () => drive(refs[branch], next, log))
  })
  await Promise.all(lanes)
  return log.all
}

interface SendingLog {
  readonly all: Sent[]
  readonly onAcknowledged: () => void
}

/** One connection: a xorb, and then the file that is made of it. */
async function drive(ref: Ref, next: () => Content, log: SendingLog): Promise<void> {
  for (;;) {
    const content = next()
    const xorb = xorbOf(content)
    const file = makeFile([{ xorb }])
    const shard = makeShard({ files: [file], xorbs: [xorb] })
    const body = new Uint8Array(xorb.bytes)
    const isThere =
      (await tryTo(log, { kind: 'xorb', hash: xorb.hash, ...content }, () =>
        ref.sendXorb(xorb.hash, body),
      )) &&
      (await tryTo(log, { kind: 'file', hash: file.hash, ...content }, () => ref.sendShard(shard)))
    if (!isThere) return
    // The others, and whoever kills, get their turn.
    await delay(0)
  }
}

/** False when there is no answer any more; any but an acknowledgement is a mistake. */
async function tryTo(
  { all, onAcknowledged }: SendingLog,
  what: Omit<Sent, 'isAcknowledged'>,
  send: () => Promise<Answer>,
): Promise<boolean> {
  const sent: Sent = { ...what, isAcknowledged: false }
  all.push(sent)
  const answer = await send().catch(() => undefined)
  if (answer === undefined) return false
  if (answer.status !== 200) throw new Error(`${what.kind} ${what.number}: ${answer.body}`)
  sent.isAcknowledged = true
  onAcknowledged()
  return true
}

/** Of the xorb, and of the file that is made of it. */
export function hashesOf(content: Content): readonly Hash[] {
  const xorb = xorbOf(content)
  return [xorb.hash, makeFile([{ xorb }]).hash]
}
