/** The Go client at a hub and a storage of ours: its own transfers over connections that break, and the program of its guide. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findGo, goCompiler, goEnvironment, goModule } from '@latchkey/testing/tools/go-program'
import { runProgram } from '@latchkey/testing/tools/run-program'
import { describe, expect, test } from 'vitest'
import { storageWorld } from './storage-world.ts'

const go = findGo()
if (go === undefined) console.warn('NOT FOUND: Go 1.25 or newer. The Go client is not tested.')

/** The first run compiles the standard library, on a machine that does much else. */
const longest = 900_000
const world = storageWorld()
const silent = { status: 0, output: '' }

function run(words: readonly string[], cwd: string) {
  return runProgram(go ?? '', words, { cwd, env: { ...goEnvironment(), ...goCompiler } })
}

describe.skipIf(go === undefined)('the Go client', { timeout: longest }, () => {
  test('continues uploads and downloads at this storage when connections break', async () => {
    const cwd = world.home()
    const program = join(cwd, 'client.test')
    const built = await run(['test', '-vet=off', '-c', '-o', program, './client'], goModule)
    expect(built).toEqual(silent)
    expect(await runProgram(program, [], { cwd, env: world.environment() })).toEqual(silent)
  })

  test('uploads and downloads a file in the program of its guide', async () => {
    const guide = readFileSync(join(goModule, '../../docs/guides/go-client.md'), 'utf8')
    const [, text = ''] = /^```go\n(package main\n.*?)^```$/ms.exec(guide) ?? []
    const cwd = world.home()
    writeFileSync(join(cwd, 'main.go'), text)
    writeFileSync(join(cwd, 'weights.bin'), 'the weights of a model')
    for (const words of [
      ['mod', 'init', 'example'],
      ['mod', 'edit', '-require', 'latchkey@v0.1.0', '-replace', `latchkey=${goModule}`],
      ['build', '-o', 'program', '.'],
    ]) {
      expect(await run(words, cwd)).toMatchObject({ status: 0 })
    }
    const { status, output } = await runProgram(join(cwd, 'program'), [], {
      ...{ cwd, env: world.environment() },
    })
    expect(output).toMatch(/^[0-9a-f]{64}\n$/)
    expect(status).toBe(0)
    expect(readFileSync(join(cwd, 'copy.bin'), 'utf8')).toBe('the weights of a model')
  })

  test('is in its guide as its examples are', () => {
    const guide = readFileSync(join(goModule, '../../docs/guides/go-client.md'), 'utf8')
    const examples = readFileSync(join(goModule, 'client/example_test.go'), 'utf8')
    const blocks = Array.from(guide.matchAll(/^```go\n(.*?)^```$/gms), ([, block = '']) => block)
    const parts = blocks.filter((block) => !block.startsWith('package '))
    expect(parts.length).toBeGreaterThan(1)
    // The examples cannot import oauth2.
    const inExamples = (text: string) => text.replaceAll('oauth2.Token', 'oauth2Token')
    for (const part of parts) expect(examples).toContain(inExamples(part))
  })
})
