import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { findNode, findProgram } from '@latchkey/testing/tools/find-program'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../../../../scripts/bundle-client.ts'
import { type FileWorld, openFileWorld } from '../files/file-world.ts'

const exercise = join(import.meta.dirname, 'exercise.ts')

const fromSources = '--conditions=@latchkey/source'

/** How each runs a file; Deno lets it do nothing but speak to this machine, and older Nodes read no TypeScript. */
// biome-ignore format: a table is read by its columns
const runtimes = [
  { name: 'Node',                      program: process.execPath,    words: [fromSources] },
  { name: 'Node, as in a browser',     program: process.execPath,    words: [fromSources, '--conditions=browser'] },
  { name: 'Node 20, from the bundle',  program: findNode(20),        words: [], isBundled: true },
  { name: 'Node 22, from the bundle',  program: findNode(22),        words: [], isBundled: true },
  { name: 'Deno',                      program: findProgram('deno'), words: ['run', '--no-prompt', '--no-lock', '--cached-only', fromSources, '--allow-net=127.0.0.1'] },
  { name: 'Bun',                       program: findProgram('bun'),  words: ['--no-install', fromSources, 'run'] },
]

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

let world: FileWorld
beforeAll(async () => {
  world = await openFileWorld()
})
afterAll(() => world?.close())

for (const [index, { name, program = '', words, isBundled = false }] of runtimes.entries()) {
  const isMissing = program === ''
  if (isMissing) console.warn(`SKIPPED: ${name} is not installed, so no file is moved by it`)

  describe.skipIf(isMissing)(`the file client in ${name}`, () => {
    it('uploads, finds what is there, downloads, goes on from a byte, and leaves', async () => {
      const file = isBundled ? await bundledExercise() : exercise
      const { hubUrl, hubToken } = world.options()
      const ended = await run(program, [...words, file, hubUrl, hubToken, `${1 + index * 10}`])
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse(ended.stdout)).toEqual({
        ...{ uploaded: true, hasHash: true, again: 0, downloaded: true, rest: true },
        progress: [0, 24_000_000, true],
        aborted: 'left',
      })
    })
  })
}

async function bundledExercise(): Promise<string> {
  const file = join(folder, 'exercise.mjs')
  writeFileSync(file, await bundle(exercise))
  return file
}
const folder = sharedFolder()

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
  const [code] = await once(child, 'close')
  rmSync(home, { recursive: true, force: true })
  return { code, ...said }
}
