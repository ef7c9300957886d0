import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { keystream } from '@latchkey/testing/keystream'
import { compileCache } from '@latchkey/testing/machine/latchkey-bin'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { documented } from './documented.ts'
import { type FileWorld, openFileWorld } from './file-world.ts'

let world: FileWorld
beforeAll(async () => {
  world = await openFileWorld()
})
afterAll(() => world?.close())

/** Below the node_modules of this workspace, where the packages are found. */
function folder(): string {
  const cache = resolve(import.meta.dirname, '../../../../node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const made = mkdtempSync(join(cache, 'latchkey-documented-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

it('the first example of the JavaScript guide uploads a file with progress, and downloads a copy', async () => {
  const cwd = folder()
  const content = keystream('documented', 6_000_000)
  writeFileSync(join(cwd, 'weights.bin'), content)
  // It is JavaScript as well; below node_modules Node reads no other.
  writeFileSync(join(cwd, 'example.mjs'), documented('ts', world))
  const words = ['--conditions=@latchkey/source', 'example.mjs']
  const env = { NODE_NO_WARNINGS: '1', NODE_COMPILE_CACHE: compileCache }
  const child = spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect(code).toBe(0)
  expect(said.trim()).toMatch(
    /^0 of 6000000 bytes are there\n(?:.*\n)*6000000 of 6000000 bytes are there$/,
  )
  expect(content.equals(readFileSync(join(cwd, 'copy.bin')))).toBe(true)
})
