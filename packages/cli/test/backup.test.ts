import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { directoryText } from './directory-file.ts'
import { latchkey, serve, temporaryDirectory } from './run-latchkey.ts'

it('a backup is taken while the hub serves, for its owner only, and can be restored', async () => {
  const cwd = temporaryDirectory()
  await latchkey(['apply', '-'], { cwd, input: directoryText })
  await serve([], { cwd })
  const { code, stdout, stderr } = await latchkey(['backup', 'copy.db'], { cwd })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toContain('keep the master key too')
  expect(statSync(join(cwd, 'copy.db')).mode & 0o777).toBe(0o600)
  expect(readdirSync(cwd).sort()).toEqual(['copy.db', 'latchkey-data'])

  mkdirSync(join(cwd, 'restored'), { mode: 0o700 })
  copyFileSync(join(cwd, 'copy.db'), join(cwd, 'restored', 'latchkey.db'))
  const { stdout: list } = await latchkey(['repo', 'list', '--data', 'restored'], { cwd })
  expect(list).toContain('models/acme/bert')
})

it('a backup overwrites nothing and leaves nothing half done', async () => {
  const cwd = temporaryDirectory()
  await latchkey(['account', 'create', 'ada'], { cwd })
  writeFileSync(join(cwd, 'mine'), 'mine')
  const taken = await latchkey(['backup', 'mine'], { cwd })
  expect(taken).toEqual({
    code: 1,
    stdout: '',
    stderr: 'latchkey: "mine" cannot be written: it exists already, and is not overwritten\n',
  })
  const nowhere = await latchkey(['backup', join('nowhere', 'b.db')], { cwd })
  expect(nowhere.code).toBe(3)
  expect(nowhere.stderr).toMatch(/its directory does not exist\n$/)
  expect(existsSync(join(cwd, 'nowhere'))).toBe(false)
  expect(readdirSync(cwd).sort()).toEqual(['latchkey-data', 'mine'])
})
