import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { findNode, findProgram } from '@latchkey/testing/tools/find-program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../../../scripts/bundle-client.ts'
import { type HubAndStorage, openHubAndStorage } from './hub-and-storage.ts'

const exercise = join(import.meta.dirname, 'exercise.ts')

const fromSources = '--conditions=@latchkey/source'

/** How each runs a file; Deno lets it do nothing but speak to this machine, and Node 20 reads no TypeScript. */
// biome-ignore format: a table is read by its columns
const runtimes = [
  { name: 'node', program: process.execPath,      words: [fromSources] },
  { name: 'Node 20', program: findNode(20),       words: [], isBundled: true },
  { name: 'deno', program: findProgram('deno'),   words: ['run', '--no-prompt', '--no-lock', '--cached-only', fromSources, '--allow-net=127.0.0.1'] },
  { name: 'bun',  program: findProgram('bun'),    words: ['--no-install', fromSources, 'run'] },
]

/** Far less than the timer that is pending, and far more than the rest takes. */
const patienceMs = 60_000

interface Ended {
  /** Null when it had to be killed. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

for (const { name, program = '', words, isBundled = false } of runtimes) {
  const isMissing = program === ''
  if (isMissing) console.warn(`SKIPPED: ${name} is not installed, so the client is not run by it`)

  describe.skipIf(isMissing)(`the client in ${name}`, () => {
    let services: HubAndStorage
    let ended: Ended

    beforeAll(async () => {
      services = await openHubAndStorage()
      const file = isBundled ? await bundledExercise() : exercise
      ended = await run(program, [...words, file, services.url])
    })
    afterAll(() => services?.close())

    test('reads, writes, refreshes and retries', () => {
      expect(ended.stderr).toBe('')
      expect(JSON.parse(ended.stdout)).toEqual({
        read: '200 0 bytes',
        written: '200 12 bytes',
        progress: [0, 12],
        streamed: '200 12 bytes',
        retried: '200 0 bytes',
        readAfterLoss: '200 0 bytes',
        refreshed: [true, false],
      })
      expect(services.asked.filter((line) => line.includes('once'))).toEqual([
        'GET /cas/busy/once with read-1',
        'GET /cas/busy/once with read-1',
        'GET /cas/revoked/once with read-1',
        'GET /cas/revoked/once with read-3',
      ])
    })

    test('keeps no process alive by a timer', () => {
      expect(ended.code).toBe(0)
    })
  })
}

async function bundledExercise(): Promise<string> {
  const file = join(sharedFolder(), 'exercise.mjs')
  writeFileSync(file, await bundle(exercise))
  return file
}

async function run(program: string, args: readonly string[]): Promise<Ended> {
  const home = mkdtempSync(join(tmpdir(), 'latchkey-runtime-'))
  const child = spawn(program, args, {
    env: { HOME: home, DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
  })
  const kill = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const [code] = await once(child, 'close')
  clearTimeout(kill)
  rmSync(home, { recursive: true, force: true })
  return { code, ...said }
}
