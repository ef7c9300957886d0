import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { directoryText } from './directory-file.ts'
import { latchkeyHere as latchkey } from './run-here.ts'

const cwd = mkdtempSync(join(tmpdir(), 'latchkey-cli-'))

beforeAll(() => latchkey(['apply', '-'], { cwd, input: directoryText }))
afterAll(() => rmSync(cwd, { recursive: true }))

const explain = (...args: string[]) => latchkey(['explain', 'token', ...args], { cwd })

it('what would be allowed is told step by step and ends with 0', async () => {
  const { code, stdout, stderr } = await explain(
    'write',
    'models/acme/bert@feature/x',
    '--as',
    'ada',
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^(✓ [^\n]+\n)+\nallowed: [^\n]+\n$/)
})

it('what would be refused shows the step that fails and ends with 1', async () => {
  const { code, stdout } = await explain('read', 'models/acme/bert@main', '--as', 'guest')
  expect(code).toBe(1)
  expect(stdout).toMatch(/^(✓ [^\n]+\n)+✗ [^\n]+\n\nrefused \(permission_denied\): [^\n]+\n$/)
})

it('the hub token that would be used is judged too', async () => {
  const { stdout: list } = await latchkey(['hub-token', 'list', '--json'], { cwd })
  const items: { id: string; kind: string }[] = JSON.parse(list).items
  const admin = items.find(({ kind }) => kind === 'admin')?.id ?? ''
  const { code, stdout } = await explain(
    'read',
    'models/acme/bert',
    '--as',
    'ada',
    '--with',
    admin,
    '--json',
  )
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ allowed: false, code: 'permission_denied' })
})

it('a target that cannot be is one line in the words of the command', async () => {
  const { code, stderr } = await explain('write', 'bert', '--as', 'ada')
  expect(code).toBe(2)
  expect(stderr).toMatch(/^latchkey: <target>: "bert" must be a repository [^\n]+\n$/)
})
