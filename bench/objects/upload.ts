/** Uploads of xorbs through a storage into a bucket, and past it. */

import { once } from 'node:events'
import type { Figure } from '../measure/figure.ts'
import { sendXorb } from '../storage/send-xorb.ts'
import { figureOf, measure, type Round, type Side } from '../storage/sides.ts'
import { type Kind, xorbMaker } from '../storage/xorbs.ts'
import type { PutOrder } from './bare-client.ts'

const connections = 16

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
    const xorbs = Array.from({ length: connections }, make)
    const measured = await measure(storage, connections * kind.megabytes, async () => {
      await Promise.all(xorbs.map((xorb) => sendXorb(storage, xorb)))
    })
    bare.child.send({ ...kind, place, count: connections } satisfies PutOrder)
    const [anchor] = (await once(bare.child, 'message')) as [Round]
    // The first warms up.
    if (round < 0) continue
    own.push(measured)
    anchors.push(anchor)
  }
  return { ...figureOf(`upload, ${name}`, bare, [own, anchors]), goal: { atLeast: 0.85 } }
}
