/** An operator reads the journal from the data directory. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { JournalEntry, Words } from '@latchkey/admin-api'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readConfiguration } from '../src/configuration/read-configuration.ts'
import { openLocalManagement } from '../src/management/local.ts'
import { type Management, verbCalled } from '../src/management/management.ts'
import { changeLine } from '../src/output/change-line.ts'
import { program } from '../src/program.ts'
import { directoryFile } from './directory-file.ts'
import { mistakeOf } from './mistake-of.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { collect, end, ended, start } from './run-latchkey.ts'

const cwd = mkdtempSync(join(tmpdir(), 'latchkey-cli-'))
const command = `${userInfo().username} (command)`
const bert = 'models/acme/bert'
let management: Management

const run = (words: Words, input: object) => management.run(verbCalled(words), { ...input })
const changes = (...args: string[]) => latchkey(['changes', ...args], { cwd })

async function entries(input = {}): Promise<JournalEntry[]> {
  return Object(await run('changes', { limit: 1000, ...input })).items
}

async function linesOf(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await changes(...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.trimEnd().split('\n')
}

async function numbersOf(...args: string[]): Promise<number[]> {
  return (await linesOf(...args)).map((line) => Number(/^\d+/.exec(line)?.[0]))
}

const numbers = (items: readonly JournalEntry[]) => items.map(({ number }) => number)

beforeAll(async () => {
  const { values } = readConfiguration({ data: join(cwd, 'latchkey-data') }, {})
  management = await openLocalManagement(values, { create: true })
  await run('apply', { file: directoryFile })
  await run('member set', { namespace: 'acme', account: 'guest', role: 'write' })
  await run('member set', { namespace: 'acme', account: 'guest', role: 'read' })
  await run('ref set', { repository: bert, ref: 'main', commit: 'b'.repeat(40) })
  const { items } = Object(await run('hub-token list', {}))
  const { id } = Object(items.find(({ name }: { name: string }) => name === 'laptop'))
  await run('hub-token revoke', { hubToken: id })
  await run('repo create', { repository: 'models/acme/other' })
  await run('repo delete', { repository: 'models/acme/other' })
  // More than the hub answers with at once.
  const crowd = Array.from({ length: 230 }, (_, index) => ({ name: `crowd-${index}` }))
  await run('apply', { file: { accounts: crowd } })
})

afterAll(() => {
  management.close()
  rmSync(cwd, { recursive: true })
})

describe('a value that makes no sense', () => {
  it.each([
    [
      ['--since', 'yesterday'],
      '--since: "yesterday" must be a journal number, a time with its zone',
    ],
    [['--since', '2026-11-15T08:00:00'], '--since: "2026-11-15T08:00:00" must be a journal number'],
    [['--since', '2026-02-30'], '--since: "2026-02-30" must be a journal number'],
    [['--since', '-1'], '--since: "-1" must be a journal number'],
    [['--repo', 'bert'], '--repo: "bert" must be a repository such as models/acme/bert'],
    [['--account', 'a b'], '--account: "a b" must be a name'],
    [['--limit', '0'], '--limit: "0" is not allowed; give a whole number from 1 to'],
    [['--last', '0'], '--last: "0" is not allowed; give a whole number from 1 to 1000'],
    [['--last', '3', '--since', '1'], 'give --last or --since, not both'],
    [['--limit', 'x'], '--limit: "x" is not allowed; give a whole number from 1 to'],
  ])('is told by its flag: %j', async (args, line) => {
    expect(await mistakeOf('changes', ...args)).toContain(line)
  })

  it('is not repeated where it is a token', async () => {
    const token = `lk_${'a'.repeat(49)}`
    expect(await mistakeOf('changes', '--account', token)).not.toContain(token)
  })

  it('that the journal does not have ends with 1, and says where to begin', async () => {
    const { code, stdout, stderr } = await changes('--since', '999999999999999')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^latchkey: The journal[^\n]* ends at \d+[^\n]+ --since \d+, [^\n]+\n$/)
  })
})

describe.concurrent('the data directory', () => {
  it('gives a line for each entry: number, time, who, verb, and what happened to what', async () => {
    const lines = await linesOf()
    const shown = (verb: string, what: string) =>
      expect.stringMatching(
        new RegExp(
          `^\\d{13}  \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ  ${RegExp.escape(command.padEnd(14))}  ${verb.padEnd(19)}  ${RegExp.escape(what)}$`,
        ),
      )
    const wanted = [
      shown('apply', 'account created ada: user, administrator'),
      shown('apply', 'repository created models/acme/bert: private'),
      shown('apply', 'ref created models/acme/bert@refs/heads/main'),
      shown('apply', 'hub-token created ada/laptop: write'),
      shown('member set', 'member created acme/guest: write'),
      shown('member set', 'member changed acme/guest: write -> read  (narrows access)'),
      shown(
        'ref set',
        `ref changed ${bert}@refs/heads/main: commit ${'a'.repeat(12)} -> ${'b'.repeat(12)}`,
      ),
      shown('hub-token revoke', 'hub-token revoked ada/laptop  (narrows access)'),
      shown('repo delete', 'repository deleted models/acme/other  (narrows access)'),
    ]
    expect(lines).toEqual(expect.arrayContaining(wanted))
    expect(lines[0]).toMatch(/Z {2}– +migrate +journal created$/)
  })

  it('gives every entry once and in order, however many pages there are', async () => {
    const all = numbers(await entries())
    expect(all.length).toBeGreaterThan(230)
    expect(await numbersOf()).toEqual(all)
  })

  it('gives an object a line as JSON, which is the entry of the admin API', async () => {
    const lines = await linesOf('--json')
    expect(lines.map((line) => JSON.parse(line))).toEqual(await entries())
  })

  it('gives what concerns a repository, also after its end', async () => {
    const wanted = await entries({ repository: 'models/acme/other' })
    expect(wanted.length).toBeGreaterThan(1)
    expect(await numbersOf('--repo', 'models/acme/other')).toEqual(numbers(wanted))
  })

  it('gives what concerns an account', async () => {
    const lines = await linesOf('--account', 'guest')
    expect(lines.map((line) => line.split(/ {2,}/).slice(4).join('  '))).toEqual([
      'account created guest: user',
      'member created acme/guest: write',
      'member changed acme/guest: write -> read  (narrows access)',
    ])
  })

  it('gives what came after a number, and ends after as many as are wanted', async () => {
    const [, second, ...rest] = numbers(await entries())
    expect(await numbersOf('--since', String(second))).toEqual(rest)
    expect(await numbersOf('--since', String(second), '--limit', '120')).toEqual(rest.slice(0, 120))
  })

  it('--last shows the newest entries in order, also of one repository', async () => {
    const all = numbers(await entries())
    expect(await numbersOf('--last', '20')).toEqual(all.slice(-20))
    expect(await numbersOf('--last', '1000')).toEqual(all)
    const own = numbers(await entries({ repository: bert }))
    expect(own.length).toBeGreaterThan(2)
    expect(await numbersOf('--last', '2', '--repo', bert)).toEqual(own.slice(-2))
    const guests = numbers(await entries({ account: 'guest' }))
    expect(await numbersOf('--last', '2', '--account', 'guest')).toEqual(guests.slice(-2))
  })

  it('gives what came from a time or a day on', async () => {
    const all = await entries()
    const { at = '' } = all[3] ?? {}
    // What one transaction changes has one time.
    const later = numbers(all.slice(all.findIndex((one) => one.at === at)))
    expect(await numbersOf('--since', at)).toEqual(later)
    // The same moment in another zone.
    const east = new Date(Date.parse(at) + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
    expect(await numbersOf('--since', east)).toEqual(later)
    expect(await numbersOf('--since', at.slice(0, 10), '--limit', '1')).toEqual([all[0]?.number])
    expect(await changes('--since', '2999-12-31')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'There are none.\n',
    })
  })
})

describe('with --follow', () => {
  /** Shows the last entries, and then what comes. */
  async function follow(...args: string[]) {
    const all = numbers(await entries())
    const since = String(all.at(-3))
    const child = start(['changes', '--follow', '--since', since, ...args], { cwd })
    onTestFinished(() => end(child))
    const output = collect(child)
    await expect.poll(() => output().stdout).toContain(String(all.at(-1)))
    return { child, output, over: ended(child) }
  }

  it('what changes later is shown, until Ctrl-C ends it with 0', async () => {
    const { child, output, over } = await follow()
    await run('account set', { account: 'guest', disabled: true })
    await expect.poll(() => output().stdout).toContain('account changed guest: disabled no -> yes')
    await run('account set', { account: 'guest', disabled: false })
    await expect.poll(() => output().stdout).toContain('account changed guest: disabled yes -> no')
    const seen = output().stdout.trimEnd().split('\n')
    expect(new Set(seen).size).toBe(seen.length)
    child.kill('SIGINT')
    expect(await over).toBe(0)
    expect(output().stderr).toBe('')
  })

  it('it ends after as many as are wanted', async () => {
    const { output, over } = await follow('--limit', '3')
    await run('account set', { account: 'guest', administrator: true })
    expect(await over).toBe(0)
    expect(output().stdout.trimEnd().split('\n')).toHaveLength(3)
  })

  it('a reader that has gone ends it quietly with the next entry', async () => {
    const { child, output, over } = await follow()
    child.stdout?.destroy()
    await run('account set', { account: 'guest', administrator: false })
    expect(await over).toBe(0)
    expect(output().stderr).toBe('')
  })
})

