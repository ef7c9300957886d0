/** The client of the storage without the storage: puts the same bytes into the same store, and checks nothing. */

import { randomBytes } from 'node:crypto'
import type { S3Place } from '../../packages/storage/src/objects/object-store.ts'
import { openS3Client } from '../../packages/storage/src/objects/s3/open-client.ts'
import type { Round } from '../storage/sides.ts'
import { type BenchXorb, type Kind, lengthOf, xorbMaker } from '../storage/xorbs.ts'

export interface PutOrder extends Kind {
  readonly place: S3Place
  readonly count: number
}

process.send?.({ url: '', authorization: '' })
process.on('message', async ({ place, count, ...kind }: PutOrder) => {
  const client = openS3Client(place)
  const xorbs = Array.from({ length: count }, xorbMaker(kind))
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  await Promise.all(
    xorbs.map((xorb) => {
      const body = { bytes: lengthOf(xorb), open: () => pieces(xorb) }
      return client.put(`bare/${randomBytes(16).toString('hex')}`, body, { ifNoneMatch: '*' })
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const megabytes = count * kind.megabytes
  const round: Round = {
    megabytesPerSecond: megabytes / seconds,
    cpuMsPerMegabyte: (user + system) / 1000 / megabytes,
  }
  await client.close()
  process.send?.(round)
})
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
