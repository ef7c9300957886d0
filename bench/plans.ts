/** What does a reconstruction cost that is made on a thread? Beside one that the main thread makes, in turn. */

import { cpuMicrosOf } from './machine.ts'
import { at, writeResults } from './results.ts'
import { type Asked, askFor, uploadFiles } from './storage/reconstruct.ts'
import { type Side, startSide } from './storage/sides.ts'

const rounds = Number(process.env['ROUNDS'] ?? 21)
const asksOfRound = 160

const sides = {
  thread: await startSide('thread', 'storage-process.ts'),
  main: await startSide('main thread', 'storage-process.ts', 'in-process'),
}

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
  return { milliseconds: Number(at(sorted(times), 0.1, 4)), cpuMilliseconds }
}

/** Medians, also of the differences of each round. */
function rowOf({ thread, main }: Record<'thread' | 'main', readonly Round[]>): object {
  const middle = (values: readonly number[]) => at(sorted(values), 0.5, 3)
  const figures = (own: readonly Round[], figure: keyof Round) => own.map((round) => round[figure])
  const detours = thread.map(({ milliseconds }, at) => milliseconds - (main[at]?.milliseconds ?? 0))
  return {
    'thread, ms': middle(figures(thread, 'milliseconds')),
    'main thread, ms': middle(figures(main, 'milliseconds')),
    'detour, ms': middle(detours),
    spread: `${at(sorted(detours), 0.1, 3)}–${at(sorted(detours), 0.9, 3)}`,
    'thread, cpu ms': middle(figures(thread, 'cpuMilliseconds')),
    'main thread, cpu ms': middle(figures(main, 'cpuMilliseconds')),
  }
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other)
}

try {
  const files = await uploadFiles(Object.values(sides))
  const table: object[] = []
  for (const [terms, file] of files) {
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
      table.push({ terms, 'at once': atOnce, ...rowOf(measured), rounds })
    }
  }
  writeResults('plans', table)
} finally {
  for (const { child } of Object.values(sides)) child.disconnect()
}
