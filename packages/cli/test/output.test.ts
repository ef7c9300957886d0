import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { colours } from '../src/output/colours.ts'
import { latchkeyHere } from './run-here.ts'
import {
  bin,
  collect,
  ended,
  environmentOf,
  latchkey,
  start,
  temporaryDirectory,
} from './run-latchkey.ts'

afterEach(() => void vi.unstubAllEnvs())

it('colours are for terminals, and not for those who want none', () => {
  vi.stubEnv('NO_COLOR', '')
  vi.stubEnv('TERM', 'xterm')
  expect(colours({ isTTY: true }).red('x')).not.toBe('x')
  expect(colours({ isTTY: false }).red('x')).toBe('x')
  expect(colours({}).red('x')).toBe('x')
  vi.stubEnv('NO_COLOR', '1')
  expect(colours({ isTTY: true }).red('x')).toBe('x')
  vi.stubEnv('NO_COLOR', '')
  vi.stubEnv('TERM', 'dumb')
  expect(colours({ isTTY: true }).red('x')).toBe('x')
})

it('a reader that stops reading is no error', async () => {
  const cwd = temporaryDirectory()
  await latchkeyHere(['account', 'create', 'ada'], { cwd })
  const child = start(['account', 'list', '--json'], { cwd })
  const output = collect(child)
  child.stdout?.destroy()
  expect(await ended(child)).toBe(0)
  expect(output().stderr).toBe('')
})

it.skipIf(!existsSync('/dev/full'))('what cannot be written is told, and ends with 3', async () => {
  const cwd = temporaryDirectory()
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [bin, 'completion', 'bash'], {
    cwd,
    env: environmentOf({ cwd }),
    stdio: ['ignore', full, 'pipe'],
  })
  closeSync(full)
  const output = collect(child)
  expect(await ended(child)).toBe(3)
  expect(output().stderr).toBe(
    'latchkey: standard output cannot be written: there is no room left on the disk\n',
  )
})

it('Node says nothing of its own, whatever its options ask for', async () => {
  const env = { NODE_OPTIONS: '--trace-warnings --trace-deprecation --pending-deprecation' }
  const { stderr } = await latchkey(['--version'], { cwd: temporaryDirectory(), env })
  expect(stderr).toBe('')
})
