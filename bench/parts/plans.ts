/** What does a reconstruction cost that is made on a thread? Beside one that the main thread makes, in turn. */

import { cpuMicrosOf } from '../machine.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { median, quantile } from '../measure/statistics.ts'
import type { Part } from '../part.ts'
import { type Asked, askFor, uploadFiles } from '../storage/reconstruct.ts'
import { type Side, startSide } from '../storage/sides.ts'

const asksOfRound = 160

interface Round {
  /** Of one request, where nothing else of the machine came between: the tenth percentile. */
  readonly milliseconds: number
  readonly cpuMilliseconds: number
}

async function roundOf(side: Side, asked: Asked): Promise<Round> {
  const times: number[] = []
  const one = async () => {
    const started = performance.now()
    await askFor(side, asked)
    times.push(performance.now() - started)
  }
  const { pid = 0 } = side.child
  const before = cpuMicrosOf(pid)
  for (let count = 0; count < asksOfRound / asked.atOnce; count += 1) {
    await Promise.all(Array.from({ length: asked.atOnce }, one))
  }
  const cpuMilliseconds = (cpuMicrosOf(pid) - before) / 1000 / times.length
  return { milliseconds: quantile(times, 0.1) ?? 0, cpuMilliseconds }
}

function figureOf(
  figure: string,
  { thread, main }: Readonly<Record<'thread' | 'main', readonly Round[]>>,
): Figure {
  const ratios = (of: keyof Round) => thread.map((round, at) => round[of] / (main[at]?.[of] ?? 0))
  const middle = (rounds: readonly Round[], of: keyof Round) => median(rounds.map((own) => own[of]))
  const detours = thread.map(({ milliseconds }, at) => milliseconds - (main[at]?.milliseconds ?? 0))
  return {
    figure,
    anchor: 'on the main thread',
    result: measuredOf(ratios('milliseconds')),
    details: {
      ms: middle(thread, 'milliseconds'),
      'main thread ms': middle(main, 'milliseconds'),
      'detour ms': median(detours),
      'CPU ms': middle(thread, 'cpuMilliseconds'),
      'main thread CPU ms': middle(main, 'cpuMilliseconds'),
    },
  }
}

export const plans: Part = {
  name: 'plans',
  async figures({ rounds = 21 }) {
    const sides = {
      thread: await startSide('thread', 'storage-process.ts'),
      main: await startSide('main thread', 'storage-process.ts', 'in-process'),
    }
    const figures: Figure[] = []
    for (const [terms, file] of await uploadFiles(Object.values(sides))) {
      for (const atOnce of [1, 16]) {
        const measured = { thread: [] as Round[], main: [] as Round[] }
        for (let round = -2; round < rounds; round += 1) {
          const order =
            round % 2 === 0 ? (['thread', 'main'] as const) : (['main', 'thread'] as const)
          for (const which of order) {
            const took = await roundOf(sides[which], { file, atOnce })
            // The first ones warm up.
            if (round >= 0) measured[which].push(took)
          }
        }
        figures.push(figureOf(`plan of ${terms} runs, ${atOnce} at once`, measured))
      }
    }
    return figures
  },
}
