/** Flame graphs of token requests and of checks, as images for the documents. */

import { once } from 'node:events'
import { cpus, loadavg } from 'node:os'
import { writeImage } from './drawing/write-image.ts'
import { drawFlame, type FlameWords } from './flame/draw-flame.ts'
import { fold } from './flame/fold.ts'
import { type CpuProfile, samplingMicros, startProfile } from './flame/profile.ts'
import { checkUnseen } from './gate/check.ts'
import type { BenchDirectory } from './issue/directory.ts'
import { connections, type Keys, startHubSide, warmUpAll } from './issue/sides.ts'
import { sqliteDirectory } from './issue/sqlite-directory.ts'
import { load } from './measure/load.ts'
import { readOptions } from './measure/options.ts'
import { noteOnLoad } from './measure/other-load.ts'

const { repositories = 1e6, roundMs } = readOptions(process.argv.slice(2), process.env)
const milliseconds = 10 * roundMs

const directory = await sqliteDirectory(repositories)
try {
  await flameOfHub(directory, 'hot')
  await flameOfHub(directory, 'uniform')
} finally {
  await directory.close()
}
await flameOfChecks()

async function flameOfHub(directory: BenchDirectory, keys: Keys): Promise<void> {
  const program = new URL('flame/profiled-hub.ts', import.meta.url)
  const hub = await startHubSide(directory, keys, program)
  const { child } = hub
  const say = async (order: string) => {
    child.send(order)
    const [answer] = await once(child, 'message')
    return answer
  }
  await warmUpAll([hub], roundMs)
  await say('start profile')
  const { requests, failed } = await load(hub, connections, milliseconds)
  const profile: CpuProfile = await say('stop profile')
  child.kill()
  if (failed > 0 || requests === 0) throw new Error(`${hub.name}: ${failed} of ${requests} failed`)
  write(`flame-issue-${keys}`, profile, `Token requests: ${hub.name}`, `${requests} requests`)
}

/** In this process, which does nothing else by now. */
async function flameOfChecks(): Promise<void> {
  const check = await checkUnseen()
  await check(milliseconds / 5)
  const stop = await startProfile()
  const checks = await check(milliseconds)
  write('flame-check-unseen', await stop(), 'Gate: tokens not seen before', `${checks} checks`)
}

function write(name: string, profile: CpuProfile, title: string, count: string): void {
  const stacks = fold(profile)
  const samples = stacks.reduce((sum, stack) => sum + stack.samples, 0)
  const note = noteOnLoad({ cores: cpus().length, loadAtTheEnd: loadavg()[0] })
  const how = `${count} in ${milliseconds / 1000} s: ${samples} samples, one each ${samplingMicros} µs; Node ${process.versions.node}.`
  const words: FlameWords = { title, below: `${how} ${note}`.trim() }
  console.log(`written to ${writeImage(name, drawFlame(stacks, words))}`)
}
