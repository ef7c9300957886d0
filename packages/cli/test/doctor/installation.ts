/** An installation that has run once, and what the doctor says of it. */

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { copyOfData, sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { beforeAll, expect, onTestFinished, vi } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { type Ended, end, ready, type Serving, start } from '../run-latchkey.ts'
import { bothHere } from '../serve-here.ts'

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

export interface Installation {
  readonly cwd: string
  readonly data: string
  /** The flags of `serve` and of `doctor`. */
  readonly flags: readonly string[]
  readonly port: number
  /** Of both commands. */
  readonly env?: Env
}

/** Made once for a file; every test gets a copy, on ports of its own. */
export function installations(): (cwd?: string) => Promise<Installation> {
  const folder = sharedFolder()
  beforeAll(async () => {
    await serveOnce(folder)
  }, 120_000)
  return async (cwd = temporaryFolder()) => {
    return {
      ...(await place(cwd)),
      data: copyOfData(join(folder, 'latchkey-data'), join(cwd, 'latchkey-data')),
    }
  }
}

/** With one account, and until its storage is ready. */
export async function serveOnce(cwd: string, env: Env = {}): Promise<void> {
  const data = join(cwd, 'latchkey-data')
  // As a process of the command has it.
  const before = process.umask(0o077)
  try {
    await latchkeyHere(['account', 'create', 'ada', '--administrator'], { cwd, env })
    const { isReady, stop } = await bothHere(data, env)
    await vi.waitFor(async () => expect(await isReady()).toBe(true), 180_000)
    await stop()
  } finally {
    process.umask(before)
  }
  removeEmptyFolders(data)
}

/** Of the objects: hundreds, which every copy would take its time for; a start makes them again. */
function removeEmptyFolders(data: string): void {
  const objects = join(data, 'objects')
  for (const name of readdirSync(objects)) rmSync(join(objects, name), { recursive: true })
}

/** Where nothing has run yet. */
export async function place(cwd = temporaryFolder()): Promise<Installation> {
  const [port, storagePort] = [await freePort(), await freePort()]
  const flags = ['--port', `${port}`, '--storage-port', `${storagePort}`]
  return { cwd, data: join(cwd, 'latchkey-data'), flags, port }
}

/** Until the test is over, or what `atEnd` waits for. `watched` is where it is asked whether it is ready, if not where clients ask. */
export async function serve(
  { cwd, flags, env = {} }: Installation,
  watched?: string,
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
): Promise<Serving> {
  const child = start(['serve', ...flags], { cwd, env })
  atEnd(() => end(child))
  const serving = await ready(child)
  if (!flags.includes('--no-storage')) await untilReady(watched ?? serving.url)
  return serving
}

export async function untilReady(url: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const answer = await fetch(`${url}/readyz`)
      expect(await answer.json()).toMatchObject({ storage: 'ready' })
    },
    { timeout: 180_000 },
  )
}

export interface Found {
  readonly check: string
  readonly result: string
  readonly found: string
  readonly todo?: string
}

export interface Examined {
  readonly code: number | null
  readonly findings: readonly Found[]
  /** Of one result, as `check: found`. */
  of(result: string): readonly string[]
}

type Env = Readonly<Record<string, string>>

export async function examine(
  { cwd, flags, env = {} }: Installation,
  more: readonly string[] = [],
  moreEnv: Env = {},
): Promise<Examined> {
  const around = { cwd, env: { ...env, ...moreEnv } }
  return examined(await latchkeyHere(['doctor', '--json', ...flags, ...more], around))
}

/** By a machine whose clock is ahead. */
export async function examineAhead(here: Installation, aheadMs: number): Promise<Examined> {
  return byClockAhead(aheadMs, () => examine(here))
}

/** For commands in this process; servers in others keep their time. */
export async function byClockAhead<Result>(
  aheadMs: number,
  run: () => Promise<Result>,
): Promise<Result> {
  const { now } = Date
  Date.now = () => now() + aheadMs
  try {
    return await run()
  } finally {
    Date.now = now
  }
}

function examined({ code, stdout, stderr }: Ended): Examined {
  if (stdout === '') throw new Error(`nothing was found: ${stderr}`)
  const { ok, findings }: { ok: boolean; findings: readonly Found[] } = JSON.parse(stdout)
  const of = (wanted: string) =>
    findings
      .filter(({ result }) => result === wanted)
      .map(({ check, found }) => `${check}: ${found}`)
  // Every thing that needs a person says what to do, and the exit code says whether there is one.
  for (const { result, todo } of findings) {
    expect(todo !== undefined).toBe(result === 'wrong' || result === 'warning')
  }
  expect([ok, code]).toEqual(of('wrong').length > 0 ? [false, 1] : [true, 0])
  return { code, findings, of }
}

/** Writes to a database as another program would. */
export function writeTo(data: string, file: string, sql: string): void {
  const database = new DatabaseSync(join(data, file))
  database.exec(sql)
  database.close()
}

export function remove(data: string, ...names: readonly string[]): void {
  for (const name of names) rmSync(join(data, name), { force: true })
}
