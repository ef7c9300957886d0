import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keystream } from '@latchkey/testing/keystream'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openStage, type Stage } from '../end-to-end/stage.ts'
import { processesOf } from './processes.ts'
import { exampleFile, type Ran, type Running, runExample, temporaryFolder } from './run-example.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl) console.warn('SKIPPED: curl is not installed, so the scripts are not run')
const hasProc = existsSync('/proc/self/cmdline')
if (!hasProc) console.warn('SKIPPED: there is no /proc, so nobody looks at the arguments')

const bytes = keystream('shell', 100_000)

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
  stage.storage.objects.set('/v1/chunks/kept', bytes)
})
afterAll(() => stage.close())

function run(name: string, args: readonly string[], as: 'read' | 'write'): Running {
  const around = { hub: stage.hub.url, hubToken: stage.hubTokens[`writer/${as}`] }
  return runExample(['sh', exampleFile(`shell/${name}`), ...args], around)
}

describe.skipIf(!hasCurl)('examples/shell/read.sh', () => {
  it('prints nothing for what is refused, and fails', async () => {
    const [noRevision, noObject] = await Promise.all([
      run('read.sh', ['models/acme/bert@absent', '/v1/chunks/kept'], 'read').ended,
      run('read.sh', ['models/acme/bert@main', '/v1/chunks/absent'], 'read').ended,
    ])
    expect([noRevision.code, noRevision.stdout.length]).toEqual([1, 0])
    expect(noRevision.stderr).toContain('absent')
    expect([noObject.code, noObject.stdout.length]).toEqual([22, 0])
    expect(noObject.stderr).toContain('404')
  })

  // conformance: Attacks / 29. An attacker reads a token in arguments, environments or histories
  it('prints what the storage holds, byte for byte, and shows no token in arguments or environments', async () => {
    const args = ['models/acme/bert@main', '/v1/chunks/kept']
    const { code, stdout, stderr } = await watched('read.sh', args, 'read')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.equals(bytes)).toBe(true)
  })
})

describe.skipIf(!hasCurl)('examples/shell/upload.sh', () => {
  it('sends every file whole, prints their names, and shows no token in arguments or environments', async () => {
    const files = ['one', 'two'].map((name) => {
      const file = join(temporaryFolder(), name)
      writeFileSync(file, keystream(name, 50_000))
      return file
    })
    const { code, stdout, stderr } = await watched(
      'upload.sh',
      ['models/acme/bert@main', ...files],
      'write',
    )
    expect([code, stderr]).toEqual([0, ''])
    const names = files.map((file) => createHash('sha256').update(readFileSync(file)).digest('hex'))
    expect(stdout.toString()).toBe(`${names.join('\n')}\n`)
    for (const [index, name] of names.entries()) {
      const kept = stage.storage.objects.get(`/v1/xorbs/default/${name}`)
      expect(kept?.equals(readFileSync(files[index] ?? ''))).toBe(true)
    }
  })
})

const accessTokens = /eyJ[\w-]+\.eyJ[\w-]+\./

/** Runs a script, and fails if a process shows one of its tokens while the storage keeps it waiting. */
async function watched(name: string, args: readonly string[], as: 'read' | 'write'): Promise<Ran> {
  if (!hasProc) return run(name, args, as).ended
  const { accessToken } = await stage.client().token('read')
  expect(accessToken.reveal()).toMatch(accessTokens)
  const release = stage.storage.hold()
  const { child, ended } = run(name, args, as)
  try {
    await vi.waitFor(() => expect(stage.storage.waiting()).toBe(1), 180_000)
    const shown = processesOf(child.pid)
    expect(shown).toContain('curl')
    expect(shown).not.toMatch(accessTokens)
    expect(shown).not.toContain(stage.hubTokens[`writer/${as}`])
  } finally {
    release()
    await ended
  }
  return ended
}
