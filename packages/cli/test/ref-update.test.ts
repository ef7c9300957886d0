/** The command that tells the hub of a push reads what git gives its hook, and says what it cannot read. */

import { expect, it } from 'vitest'
import { latchkeyHere as latchkey } from './run-here.ts'
import { temporaryDirectory } from './run-latchkey.ts'

const none = '0'.repeat(40)
const first = '1'.repeat(40)
const second = '2'.repeat(40)
const bert = 'models/acme/bert'

async function withRepository() {
  const cwd = temporaryDirectory()
  await latchkey(['namespace', 'create', 'acme'], { cwd })
  await latchkey(['repo', 'create', bert], { cwd })
  const push = (input: string, ...flags: readonly string[]) =>
    latchkey(['ref', 'update', bert, ...flags], { cwd, input })
  const refs = async () => {
    const { stdout } = await latchkey(['ref', 'list', bert, '--json'], { cwd })
    const { items }: { items: { name: string; commit: string }[] } = JSON.parse(stdout)
    return items.map(({ name, commit }) => `${name} ${commit}`)
  }
  return { push, refs }
}

it.each([
  ['', 'standard input is empty'],
  ['\n', 'standard input is empty'],
  ['main\n', 'line 1 of standard input: "main" must be an old commit'],
  [`${none} ${first} refs/heads/a\n${none} ${first} main\n`, 'line 2 of standard input'],
  [`${none} abc refs/heads/main\n`, 'line 1 of standard input'],
  [`${none}  ${first} refs/heads/main\n`, 'line 1 of standard input'],
])('%j is wrong usage, and nothing changes', async (input, message) => {
  const { push, refs } = await withRepository()
  const told = await push(input)
  expect(told).toMatchObject({ code: 2, stdout: '' })
  expect(told.stderr).toContain(message)
  expect(await refs()).toEqual([`refs/heads/main ${none}`])
})

it('a push is told as it was, and a second time only by force', async () => {
  const { push, refs } = await withRepository()
  const lines = `${none} ${first} refs/heads/main\n${none} ${second} refs/tags/v1\n`
  const told = await push(lines)
  expect(told).toMatchObject({ code: 0, stderr: '' })
  expect(told.stdout).toMatch(/^changed +ref +models\/acme\/bert@refs\/heads\/main$/m)
  expect(await refs()).toEqual([`refs/heads/main ${first}`, `refs/tags/v1 ${second}`])
  const again = await push(lines)
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain(`main is at ${first}`)
  expect(await push(lines, '--force')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No change is needed; nothing has changed.\n',
  })
})

it('names that no ref can have here are told, and the rest is done', async () => {
  const { push, refs } = await withRepository()
  const lines = `${none} ${first} refs/stash\n${none} ${first} refs/heads/main\n`
  const told = await push(lines, '--json')
  expect(JSON.parse(told.stdout)).toMatchObject({ ignored: ['refs/stash'] })
  expect(told.stderr).toMatch(/no ref can have this name here, [^\n]+: refs\/stash/)
  expect(await refs()).toEqual([`refs/heads/main ${first}`])
})
