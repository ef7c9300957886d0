/** A storage that cannot start does not follow its hub. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { memoryLink } from '@latchkey/testing/gate/memory-link'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type StorageSettings, startStorage } from '../../src/index.ts'

function settingsIn(data: string): StorageSettings {
  return {
    ...{ host: '127.0.0.1', port: 0, data, isolation: 'ref', leewaySeconds: 30 },
    casUrl: 'http://127.0.0.1:1/r/{repo}/{ref}',
    issuer: 'http://127.0.0.1:2',
    quota: { bytes: undefined, objects: undefined },
    timeouts: { idleSeconds: 30, totalSeconds: 3600, leastBytesPerSecond: 1 },
    cors: { origins: [] },
    allowedHosts: [],
    trustedProxies: [],
    limits: { failuresPerMinute: 0, connections: 10 },
    log: { level: 'info' },
    stopDeadlineSeconds: 1,
  }
}

test('a storage whose settings are refused asks the hub nothing more, and logs nothing', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-start-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  const link = memoryLink()
  link.hold()
  const asked = vi.spyOn(link, 'changes')
  const lines: string[] = []
  const starting = startStorage(
    { ...settingsIn(data), leewaySeconds: 61 },
    { link },
    { lines: { write: (line) => lines.push(line), async close() {} } },
  )
  await expect(starting).rejects.toThrow('leewaySeconds: 61 is not allowed')
  // A follower that goes on would find the database closed.
  for (let turn = 0; turn < 10; turn += 1) await setImmediate()
  expect(asked.mock.calls.every(([{ signal }]) => signal?.aborted)).toBe(true)
  expect(lines).toEqual([])
})