it('a reader that has gone ends it quietly before the journal is over', async () => {
  const child = start(['changes', '--json'], { cwd })
  const output = collect(child)
  const over = ended(child)
  child.stdout?.once('data', () => child.stdout?.destroy())
  expect(await over).toBe(0)
  expect(output().stderr).toBe('')
})

it('it has the flags of a person, and not those of the verb', async () => {
  const { commands } = await program(['changes'])
  const [command, ...more] = commands.filter((one) => one.name() === 'changes')
  expect(more).toEqual([])
  const flags = command?.options.map(({ long }) => long) ?? []
  const own = ['--follow', '--since', '--last', '--repo', '--account', '--limit', '--json']
  expect(flags).toEqual(expect.arrayContaining([...own, '--data', '--hub']))
  for (const flag of ['--after', '--wait', '--repository']) expect(flags).not.toContain(flag)
})

describe('a line', () => {
  const entry: JournalEntry = {
    ...{ number: 7, previous: 6, at: '2026-11-15T08:00:00.123Z', verb: 'hub-token set' },
    ...{ thing: 'hub-token', did: 'changed', actor: { account: 'ada' }, narrows: false },
    ...{ account: 'ada', hubToken: 'a'.repeat(26) },
  }

  it('cannot write on the terminal, whatever the names hold', () => {
    const evil = '\u001b[2J\n\u202e'
    const line = changeLine({
      ...{ ...entry, verb: evil, thing: evil, at: evil, account: evil },
      ...{ actor: { account: evil }, before: { [evil]: evil }, after: { [evil]: [evil] } },
    })
    expect(line).toMatch(/^[^\p{C}]+\n$/u)
  })

  it('names a hub token whose name is not known by its id', () => {
    expect(changeLine(entry)).toMatch(/ hub-token changed ada\/a{26}\n$/)
  })

  it.each([
    [['account'], 'by account'],
    [['token'], 'by token id (1)'],
    [['token', 'hub-token', 'token'], 'by token id (2), by hub token'],
    [['all'], 'all until then'],
  ])('says what storage tokens were cut off by: %j', (kinds, words) => {
    const cuts = kinds.map((kind) => ({ kind, id: 'x' }))
    const line = changeLine({ ...entry, thing: 'cut-off', did: 'revoked', after: { cuts } })
    expect(line).toContain(`: ${words}\n`)
  })

  it('is short where the values are long', () => {
    const refs = Array.from({ length: 99 }, (_, index) => `release/${index}`)
    const grants = (contents: string) => ({ grants: [{ on: 'acme/*', contents, refs }] })
    const line = changeLine({ ...entry, before: grants('read'), after: grants('write') })
    expect(line).toMatch(/: grants read:acme\/\*@[^\n]{1,60}… -> write:acme\/\*@[^\n]{1,60}…\n$/)
  })
})
