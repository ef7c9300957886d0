import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { type EndedElsewhere, runElsewhere } from '@latchkey/testing/machine/run-elsewhere'
import { findNode, findProgram } from '@latchkey/testing/tools/find-program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { programBesideBundle } from '../../../../scripts/share-bundles.ts'
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

for (const { name, program = '', words, isBundled = false } of runtimes) {
  const isMissing = program === ''
  if (isMissing) console.warn(`SKIPPED: ${name} is not installed, so the client is not run by it`)

  describe.skipIf(isMissing)(`the client in ${name}`, () => {
    let services: HubAndStorage
    let ended: EndedElsewhere

    beforeAll(async () => {
      services = await openHubAndStorage()
      const file = isBundled ? await bundledExercise() : exercise
      ended = await runElsewhere(program, [...words, file, services.url], patienceMs)
    })
    afterAll(() => services?.close())

    // conformance: Client / The client runs in Node 20, browsers, Deno and Bun
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

function bundledExercise(): Promise<string> {
  const folder = sharedFolder()
  return programBesideBundle(exercise, { imports: '@latchkey/client', name: 'client', folder })
}
