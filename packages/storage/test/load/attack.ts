/** The most that several accounts can do to a storage: the largest shards, and the largest reconstructions, again and again. */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { type Hash, maxXorbChunks } from '@latchkey/xet/format'
import { expect, onTestFinished } from 'vitest'
import type { Access, Ref } from '../crash/storage-process.ts'

export interface AttackOrder {
  readonly targets: readonly Access[]
  /** In base64. */
  readonly shard: string
  readonly file: Hash
}

export type AttackKind = 'shards' | 'reconstructions'

/** How many requests were answered as expected, and what else was answered. */
export interface Counts extends Readonly<Record<AttackKind, number>> {
  readonly others: readonly string[]
}

export interface Attack {
  /** Comes back when there has been an answer to each of these. */
  go(...kinds: readonly AttackKind[]): Promise<void>
  /** Breaks all requests off. */
  pause(): Promise<Counts>
}

export interface AttackSize {
  /** Runs of the shard, each of all chunks of a xorb. */
  readonly shardRuns: number
  /** Xorbs of the file, each in half as many runs as it has chunks. */
  readonly xorbs: number
}

/** Uploads what is needed for it, once for every ref. */
export async function prepareAttack(refs: readonly Ref[], size: AttackSize): Promise<Attack> {
  const xorbs = Array.from({ length: size.xorbs }, (_, index) =>
    makeXorb(randomChunks(`attack ${index}`, maxXorbChunks, 8)),
  )
  const file = makeFile(
    xorbs.flatMap((xorb) =>
      // Apart from each other, so that each needs a URL of its own.
      Array.from({ length: maxXorbChunks / 2 }, (_, run) => {
        return { xorb, start: 2 * run, end: 2 * run + 1 }
      }),
    ),
  )
  for (const ref of refs) {
    for (const { hash, bytes } of xorbs) {
      expect((await ref.sendXorb(hash, new Uint8Array(bytes))).status).toBe(200)
    }
    expect((await ref.sendShard(makeShard({ files: [file] }))).status).toBe(200)
  }
  const [whole] = xorbs.flatMap((xorb) => makeFile([{ xorb }]).terms)
  const terms = Array.from({ length: size.shardRuns }, () => whole).filter((term) => !!term)
  const shard = makeShard({ files: [{ hash: 'ab'.repeat(32) as Hash, terms }] }).toString('base64')
  return attackBy(startChild('attack-process.ts'), {
    targets: refs.map(({ casUrl, accessToken }) => ({ casUrl, accessToken })),
    shard,
    file: file.hash,
  })
}

function attackBy(child: ChildProcess, order: AttackOrder): Attack {
  return {
    async go(...kinds) {
      const missing = new Set<unknown>(kinds)
      child.send(order)
      while (missing.size > 0) {
        const [kind] = await once(child, 'message')
        missing.delete(kind)
      }
    },
    pause() {
      const { promise, resolve } = Promise.withResolvers<Counts>()
      const listen = (message: Counts | string) => {
        if (typeof message === 'string') return
        child.off('message', listen)
        resolve(message)
      }
      child.on('message', listen)
      child.send('pause')
      return promise
    },
  }
}

/** A process of this folder, which ends with the test. */
export function startChild(file: string, ...words: readonly string[]): ChildProcess {
  const child = fork(new URL(file, import.meta.url), words, { execArgv: [] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}
