/** A storage in the hands of an attacker does nothing to its hub. */

import { fileURLToPath } from 'node:url'
import { hasProc } from '@latchkey/testing/machine/child-processes'
import { type Serving, serve } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, describe, expect, it } from 'vitest'
import { childOf } from './child-of.ts'

if (!hasProc) console.warn('SKIPPED: there is no /proc, so the storage process is not found')

const attacker = fileURLToPath(new URL('./taken-over.ts', import.meta.url))

describe.skipIf(!hasProc)('a storage in the hands of an attacker', () => {
  const cwd = sharedFolder()
  let hub: Serving
  beforeAll(async () => {
    hub = await serve(['--storage-port', '0'], { cwd, nodeFlags: ['--import', attacker] })
    return async () => void (await hub.end('SIGKILL'))
  })

  /** The storage does the next thing that `taken-over.ts` has. */
  async function attack(): Promise<void> {
    await expect.poll(() => hub.output().stdout).toContain('"event":"storage_started"')
    process.kill(childOf(hub.child.pid), 'SIGUSR2')
  }

  it('writes no line of the hub', async () => {
    await attack()
    await expect.poll(() => hub.output().stdout).toContain('"last":true')
    expect(hub.output().stdout).not.toMatch(/token_issued|not even JSON/)
    await expect.poll(() => hub.output().stderr).toContain('is no line of its log')
  })

  it('counts nothing in the name of the hub', async () => {
    await attack()
    const read = async (path: string) => (await fetch(hub.url + path)).text()
    const page = () => read('/metrics')
    // Told as down: the page says that something is wrong.
    await expect.poll(page).toContain('\nlatchkey_storage_up 0\n')
    expect(await page()).not.toContain('latchkey_tokens_issued_total 1000000')
    expect(await read('/readyz')).toContain('"storage":"ready"')
  })

  it('that asks for its order again is ended, and another one is started', async () => {
    await attack()
    await expect.poll(() => hub.output().stdout).toContain('"event":"storage_ended"')
    const { stdout, stderr } = hub.output()
    expect(stdout).toMatch(/"event":"storage_ended","code":null,"signal":"SIGKILL"/)
    expect(stderr.match(/no message; it is ended/g)).toHaveLength(1)
    await expect.poll(() => hub.output().stdout.match(/"event":"storage_started"/g)).toHaveLength(2)
  })
})
