/** The benchmarks: every part in a process of its own, one table, and the same figures as JSON. */

import { fork } from 'node:child_process'
import { machineFacts } from './measure/machine-facts.ts'
import { readOptions } from './measure/options.ts'
import { type PartFigure, tableOf, timesText } from './measure/table.ts'
import { writeResults } from './measure/write-results.ts'
import { parts, partsOfWholeRun } from './parts.ts'
import type { PartMessage } from './run-part.ts'

const words = process.argv.slice(2)
const { only, results } = readOptions(words, process.env)
const unknown = only.filter((name) => !(name in parts))
if (unknown.length > 0) {
  throw new Error(`--only knows ${Object.keys(parts).join(', ')}; not ${unknown.join(', ')}`)
}
const chosen = only.length > 0 ? only : partsOfWholeRun
const figures: PartFigure[] = []
const failures: string[] = []
const seconds: [name: string, took: number][] = []
for (const name of chosen) {
  console.log(`${name} …`)
  const started = performance.now()
  const ended = await run(name)
  if ('failed' in ended) failures.push(`${name}: ${ended.failed}`)
  else figures.push(...ended.figures.map((figure) => ({ part: name, ...figure })))
  seconds.push([name, Math.round((performance.now() - started) / 1000)])
}
console.log(`\n${tableOf(figures)}\n\n${timesText(seconds)}`)
// What is committed is of a run without failures.
const name = failures.length > 0 ? 'failed' : only.length > 0 ? chosen.join('-') : 'latest'
const facts = { ...machineFacts(), secondsOfParts: Object.fromEntries(seconds) }
console.log(`written to ${writeResults(name, { ...facts, figures }, results)}`)
for (const failure of failures) console.error(`FAILED: ${failure}`)
// A goal that is not reached is a figure; a server that fails is an error.
process.exitCode = failures.length > 0 ? 1 : 0

function run(name: string): Promise<PartMessage> {
  const child = fork(new URL('./run-part.ts', import.meta.url), [name, ...words])
  let message: PartMessage | undefined
  child.once('message', (told: PartMessage) => {
    message = told
  })
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(message ?? { failed: `its process ended with ${code}` }))
  })
}
