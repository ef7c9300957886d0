/** Workers on a PostgreSQL: its password reaches them without an argument, and a change is seen by all. */

import { readFileSync } from 'node:fs'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { acme } from '@latchkey/testing/hub/acme'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { writeDirectory } from '@latchkey/testing/hub/write-directory'
import { childrenOf, hasProc } from '@latchkey/testing/machine/child-processes'
import { serve } from '@latchkey/testing/machine/command'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { askOnce } from './worker-world.ts'

const isMissing = isPostgresMissing('it is not shown that workers share one')

describe.skipIf(isMissing || !hasProc)('two workers on a PostgreSQL', () => {
  const env: Record<string, string> = {
    LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  const folder = sharedFolder()
  let token = ''
  let password = ''
  beforeAll(async () => {
    const server = await ownDatabase()
    password = server.cluster.password
    env['LATCHKEY_DATABASE'] = server.url
    const settings = testSettings(folder, { database: readPostgresSettings(server.url) })
    token = (await writeDirectory<'writer/write'>(settings, acme))['writer/write']
  })

  it('issue tokens, end together what was taken back, and show the password nowhere', async () => {
    const cwd = temporaryFolder()
    const hub = await serve(['--no-storage', '--workers', '2'], { cwd, env })
    onTestFinished(async () => {
      if (hub.child.exitCode === null) await hub.end('SIGKILL')
    })
    const ask = () => Promise.all(Array.from({ length: 8 }, () => askOnce(hub, token)))
    const statuses = async () => new Set((await ask()).map(({ status }) => status))
    expect(await statuses()).toEqual(new Set([200]))
    for (const pid of [hub.child.pid, ...childrenOf(hub.child.pid)]) {
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(password)
    }
    // Master key and password are not in the environment any more, and new workers need both.
    hub.child.kill('SIGHUP')
    const told = 'the configuration was read anew, and every worker has it\n'
    await expect.poll(() => hub.output().stderr).toContain(told)
    expect(hub.output().stderr.endsWith(told)).toBe(true)
    expect(await statuses()).toEqual(new Set([200]))
    const args = ['account', 'set', 'writer', '--disabled']
    expect(await latchkeyHere(args, { cwd, env })).toMatchObject({ code: 0 })
    await expect.poll(statuses).toEqual(new Set([401]))
    const { stdout, stderr } = hub.output()
    expect(stdout + stderr).not.toContain(password)
    expect(await hub.end()).toMatchObject({ code: 0 })
  })
})
