/** Every command that opens the hub's data works on a PostgreSQL, and none shows its password. */

import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childrenOf, hasProc } from '@latchkey/testing/machine/child-processes'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, describe, expect, test } from 'vitest'
import { directoryText } from '../directory-file.ts'
import { latchkeyHere } from '../run-here.ts'
import { type Surroundings, serve } from '../run-latchkey.ts'

const isMissing = isPostgresMissing('it is not shown that the commands work on one')

describe.skipIf(isMissing)('on a PostgreSQL', () => {
  const cwd = sharedFolder()
  let server: OwnDatabase
  let plain = ''
  beforeAll(async () => {
    server = await ownDatabase()
    plain = server.url.replace(`:${server.cluster.password}@`, '@')
  })

  const run = async (args: readonly string[], around: Omit<Surroundings, 'cwd'> = {}) => {
    const env = { LATCHKEY_DATABASE: server.url }
    const ended = await latchkeyHere(args, { cwd, env, ...around })
    expect(ended, `${args.join(' ')}: ${ended.stderr}`).toMatchObject({ code: 0 })
    expect(ended.stdout + ended.stderr).not.toContain(server.cluster.password)
    return ended.stdout
  }

  test('the directory is made, changed, explained and shown', async () => {
    await run(['apply', '-', '--json'], { input: directoryText })
    await run(['account', 'create', 'eve'])
    expect(await run(['account', 'list'])).toContain('eve')
    await run(['keys', 'rotate'])
    expect(await run(['keys', 'list'])).toContain('tokens')
    expect(await run(['changes'])).toContain('eve')
    await run(['keys', 'rewrap'])
    await run(['backup', 'copy'])
    const { stdout } = await latchkeyHere(
      ['explain', 'token', 'read', 'models/acme/bert', '--as', 'eve'],
      { cwd, env: { LATCHKEY_DATABASE: server.url } },
    )
    expect(stdout).toContain('eve')
    expect(readdirSync(join(cwd, 'latchkey-data'))).not.toContain('latchkey.db')
  })

  test('the password comes from its variable, a file, the configuration or .pgpass', async () => {
    const { password } = server.cluster
    const file = (name: string, text: string) => {
      writeFileSync(join(cwd, name), text)
      chmodSync(join(cwd, name), 0o600)
      return join(cwd, name)
    }
    const list = ['account', 'list']
    const flag = ['--database', plain]
    await run([...list, ...flag], { env: { PGPASSWORD: password } })
    await run(list, { env: { LATCHKEY_DATABASE_FILE: file('url', `${server.url}\n`) } })
    const config = file('hub.json', JSON.stringify({ database: server.url }))
    await run([...list, '--config', config], { env: {} })
    const absent = await latchkeyHere([...list, ...flag], { cwd, env: {} })
    expect(absent).toMatchObject({ code: 3 })
    expect(absent.stderr).toMatch(/asks for a password and there is none. Set PGPASSWORD, or/)
    file('.pgpass', `*:*:*:*:${password}\n`)
    await run([...list, ...flag], { env: {} })
    const { hostname, port, pathname, username } = new URL(server.url)
    const env = { PGHOST: hostname, PGPORT: port, PGDATABASE: pathname.slice(1), PGUSER: username }
    await run([...list, '--database', 'postgres://'], { env })
  })

  test('a wrong password is one line, and not repeated', async () => {
    const env = { LATCHKEY_DATABASE: server.url.replace(server.cluster.password, 'canary-wrong') }
    const { code, stdout, stderr } = await latchkeyHere(['account', 'list'], { cwd, env })
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /^latchkey: PostgreSQL \([^\n]+ the password for \S+ is wrong\. [^\n]+\n$/,
    )
    expect(stdout + stderr).not.toContain('canary')
  })

  test.skipIf(!hasProc)(
    'no process of latchkey serve has the password in its arguments, its log or its storage',
    async () => {
      const env = { LATCHKEY_DATABASE: server.url }
      const hub = await serve(['--log-level', 'debug'], { cwd, env })
      const { pid = 0 } = hub.child
      const children = childrenOf(pid)
      expect(children).toHaveLength(1)
      const read = (process: number, name: string) =>
        readFileSync(`/proc/${process}/${name}`, 'utf8')
      await run(['storage', 'usage'])
      await run(['storage', 'gc'])
      const { stdout, stderr } = hub.output()
      const seen = [
        ...[pid, ...children].map((process) => read(process, 'cmdline')),
        ...children.map((process) => read(process, 'environ')),
        ...[stdout, stderr],
        readFileSync(join(cwd, 'latchkey-data', 'commands.log'), 'utf8'),
      ]
      for (const text of seen) expect(text).not.toContain(server.cluster.password)
      expect(read(pid, 'cmdline')).toContain('serve')
    },
  )
})
