/** Runs the tests of one mutant after the other on a copy of the repository; a process of its own. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultServerConditions } from 'vite'
import { createVitest } from 'vitest/node'

/** What the runner is asked: a source file, the text to put there, and the tests that should notice. */
export interface Trial {
  readonly file: string
  /** Undefined runs the tests on the file as it is. */
  readonly text: string | undefined
  readonly tests: readonly string[]
}

export type Verdict = 'killed' | 'survived'

const root = process.argv[2] ?? '.'

const conditions = ['@latchkey/source', ...defaultServerConditions]

/** Threads, so that ending this process ends a mutant that loops for ever; they take no flags of V8. */
const vitest = await createVitest(
  'test',
  {
    root,
    config: false,
    watch: false,
    reporters: [{}],
    bail: 1,
    isolate: false,
    pool: 'threads',
    maxWorkers: 1,
    silent: true,
  },
  { resolve: { conditions }, ssr: { resolve: { conditions } } },
)
await vitest.standalone()

process.on('disconnect', () => process.exit())
process.on('message', async (trial: Trial) => process.send?.(await tried(trial)))
process.send?.('ready')

async function tried({ file, text, tests }: Trial): Promise<Verdict> {
  const path = join(root, file)
  const original = readFileSync(path, 'utf8')
  put(path, text ?? original)
  const verdict = await verdictOf(tests)
  put(path, original)
  return verdict
}

function put(path: string, text: string): void {
  writeFileSync(path, text)
  vitest.invalidateFile(path)
}

/** One file after the other, the likeliest first: most mutants do not live to see the second. */
async function verdictOf(tests: readonly string[]): Promise<Verdict> {
  for (const test of tests) if ((await verdictOfOne(test)) === 'killed') return 'killed'
  return 'survived'
}

async function verdictOfOne(test: string): Promise<Verdict> {
  const specifications = await vitest.globTestSpecifications([test])
  if (specifications.length === 0) throw new Error(`no test is called ${test}`)
  const ours = new Set(specifications.map(({ moduleId }) => moduleId))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const failed = testModules.some((module) => ours.has(module.moduleId) && !module.ok())
  return failed || unhandledErrors.length > 0 ? 'killed' : 'survived'
}
