/** Uploads and downloads of new files by both clients, in turn. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ClientName, run, type Took, type Transfer } from './clients.ts'
import { type Kind, sha256Of, writeContent } from './contents.ts'
import type { Round } from './rows.ts'
import type { World } from './world.ts'

export const clients: readonly ClientName[] = ['latchkey', 'hf_xet']

export type Direction = 'upload' | 'download'

export interface Measuring {
  readonly python: string
  readonly kind: Kind
  readonly megabytes: number
  /** The first one, 0, warms up. */
  readonly rounds: readonly number[]
}

/** A repository of its own for each transfer, so that nothing is found there from before. */
export function repositoryOf(kind: Kind, round: number, client: ClientName): string {
  return `${kind}-${round}-${client.replace('_', '-')}`
}

export async function measure(
  world: World,
  { python, kind, megabytes, rounds }: Measuring,
): Promise<Readonly<Record<Direction, readonly Round[]>>> {
  const measured = { upload: [] as Round[], download: [] as Round[] }
  for (const round of rounds) {
    // A small file is enough to warm up.
    const size = round === 0 ? Math.min(megabytes, 20) : megabytes
    const file = join(world.folder, 'file')
    writeContent(file, kind, size)
    const done = new Map<ClientName, Record<Direction, Took>>()
    for (const client of round % 2 === 0 ? clients : clients.toReversed()) {
      const repository = repositoryOf(kind, round, client)
      const turn = { client, file, repository, bytes: size * 1e6 }
      done.set(client, await upAndDown(world, turn, python))
    }
    world.emptyStorage()
    const [latchkey, hf_xet] = [done.get('latchkey'), done.get('hf_xet')]
    if (latchkey === undefined || hf_xet === undefined || round === 0) continue
    for (const direction of ['upload', 'download'] as const) {
      measured[direction].push({ latchkey: latchkey[direction], hf_xet: hf_xet[direction] })
    }
  }
  return measured
}

async function upAndDown(
  world: World,
  turn: Omit<Transfer, 'direction' | 'hash'>,
  python: string,
): Promise<Record<Direction, Took>> {
  const sent: Transfer = { ...turn, direction: 'upload', hash: '' }
  const upload = await run(world, sent, python)
  const file = join(world.folder, 'downloaded')
  const got: Transfer = { ...sent, direction: 'download', file, hash: upload.hash }
  const download = await run(world, got, python)
  if ((await sha256Of(file)) !== (await sha256Of(turn.file))) {
    throw new Error(`${turn.client} has downloaded another file than it uploaded`)
  }
  rmSync(file)
  return { upload, download }
}
