import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { latchkeyHere as latchkey } from './run-here.ts'
import { temporaryDirectory } from './run-latchkey.ts'

const mistakes: readonly [string, readonly string[], RegExp][] = [
  ['an unknown command', ['acount', 'list'], /unknown command 'acount' \(Did you mean account\?\)/],
  [
    'a ref that is to be created',
    ['ref', 'create', 'models/acme/bert', 'dev', '--json'],
    /unknown command 'create': latchkey ref set also creates it\. See latchkey ref --help\./,
  ],
  [
    'a mistyped verb of such a thing',
    ['member', 'lst'],
    /unknown command 'lst'\. Did you mean list\? See latchkey member --help\./,
  ],
  [
    'an unknown option',
    ['serve', '--prot', '1'],
    /unknown option '--prot' \(Did you mean --port\?\)/,
  ],
  [
    'an id with a leading dash',
    ['keys', 'retire', '-xOmI0'],
    /unknown option '-xOmI0'; if that is a value and not an option, write it after "--": -- -xOmI0/,
  ],
  ['a missing argument', ['account', 'create'], /missing required argument 'name'/],
  [
    'a word that is none of the choices',
    ['account', 'create', 'x', '--kind', 'robot'],
    /--kind: "robot" must be one of user, service/,
  ],
  ['a name that cannot be', ['account', 'create', '.x'], /<name>: "\.x" must be a name/],
  [
    'a repository that cannot be',
    ['repo', 'create', 'acme/bert'],
    /<repository>: "acme\/bert" must be a repository such as models\/acme\/bert/,
  ],
  ['a value of serve', ['serve', '--port', 'x'], /--port: "x" is not allowed; give a whole number/],
  [
    'one port for hub and storage',
    ['serve', '--port', '8093', '--storage-port', '8093'],
    /--storage-port: the hub and the storage cannot both listen on port 8093/,
  ],
  [
    'a grant',
    ['hub-token', 'create', 'a', 'b', '--kind', 'fine-grained', '--grant', 'all'],
    /write:models\/acme\/bert@main/,
  ],
  ['a hub URL', ['account', 'list', '--hub', 'http://hub.example'], /--hub: .* is plain http/],
  [
    'a hub together with a data directory',
    ['account', 'list', '--hub', 'https://hub.example', '--data', 'x'],
    /'--hub <URL>' cannot be used with option '--data <directory>'/,
  ],
  [
    'a hub without a token',
    ['account', 'list', '--hub', 'https://hub.example'],
    /LATCHKEY_HUB_TOKEN/,
  ],
]

it.each(mistakes)('%s is one line, ends with 2 and makes nothing', async (_, args, line) => {
  const cwd = temporaryDirectory()
  const { code, stdout, stderr } = await latchkey(args, { cwd })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(line)
  expect(stderr).toMatch(/^latchkey: [^\n]+\n$/)
  expect(existsSync(join(cwd, 'latchkey-data'))).toBe(false)
})

it('a variable that does not exist ends every command with 2', async () => {
  const around = { cwd: temporaryDirectory(), env: { LATCHKEY_PROT: '1' } }
  for (const args of [['serve'], ['account', 'list']]) {
    const { code, stderr } = await latchkey(args, around)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'latchkey: LATCHKEY_PROT is not an option of latchkey. Did you mean LATCHKEY_PORT?\n',
    })
  }
})

it('a hub token that is typed by mistake is not repeated', async () => {
  const token = `lk_${'a'.repeat(49)}`
  const { code, stderr } = await latchkey(['hub-token', 'revoke', token], {
    cwd: temporaryDirectory(),
  })
  expect(code).toBe(2)
  expect(stderr).toContain('not the token')
  expect(stderr).not.toContain(token)
})
