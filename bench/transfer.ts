/** How fast are uploads and downloads? `latchkey` beside `hf_xet`, with the same file and the same storage, in turn. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeResults } from './results.ts'
import { type ClientName, findPython, run, type Took, type Transfer } from './transfer/clients.ts'
import { type Kind, kinds, sha256Of, writeContent } from './transfer/contents.ts'
import { type Round, rowsOf } from './transfer/rows.ts'
import { startWorld, type World } from './transfer/world.ts'

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '5' },
    kind: { type: 'string', multiple: true, default: [...kinds] },
  },
})
const megabytes = count('megabytes', values.megabytes)
const rounds = count('rounds', values.rounds)
const chosen = kinds.filter((kind) => values.kind.includes(kind))
if (chosen.length === 0) throw new Error(`--kind is one of ${kinds.join(', ')}`)

const python = findPython()
const clients: readonly ClientName[] = ['latchkey', 'hf_xet']
/** A repository of its own for each transfer, so that nothing is found there from before. */
const nameOf = (kind: Kind, round: number, client: ClientName) =>
  `${kind}-${round}-${client.replace('_', '-')}`
const numbers = Array.from({ length: rounds + 1 }, (_, round) => round)
const repositories = chosen.flatMap((kind) =>
  numbers.flatMap((round) => clients.map((client) => nameOf(kind, round, client))),
)

const world = await startWorld(repositories)
process.once('SIGINT', () => end(130))
try {
  const table: object[] = []
  for (const kind of chosen) {
    const measured = await measure(world, kind)
    for (const direction of ['upload', 'download'] as const) {
      const work = `${direction}, ${megabytes} MB, ${kind}`
      table.push(...rowsOf(work, measured[direction], megabytes))
    }
  }
  writeResults('transfer', table)
} finally {
  await world.close()
}

async function measure(
  world: World,
  kind: Kind,
): Promise<Record<'upload' | 'download', readonly Round[]>> {
  const measured = { upload: [] as Round[], download: [] as Round[] }
  for (const round of numbers) {
    // The first one warms up, with a small file.
    const size = round === 0 ? Math.min(megabytes, 20) : megabytes
    const file = join(world.folder, 'file')
    writeContent(file, kind, size)
    const done = new Map<ClientName, Record<'upload' | 'download', Took>>()
    for (const client of round % 2 === 0 ? clients : clients.toReversed()) {
      done.set(client, await upAndDown(world, { client, file, kind, round, bytes: size * 1e6 }))
    }
    world.emptyStorage()
    const [latchkey, hf_xet] = [done.get('latchkey'), done.get('hf_xet')]
    if (latchkey === undefined || hf_xet === undefined || round === 0) continue
    for (const direction of ['upload', 'download'] as const) {
      measured[direction].push({ latchkey: latchkey[direction], hf_xet: hf_xet[direction] })
      const [own, other] = [latchkey[direction].seconds, hf_xet[direction].seconds]
      console.log(
        `${kind}, round ${round}, ${direction}: latchkey ${own.toFixed(2)} s, hf_xet ${other.toFixed(2)} s`,
      )
    }
  }
  return measured
}

interface Turn extends Pick<Transfer, 'client' | 'file' | 'bytes'> {
  readonly kind: Kind
  readonly round: number
}

async function upAndDown(
  world: World,
  { kind, round, ...turn }: Turn,
): Promise<Record<'upload' | 'download', Took>> {
  const repository = nameOf(kind, round, turn.client)
  const sent: Transfer = { ...turn, repository, direction: 'upload', hash: '' }
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

function count(flag: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new Error(`--${flag} is a whole number above 0`)
}

async function end(code: number): Promise<void> {
  await world.close()
  process.exit(code)
}
