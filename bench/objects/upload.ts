/** Uploads of xorbs through a storage into a bucket, and past it. */

import { once } from 'node:events'
import type { Figure } from '../measure/figure.ts'
import { sendXorb } from '../storage/send-xorb.ts'
import { figureOf, measure, type Round, type Side } from '../storage/sides.ts'
import { type Kind, xorbMaker } from '../storage/xorbs.ts'
import type { PutOrder } from './bare-client.ts'

const connections = 16
/** Each client sends so many, one after the other: the store waits while the first are checked. */
const turns = 6

export interface UploadOfBucket {
  readonly name: string
  readonly storage: Side
  readonly bare: Side
  readonly place: PutOrder['place']
  readonly kind: Kind
  readonly rounds: number
}

export async function benchUploads(upload: UploadOfBucket): Promise<Figure> {
  const { name, storage, bare, place, kind, rounds } = upload
  const make = xorbMaker(kind)
  const own: Round[] = []
  const anchors: Round[] = []
  for (let round = -1; round < rounds; round += 1) {
    const clients = Array.from({ length: connections }, () => Array.from({ length: turns }, make))
    const measured = await measure(storage, connections * turns * kind.megabytes, async () => {
      await Promise.all(
        clients.map(async (xorbs) => {
          for (const xorb of xorbs) await sendXorb(storage, xorb)
        }),
      )
    })
    const order: PutOrder = { ...kind, place, clients: connections, count: turns }
    bare.child.send(order)
    const [anchor] = (await once(bare.child, 'message')) as [Round]
    // The first warms up.
    if (round < 0) continue
    own.push(measured)
    anchors.push(anchor)
  }
  return { ...figureOf(`upload, ${name}`, bare, [own, anchors]), goal: { atLeast: 0.85 } }
}
