/** The client of the storage without the storage: puts and gets the same bytes, and checks nothing. */

import { randomBytes } from 'node:crypto'
import type { S3Place } from '../../packages/storage/src/objects/object-store.ts'
import { openS3Client } from '../../packages/storage/src/objects/s3/open-client.ts'
import type { S3Client } from '../../packages/storage/src/objects/s3/s3-client.ts'
import type { Round } from '../storage/sides.ts'
import { type BenchXorb, type Kind, lengthOf, xorbMaker } from '../storage/xorbs.ts'

export interface PutOrder extends Kind {
  readonly place: S3Place
  /** Each puts so many, one after the other. */
  readonly count: number
  readonly clients: number
}

export interface GetOrder {
  readonly place: S3Place
  readonly key: string
  /** Each gets it so often, one after the other. */
  readonly count: number
  readonly clients: number
  readonly megabytes: number
}

process.send?.({ url: '', authorization: '' })
process.on('message', async (order: PutOrder | GetOrder) => {
  const client = openS3Client(order.place)
  process.send?.(await ('key' in order ? get(client, order) : put(client, order)))
  await client.close()
})

function put(client: S3Client, { count, clients, ...kind }: PutOrder): Promise<Round> {
  const make = xorbMaker(kind)
  const all = Array.from({ length: clients }, () => Array.from({ length: count }, make))
  const putEach = async (xorbs: readonly BenchXorb[]) => {
    for (const xorb of xorbs) {
      const body = { bytes: lengthOf(xorb), open: () => pieces(xorb) }
      await client.put(`bare/${randomBytes(16).toString('hex')}`, body, { ifNoneMatch: '*' })
    }
  }
  return measure(clients * count * kind.megabytes, () => all.map(putEach))
}

function get(client: S3Client, { key, count, clients, megabytes }: GetOrder): Promise<Round> {
  const getAgain = async () => {
    for (let left = count; left > 0; left -= 1) for await (const _ of client.get(key));
  }
  return measure(clients * count * megabytes, () => Array.from({ length: clients }, getAgain))
}

async function measure(megabytes: number, work: () => readonly Promise<unknown>[]): Promise<Round> {
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  await Promise.all(work())
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return {
    megabytesPerSecond: megabytes / seconds,
    cpuMsPerMegabyte: (user + system) / 1000 / megabytes,
  }
}

process.on('disconnect', () => process.exit())

/** As long as what a file is read in. */
const pieceBytes = 64 * 1024

async function* pieces({ parts }: BenchXorb): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    for (let start = 0; start < part.length; start += pieceBytes) {
      yield part.subarray(start, start + pieceBytes)
    }
  }
}
