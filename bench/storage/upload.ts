/** Uploads of xorbs to the storage, to the bare server, and past any network. */

import { once } from 'node:events'
import type { Figure } from '../measure/figure.ts'
import type { KeepOrder } from './disk-alone.ts'
import { sendXorb } from './send-xorb.ts'
import { empty, figureOf, measure, type Round, type Side } from './sides.ts'
import { type Kind, xorbMaker } from './xorbs.ts'

const connections = 16

export interface UploadSides {
  readonly storage: Side
  readonly bare: Side
  readonly diskAlone: Side
}

export async function benchUploads(
  { storage, bare, diskAlone }: UploadSides,
  kind: Kind,
  rounds: number,
): Promise<readonly Figure[]> {
  const make = xorbMaker(kind)
  const visit = async (side: Side) => {
    const xorbs = Array.from({ length: connections }, make)
    const round = await measure(side, connections * kind.megabytes, async () => {
      await Promise.all(xorbs.map((xorb) => sendXorb(side, xorb)))
    })
    await empty(side)
    return round
  }
  const measured: Record<keyof UploadSides, Round[]> = { storage: [], bare: [], diskAlone: [] }
  for (let round = -1; round < rounds; round += 1) {
    const all = {
      storage: await visit(storage),
      bare: await visit(bare),
      diskAlone: await keep(diskAlone, { ...kind, count: connections }),
    }
    // The first warms up.
    if (round < 0) continue
    for (const side of ['storage', 'bare', 'diskAlone'] as const) measured[side].push(all[side])
  }
  const work = `upload, ${kind.megabytes} MB, ${kind.packing}`
  return [
    figureOf(work, bare, [measured.storage, measured.bare]),
    figureOf(work, diskAlone, [measured.storage, measured.diskAlone]),
  ]
}

async function keep({ child }: Side, order: KeepOrder): Promise<Round> {
  child.send(order)
  const [round] = (await once(child, 'message')) as [Round]
  return round
}
