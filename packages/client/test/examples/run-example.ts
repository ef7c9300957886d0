/** Runs an example as its reader would: a process of its own, told by its environment where the hub is. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { compileCache, latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'
import { onTestFinished } from 'vitest'

const root = resolve(import.meta.dirname, '../../../..')
const programs = join(root, 'node_modules/.bin')

export interface Ran {
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ran>
}

export interface Surroundings {
  readonly hub: string
  readonly hubToken: string
  /** Where the example finds its hub token; a file unless told otherwise. */
  readonly tokenIn?: 'file' | 'variable'
}

export function exampleFile(name: string): string {
  return join(root, 'examples', name)
}

/** Killed if it does not end by itself. */
export function runExample(
  [program, ...args]: readonly [string, ...string[]],
  { hub, hubToken, tokenIn = 'file' }: Surroundings,
): Running {
  const folder = temporaryFolder()
  const tokenFile = join(folder, 'hub-token')
  writeFileSync(tokenFile, `${hubToken}\n`, { mode: 0o600 })
  symlinkSync(latchkeyBin, join(folder, 'latchkey'))
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: [folder, programs, process.env['PATH']].join(delimiter),
      HOME: folder,
      NODE_COMPILE_CACHE: compileCache,
      // As `npx node` has it, by .npmrc.
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
      LATCHKEY_HUB: hub,
      ...(tokenIn === 'file'
        ? { LATCHKEY_HUB_TOKEN_FILE: tokenFile }
        : { LATCHKEY_HUB_TOKEN: hubToken }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 100_000,
    killSignal: 'SIGKILL',
  })
  return { child, ended: collect(child) }
}

/** Gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-example-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function collect(child: ChildProcess): Promise<Ran> {
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout?.on('data', (part: Buffer) => stdout.push(part))
  child.stderr?.on('data', (part: Buffer) => stderr.push(part))
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', (code) => {
      done({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() })
    })
  })
}
