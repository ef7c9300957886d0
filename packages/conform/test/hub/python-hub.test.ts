/** A small hub that somebody wrote after the specification: its report says what is right and what is wrong. */

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { runProgram } from '@latchkey/testing/tools/run-program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConformFlags } from '../../src/command/options.ts'
import { runConform } from '../../src/command/run-conform.ts'

const root = resolve(import.meta.dirname, '../../../..')
const python = findProgram('python3') ?? ''
if (python === '') console.warn('NOT TESTED: the hub in Python, because there is no python3')

const folder = mkdtempSync(join(tmpdir(), 'latchkey-conform-'))
afterAll(() => rmSync(folder, { recursive: true }))
const tokensFile = join(folder, 'tokens.json')

let url = ''

/** Its first line says where it listens. */
beforeAll(async () => {
  if (python === '') return
  const program = join(root, 'examples/python-hub/hub.py')
  const words = ['-B', program, join(root, 'vectors/world.json'), tokensFile, '0']
  const child = spawn(python, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = new Promise((done) => child.once('close', done))
  for await (const line of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    url = /ready at (\S+)/.exec(String(line))?.[1] ?? ''
    break
  }
  return async () => {
    child.kill('SIGKILL')
    await closed
  }
})

async function report(more: ConformFlags = {}) {
  let text = ''
  const print = (part: string) => {
    text += part
  }
  const flags = { hub: url, tokens: tokensFile, ...more }
  const code = await runConform(flags, { print, tell: () => {} })
  return { code, text }
}

describe.skipIf(python === '')('a hub in Python', () => {
  test('gets a report that says what is right, what is wrong and what was not checked', async () => {
    const { code, text } = await report()
    await expect(text).toMatchFileSnapshot('python-hub.txt')
    expect(code).toBe(1)
  })

  test('has the report that the guide shows', () => {
    const guide = readFileSync(join(root, 'docs/guides/conformance.md'), 'utf8')
    const [, block = ''] = /```text\n(Order of checks\n.*?)```/s.exec(guide) ?? []
    const lines = readFileSync(join(import.meta.dirname, 'python-hub.txt'), 'utf8').split('\n')
    const shownLines = block.split('\n')
    expect(shownLines.length).toBeGreaterThan(5)
    expect(shownLines.filter((line) => !lines.includes(line))).toEqual([])
  })

  test('passes with the file of its expected failures, and not with a failure less', async () => {
    const expectedFailures = join(root, 'examples/python-hub/expected-failures.txt')
    const { code, text } = await report({ expectedFailures })
    expect(text).not.toContain('FAIL')
    expect(code).toBe(0)
  })

  test('gets a JUnit report that another program reads', async () => {
    const { text } = await report({ format: 'junit' })
    const program = `
import sys, xml.etree.ElementTree as tree
cases = list(tree.fromstring(sys.argv[1]).iter("testcase"))
print(len(cases), sum(1 for case in cases if case.find("failure") is not None))`
    const { output } = await runProgram(python, ['-c', program, text], { cwd: folder })
    const counts = readFileSync(join(import.meta.dirname, 'python-hub.txt'), 'utf8')
    const [, passed, failed, skipped] =
      /clauses: (\d+) passed, (\d+) failed, (\d+) skipped/.exec(counts) ?? []
    expect(output).toBe(`${Number(passed) + Number(failed) + Number(skipped)} ${failed}\n`)
  })
})
