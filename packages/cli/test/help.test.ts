import { verbs } from '@latchkey/admin-api'
import { describe, expect, it } from 'vitest'
import { flagOf, variableOf } from '../src/configuration/option.ts'
import { optionKeys, rowOf } from '../src/configuration/options.ts'
import { program } from '../src/program.ts'
import { latchkeyHere } from './run-here.ts'
import { latchkey, temporaryDirectory } from './run-latchkey.ts'

it.each(['serve', 'gate'] as const)(
  'latchkey %s --help names every option, its variable and no secret',
  async (command) => {
    const { code, stdout, stderr } = await latchkeyHere([command, '--help'], {
      cwd: temporaryDirectory(),
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const key of optionKeys.filter((key) => rowOf(key).takers.includes(command))) {
      expect(stdout).toContain(rowOf(key).secret ? variableOf(key) : `${flagOf(key)} `)
      expect(stdout).toContain(variableOf(key))
    }
    expect(stdout).not.toMatch(/--(?:master|assertion)-key/)
  },
)

it.each(['token', 'fetch', 'upload', 'download', 'login', 'logout', 'whoami'])(
  'latchkey %s --help names the options of clients and their variables',
  async (name) => {
    const { commands } = await program([name])
    const command = commands.find((one) => one.name() === name)
    const help = command === undefined ? '' : helpOf(command)
    for (const key of optionKeys.filter((key) => rowOf(key).takers.includes('client'))) {
      expect(help).toContain(`${flagOf(key)} `)
      expect(help).toContain(`[${variableOf(key)}]`)
    }
  },
)

it('every command has a sentence, and its help an example and the exit codes', async () => {
  for (const command of leaves(await program())) {
    const help = helpOf(command)
    expect(command.description(), command.name()).toMatch(/^[A-Z].*\.$/)
    expect(help, command.name()).toMatch(/Examples?:\n {2}latchkey /)
    expect(help, command.name()).toContain('Exit codes: 0 success, 1 rejected')
  }
})

it('the example of an operation has a sample for each argument', async () => {
  const examples = leaves(await program()).flatMap((command) => {
    const [, after = ''] = helpOf(command).split(/\nExamples?:\n/)
    const [lines = ''] = after.split('\n\n')
    return lines.split('\n')
  })
  expect(examples.length).toBeGreaterThan(verbs.length)
  expect(examples.filter((line) => line.includes('<text>'))).toEqual([])
})

it('the example of a hub token is one that a person uses', async () => {
  const helps = leaves(await program(['hub-token']))
    .map(helpOf)
    .join('')
  expect(helps).toContain('\n  latchkey hub-token create ada laptop --kind write\n')
})

it('the example of a key names its kid', async () => {
  const helps = leaves(await program(['keys']))
    .map(helpOf)
    .join('')
  expect(helps).toContain('\n  latchkey keys retire <kid>\n')
})

it('no line of help is wider than 100 columns', async () => {
  for (const command of leaves(await program())) {
    const widest = Math.max(
      ...helpOf(command)
        .split('\n')
        .map((line) => line.length),
    )
    expect(widest, command.name()).toBeLessThanOrEqual(100)
  }
})

it('the list of commands reads the same whether they are loaded or not', async () => {
  expect(helpOf(await program([]))).toBe(helpOf(await program()))
})

it('every verb of the hub is a command', async () => {
  const { commands } = await program()
  for (const { words } of verbs) {
    const [first, second] = words.split(' ')
    const command = commands.find((one) => one.name() === first)
    expect(command, words).toBeDefined()
    if (second !== undefined) expect(command?.commands.map((one) => one.name())).toContain(second)
  }
})

it.each([
  ['account', 'create'],
  ['storage', 'gc'],
])('latchkey help %s %s is the help of that command', async (...words) => {
  const cwd = temporaryDirectory()
  const asked = await latchkey(['help', ...words], { cwd })
  expect(asked.stdout).toContain(`Usage: latchkey ${words.join(' ')} [options]`)
  expect(asked).toEqual(await latchkeyHere([...words, '--help'], { cwd }))
})

it('latchkey without a command shows its help and ends with 2', async () => {
  const { code, stdout, stderr } = await latchkeyHere([], { cwd: temporaryDirectory() })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('First steps, in an empty folder')
})

type Command = Awaited<ReturnType<typeof program>>

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
}

