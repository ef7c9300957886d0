/** Objects that nothing leads to, left over from removed content or from an upload that did not end: they go. */

import { isRefusal, type Refusal, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { type Amount, minus, nothing, plus, sumOf } from './amount.ts'
import type { Collecting } from './collect-xorbs.ts'
import {
  reservedAmounts,
  type UnusedObject,
  unmappedAmount,
  unmapReserved,
  unusedObjects,
} from './free-objects.ts'
import type { OnProgress } from './progress.ts'
import { deleteUnmapped, type Removing, unmapUnnamed } from './remove-objects.ts'

export interface CollectedObjects {
  /** Their bytes are deleted. */
  readonly objects: Amount
  /** Unmapped, and their bytes are deleted by a later collection. */
  readonly unmapped: Amount
  /** Stay because they are recent, although nothing leads to them. */
  readonly young: Amount
}

export interface CollectingObjects extends Pick<Collecting, 'before' | 'isDryRun'> {
  /** Bytes are deleted so long after they were unmapped. */
  readonly keepSeconds: number
  readonly onProgress?: OnProgress | undefined
}

/** `freed` are the objects that a dry run would have freed before. */
export async function collectObjects(
  maintenance: Removing,
  { before, isDryRun, keepSeconds, onProgress }: CollectingObjects,
  freed: Amount = nothing,
): Promise<CollectedObjects | Refusal> {
  const { read, clock } = maintenance
  let [free, young] = [freed, nothing]
  for await (const unused of unusedPages(maintenance)) {
    const old = unused.filter(({ reservedAt }) => reservedAt < before)
    free = plus(free, amountOf(old))
    onProgress?.('unused objects found', free.count)
    young = plus(young, amountOf(unused.filter(({ reservedAt }) => reservedAt >= before)))
    if (!isDryRun) await unmapUnnamed(maintenance, digestsOf(old))
  }
  const reserved = await read((tables) => reservedAmounts(tables, before))
  young = plus(young, reserved.young)
  if (!isDryRun) await unmapAllReserved(maintenance, before)
  const until = unixSeconds(clock() - keepSeconds)
  const due = await read((tables) => unmappedAmount(tables, until))
  if (isDryRun) {
    const pending = plus(
      await read((tables) => unmappedAmount(tables, clock())),
      plus(free, reserved.old),
    )
    return keepSeconds === 0
      ? { objects: pending, unmapped: nothing, young }
      : { objects: due, unmapped: minus(pending, due), young }
  }
  if (due.count > 0) await maintenance.letReadersEnd()
  const objects = await deleteUnmapped(maintenance, until, { onProgress })
  if (isRefusal(objects)) return objects
  return { objects, unmapped: await read((tables) => unmappedAmount(tables, clock())), young }
}

async function* unusedPages({ read }: Removing): AsyncGenerator<readonly UnusedObject[]> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after
    const { unused, last } = await read((tables) => unusedObjects(tables, from))
    yield unused
    after = last
  }
}

/** In groups: an upload waits for one of them at most. */
async function unmapAllReserved({ change, clock }: Removing, before: UnixSeconds): Promise<void> {
  while ((await change((tables) => unmapReserved(tables, before, clock()))) > 0);
}

function amountOf(objects: readonly UnusedObject[]): Amount {
  return sumOf(objects.map(({ bytes }) => bytes))
}

function digestsOf(objects: readonly UnusedObject[]) {
  return objects.map(({ digest }) => digest)
}
