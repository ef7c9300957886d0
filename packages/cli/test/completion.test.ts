import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { describe, expect, it } from 'vitest'
import { bashScript } from '../src/completion/bash.ts'
import { fishScript } from '../src/completion/fish.ts'
import { placesOf } from '../src/completion/places.ts'
import { zshScript } from '../src/completion/zsh.ts'
import { program } from '../src/program.ts'
import { mistakeOf } from './mistake-of.ts'
import { hasTerminal, onTerminal } from './on-terminal.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { temporaryDirectory } from './run-latchkey.ts'

const places = placesOf(await program())

/** A line as it stands before the cursor, and what may come next. */
// biome-ignore format: a table is read by its columns
const lines: readonly [string, readonly string[]][] = [
  ['latchkey tok',                                        ['token']],
  ['latchkey log',                                        ['login', 'logout']],
  ['latchkey completion ',                                ['bash', 'fish', 'zsh']],
  ['latchkey hub-token ',                                 ['create', 'list', 'revoke', 'rotate', 'set', 'show']],
  ['latchkey storage ',                                   ['adopt', 'copy', 'delete', 'gc', 'reconcile', 'reset-urls', 'rotate-key', 'serve', 'usage', 'verify']],
  ['latchkey chan',                                       ['changes']],
  ['latchkey changes --fo',                               ['--follow']],
  ['latchkey changes --since ',                           []],
  ['latchkey storage gc --gr',                            ['--grace-hours']],
  ['latchkey hub-token cr',                               ['create']],
  ['latchkey token ',                                     ['read', 'write']],
  ['latchkey token read ',                                []],
  ['latchkey token read models/acme/bert --he',           ['--header', '--help']],
  ['latchkey explain token ',                             ['read', 'write']],
  ['latchkey fetch --sc',                                 ['--scope']],
  ['latchkey fetch --scope ',                             ['read', 'write']],
  ['latchkey fetch models/acme/bert /v1/x --scope w',     ['write']],
  ['latchkey serve --log-level s',                        ['silent']],
  ['latchkey hub-token create ada laptop --kind fi',      ['fine-grained']],
  ['latchkey member set acme ada ',                       ['admin', 'read', 'write']],
  ['latchkey member set --config some.json acme ada w',   ['write']],
  ['latchkey member set --json acme ada w',               ['write']],
  ['latchkey member set acme ',                           []],
  ['latchkey account list --hub ',                        []],
  ['latchkey restore copy --only ',                       ['hub', 'storage']],
]

it('every command and every flag that help shows can be completed', () => {
  const paths = places.map(({ path }) => path)
  expect(paths).toContain('hub-token create')
  expect(new Set(paths).size).toBe(paths.length)
  const { flags } = places.find(({ path }) => path === 'fetch') ?? { flags: [] }
  const names = flags.flatMap((flag) => flag.names)
  expect(names).toEqual(expect.arrayContaining(['-X', '--request', '-o', '--hub', '--help']))
  expect(names).not.toContain('--no-allow-plain-http')
})

it('commands that have others below them have no flags with values, on which the scripts rely', () => {
  for (const { path, commands, flags } of places) {
    if (commands.length > 0)
      expect(
        flags.filter(({ value }) => value),
        path,
      ).toEqual([])
  }
})

it('the command prints the script, and knows no other shell', async () => {
  const { code, stdout, stderr } = await latchkey(['completion', 'bash'], {
    cwd: temporaryDirectory(),
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(bashScript(places))
  expect(await mistakeOf('completion', 'tcsh')).toContain(
    '"tcsh" is not allowed; give bash or zsh or fish',
  )
})

interface Shell {
  readonly name: string
  readonly script: string
  /** Says one line of offers for every line of input, after the script. */
  readonly ask: string
}

const shells: readonly Shell[] = [
  {
    name: 'bash',
    script: bashScript(places),
    ask: `
      while IFS= read -r line; do
        IFS=' ' read -ra COMP_WORDS <<< "$line"
        [[ $line == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        _latchkey
        echo "\${COMPREPLY[*]}"
      done`,
  },
  {
    // The script is zsh's to run; what it calls for offering words is stood in for.
    name: 'zsh',
    script: `compdef() { : }\n${zshScript(places)}`,
    ask: `
      offered=()
      offer() { local word; for word; do [[ $word == $PREFIX* ]] && offered+=($word); done }
      _describe() { local -a known=(\${(P)@[-1]}); offer \${known%%:*} }
      compadd() { shift; offer $@ }
      while IFS= read -r line; do
        words=(\${(s: :)line}) offered=()
        [[ $line == *' ' ]] && words+=('')
        CURRENT=$#words PREFIX=$words[-1]
        _latchkey
        print -r -- $offered
      done`,
  },
  {
    name: 'fish',
    script: fishScript(places),
    ask: `
      while read -l line
        echo (complete -C "$line" | string replace -r '\\t.*' '')
      end`,
  },
]

describe.each(shells)('in $name', ({ name, script, ask }) => {
  const isThere = spawnSync(name, ['-c', 'exit 0']).status === 0
  if (!isThere) console.warn(`SKIPPED: ${name} is not installed, so its completion is not tried`)

  it.skipIf(!isThere)('the words that may come next are offered, and no others', () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'script'), `${script}\n${ask}\n`)
    // Fish takes long for each: until a soak it is asked about a sixth of them.
    const asked = lines.filter((_, at) => name !== 'fish' || at % rounds(6, 1) === 0)
    const input = asked.map(([line]) => `${line}\n`).join('')
    const output = execFileSync(name, ['script'], {
      cwd,
      input,
      env: { ...process.env, HOME: cwd },
    })
    const offers = output.toString().split('\n').slice(0, -1)
    expect(offers.map((offer) => offer.split(' ').filter(Boolean).sort())).toEqual(
      asked.map(([, wanted]) => wanted),
    )
  })
})

it.skipIf(!hasTerminal)(
  'the TAB key of bash completes words, values after = and files',
  async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'script'), `${bashScript(places)}\nPS1='ready> '\n`)
    writeFileSync(join(cwd, 'directory.json'), '{}')
    const bash = ['bash', '--noprofile', '--rcfile', 'script', '-i']
    const steps = [
      ['ready> ', 'latchkey fetch --scope=w\t'],
      ['--scope=write ', '\u0015latchkey apply dir\t'],
      ['apply directory.json ', '\u0015latchkey login --hub dir\t\t\u0015exit 7\r'],
    ] as const
    const { code, screen } = await onTerminal(bash, steps, { cwd })
    expect(screen).toContain('apply directory.json ')
    expect(screen).not.toContain('--hub directory.json')
    expect(code).toBe(7)
  },
)
