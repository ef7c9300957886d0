/** A process that cannot be started, or does not keep to the messages, ends alone: the hub goes on. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '@latchkey/protocol'
import { expect, it, onTestFinished, vi } from 'vitest'
import { storageKind } from '../../src/serve/companions.ts'
import { launchCompanion } from '../../src/serve/keep-companion.ts'
import { type StorageOrder, storageProtocol } from '../../src/serve/storage-messages.ts'

const order = {
  settings: { stopDeadlineSeconds: 1 },
  hubUrl: 'http://127.0.0.1:1',
  credential: new Secret('hub-token', 'credential'),
  allowPlainHttp: true,
} as StorageOrder

const lines = { write() {}, drained: async () => {}, close: async () => {} }

/** What runs in place of Node. */
function launchAs(program: string) {
  const { execPath } = process
  process.execPath = program
  onTestFinished(() => {
    process.execPath = execPath
  })
  const entry = new URL('../../src/serve/storage-child.ts', import.meta.url)
  return launchCompanion({ kind: storageKind, entry, protocol: storageProtocol, order, lines })
}

function script(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-launch-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'program')
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o700 })
  return file
}

it('a process that the machine cannot start has ended, with the reason', async () => {
  const storage = launchAs('/nowhere/node')
  await expect(storage.started).rejects.toThrow('could not be started (ENOENT)')
  expect(await storage.ended).toEqual({ code: null, signal: null })
  expect(await storage.ask('readiness')).toBeUndefined()
  storage.stop()
})

it('a process of the sources finds those of other packages', async () => {
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => told.mockRestore())
  const program = script(`printf '%s ' "$@" > "$0.words"`)
  await launchAs(program).ended
  expect(readFileSync(`${program}.words`, 'utf8')).toMatch(
    /--conditions=@latchkey\/source \S+\/storage-child\.ts $/,
  )
})

it('a process that asks twice for its order is killed', async () => {
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => told.mockRestore())
  const here = `printf '{"kind":"here"}\\n' >&3`
  const storage = launchAs(script(`${here}; ${here}; exec sleep 60`))
  expect(await storage.ended).toEqual({ code: null, signal: 'SIGKILL' })
  expect(told.mock.calls.join()).toContain('no message')
})
