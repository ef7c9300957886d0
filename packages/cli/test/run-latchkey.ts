/** Runs the command as people do: a process of its own, a clean environment, a directory of its own. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileCache, latchkeyBin, roomToStart } from '@latchkey/testing/machine/latchkey-bin'

export { latchkeyBin as bin }

import { onTestFinished } from 'vitest'

export interface Surroundings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** The file to run; the command's own, left out. */
  readonly bin?: string
  /** Flags of Node itself; `roomToStart`, left out. */
  readonly nodeFlags?: readonly string[]
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A directory that is gone when the test is over. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-cli-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const words = [process.execPath, ...roomToStart, latchkeyBin].map((word) => `'${word}'`)
/** For a shell: how it is called. */
export const inShell: string = words.join(' ')

/** As a program `latchkey`, for a PATH with this folder. */
export function putCommand(folder: string): void {
  const script = `#!/bin/sh\nexec ${inShell} "$@"\n`
  writeFileSync(join(folder, 'latchkey'), script, { mode: 0o755 })
}

export function start(args: readonly string[], around: Surroundings): ChildProcess {
  return spawn(
    process.execPath,
    [...(around.nodeFlags ?? roomToStart), around.bin ?? latchkeyBin, ...args],
    {
      cwd: around.cwd,
      env: environmentOf(around),
      stdio: 'pipe',
    },
  )
}

export function environmentOf({ cwd, env = {} }: Surroundings): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: cwd, NODE_COMPILE_CACHE: compileCache, ...env }
}

export async function latchkey(args: readonly string[], around: Surroundings): Promise<Ended> {
  const child = start(args, around)
  const output = collect(child)
  const kill = setTimeout(() => child.kill('SIGKILL'), 100_000)
  child.stdin?.on('error', () => {})
  child.stdin?.end(around.input ?? '')
  const code = await ended(child)
  clearTimeout(kill)
  return { code, ...output() }
}

export interface Serving {
  readonly url: string
  readonly child: ChildProcess
  output(): { stdout: string; stderr: string }
  ended(): Promise<number | null>
}

/** A hub on a free port, ready to answer; killed when the test is over. */
export function serve(args: readonly string[], around: Surroundings): Promise<Serving> {
  return running(['serve', '--port', '0', ...args], around)
}

/** The same for a gate. */
export function serveGate(args: readonly string[], around: Surroundings): Promise<Serving> {
  return running(['gate', ...args], around)
}

async function running(args: readonly string[], around: Surroundings): Promise<Serving> {
  const child = start(args, around)
  onTestFinished(() => end(child))
  return ready(child)
}

/** Once it says so. Who starts it for more than one test ends it, too. */
export async function ready(child: ChildProcess): Promise<Serving> {
  const output = collect(child)
  const end = ended(child)
  const url = await readyLine(child, output)
  return { url, child, output, ended: () => end }
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = ended(child)
  child.kill('SIGKILL')
  await over
}

function readyLine(child: ChildProcess, output: () => { stderr: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', () => {
      const url = /ready at ([^\s,]+)/.exec(output().stderr)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.on('close', (code) => reject(new Error(`ended with ${code}: ${output().stderr}`)))
  })
}

export function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  const parts = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    parts.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    parts.stderr += text
  })
  return () => ({ ...parts })
}

export function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.on('close', (code) => resolve(code))
  })
}
