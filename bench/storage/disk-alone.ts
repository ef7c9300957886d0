/** The floor without a network: the same bytes from memory, written, checked, synced and named. */

import { rmSync } from 'node:fs'
import { startKeeper } from './keep-body.ts'
import type { Round } from './sides.ts'
import { type BenchXorb, type Kind, xorbMaker } from './xorbs.ts'

export interface KeepOrder extends Kind {
  readonly count: number
}

/** As long as what a socket gives at once. */
const pieceBytes = 64 * 1024

const keeper = startKeeper()
process.send?.({ url: '', authorization: '' })
process.on('message', async ({ count, ...kind }: KeepOrder) => {
  const xorbs = Array.from({ length: count }, xorbMaker(kind))
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  await Promise.all(xorbs.map((xorb) => keeper.keep(pieces(xorb), xorb.hash)))
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const megabytes = count * kind.megabytes
  const round: Round = {
    megabytesPerSecond: megabytes / seconds,
    cpuMsPerMegabyte: (user + system) / 1000 / megabytes,
  }
  keeper.empty()
  process.send?.(round)
})
process.on('disconnect', () => {
  rmSync(keeper.folder, { recursive: true, force: true })
  process.exit()
})

async function* pieces({ parts }: BenchXorb): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    for (let start = 0; start < part.length; start += pieceBytes) {
      yield part.subarray(start, start + pieceBytes)
    }
  }
}