function helpOf(command: Command): string {
  let text = ''
  const take = (part: string) => {
    text += part
  }
  command.configureOutput({ writeOut: take, writeErr: take }).outputHelp()
  return text
}

it.each([['gate'], ['serve'], ['storage', 'serve']])(
  'the help of %s %s states how soon a token that was taken back is refused, with the hub and without',
  async (...words) => {
    const { stdout } = await latchkeyHere([...words, '--help'], { cwd: temporaryDirectory() })
    expect(stdout).toMatch(/A revoked token is rejected within 9 s while the hub responds/)
    expect(stdout).toMatch(/within 60 s while it does not/)
  },
)

it('every option that must be given is marked in the help of its command', async () => {
  const marked = leaves(await program()).flatMap((command) =>
    command.options
      .filter(({ mandatory }) => mandatory)
      .map(({ long }) => {
        expect(helpOf(command), `${command.name()} ${long}`).toMatch(
          new RegExp(`^ +${long}\\b(?:(?!\\n +--)[^])*?\\(required\\)`, 'm'),
        )
        return `${command.name()} ${long}`
      }),
  )
  expect(marked).toEqual(expect.arrayContaining(['create --kind', 'token --as']))
})

describe.each([
  ['gate', 'gate', 'upstream'],
  ['storage serve', 'storage', undefined],
] as const)('the help of latchkey %s', (words, taker, other) => {
  const needed = optionKeys.filter((key) => rowOf(key).required?.[taker] === 'required')
  const values = { hub: 'http://127.0.0.1:1', casUrl: 'http://127.0.0.1:2/r/{repo}/{ref}' }

  it('says of each option without which the command does not start that it is required', async () => {
    const [first = '', second] = words.split(' ')
    const top = (await program([first])).commands.find((one) => one.name() === first)
    const command = second ? top?.commands.find((one) => one.name() === second) : top
    const help = (command === undefined ? '' : helpOf(command)).replace(/\s+/g, ' ')
    expect(needed).toEqual(['casUrl', 'hub'])
    for (const key of needed) expect(help).toContain(`[${variableOf(key)}] (required)`)
    if (other === undefined) return
    expect(help).toContain('[LATCHKEY_UPSTREAM] (required, unless --forward-auth is set)')
    expect(help).toContain('[LATCHKEY_FORWARD_AUTH] (required, unless --upstream is set)')
  })

  it.each(Object.keys(values))('and without %s it does not start', async (missing) => {
    const given = Object.entries(values).filter(([key]) => key !== missing)
    const flags = given.flatMap(([key, value]) => [flagOf(key), value])
    const args = [...words.split(' '), ...flags]
    const { code, stderr } = await latchkeyHere(args, { cwd: temporaryDirectory() })
    expect(code).toBe(2)
    expect(stderr).toMatch(new RegExp(`^latchkey: ${flagOf(missing)} URL is missing`))
  })
})

it('a switch that is left as it is has its opposite in the help, and no other has', async () => {
  const opposites = leaves(await program(verbs.map(({ words }) => words.split(' ')[0] ?? '')))
    .filter((command) => command.options.some(({ negate, hidden }) => negate && !hidden))
    .map((command) => [
      `${command.parent?.name()} ${command.name()}`,
      ...(helpOf(command).match(/--no-[a-z-]+/g) ?? []),
    ])
  expect(opposites).toEqual([['account set', '--no-administrator', '--no-disabled']])
})

it('the help of login names every command that uses the hub token', async () => {
  const { commands } = await program(['login'])
  const login = commands.find((one) => one.name() === 'login')
  expect(login?.description()).toContain('latchkey token, fetch, upload, download and whoami')
})
