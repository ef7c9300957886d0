import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { runElsewhere } from '@latchkey/testing/machine/run-elsewhere'
import { findNode, findProgram } from '@latchkey/testing/tools/find-program'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programBesideBundle } from '../../../../scripts/share-bundles.ts'
import { type FileWorld, openFileWorld } from '../files/file-world.ts'

const exercise = join(import.meta.dirname, 'exercise.ts')

const fromSources = '--conditions=@latchkey/source'

/** How each runs a file; Deno lets it do nothing but speak to this machine, and older Nodes read no TypeScript. Three of them a soak tries: the tests in `../files` move files in this Node, a page in Chromium is a browser itself, and Node 22 is between two that are tried. */
// biome-ignore format: a table is read by its columns
const runtimes = [
  { name: 'Node',                      program: process.execPath,    words: [fromSources], isOfSoak: true },
  { name: 'Node, as in a browser',     program: process.execPath,    words: [fromSources, '--conditions=browser'], isOfSoak: true },
  { name: 'Node 20, from the bundle',  program: findNode(20),        words: [], isBundled: true },
  { name: 'Node 22, from the bundle',  program: findNode(22),        words: [], isBundled: true, isOfSoak: true },
  { name: 'Deno',                      program: findProgram('deno'), words: ['run', '--no-prompt', '--no-lock', '--cached-only', fromSources, '--allow-net=127.0.0.1'] },
  { name: 'Bun',                       program: findProgram('bun'),  words: ['--no-install', fromSources, 'run'] },
]

let world: FileWorld
beforeAll(async () => {
  world = await openFileWorld()
})
afterAll(() => world?.close())

for (const [index, runtime] of runtimes.entries()) {
  const { name, program = '', words, isBundled = false, isOfSoak = false } = runtime
  if (isOfSoak && rounds(0, 1) === 0) continue
  const isMissing = program === ''
  if (isMissing) console.warn(`SKIPPED: ${name} is not installed, so no file is moved by it`)

  describe.skipIf(isMissing)(`the file client in ${name}`, () => {
    // conformance: Client / Pages upload and download files, and resume after an interruption
    it('uploads, finds what is there, downloads, goes on from a byte, and leaves', async () => {
      const file = isBundled ? await bundledExercise() : exercise
      const { hubUrl, hubToken } = world.options()
      const ended = await runElsewhere(program, [
        ...words,
        file,
        hubUrl,
        hubToken,
        `${1 + index * 10}`,
      ])
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse(ended.stdout)).toEqual({
        ...{ uploaded: true, hasHash: true, again: 0, downloaded: true, rest: true },
        progress: [0, 6_500_000, true],
        aborted: 'left',
      })
    })
  })
}

const folder = sharedFolder()
function bundledExercise(): Promise<string> {
  return programBesideBundle(exercise, { imports: '@latchkey/xet/files', name: 'files', folder })
}
