/** `latchkey doctor`: looks at an installation, and says what is wrong and what to do about it. */

import { scrub } from '@latchkey/protocol'
import type { Result } from '@latchkey/service/checks'
import { CannotStart } from '@latchkey/service/machine/errors'
import { escapeText } from '@latchkey/service/text'
import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import type { Line } from '../doctor/run-checks.ts'
import { type Colours, colours } from '../output/colours.ts'
import { jsonText, print } from '../output/show-result.ts'
import { refused, Stop } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { counted } from './storage-repository.ts'

const pageWidth = 100

const signs: Readonly<Record<Result, string>> = {
  good: '✓',
  warning: '!',
  wrong: '✗',
  skipped: '–',
}

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description(
      'Checks the installation that "latchkey serve" would run with the same flags, environment and file: configuration, data directory, disk, databases, keys, journal, and the hub and the storage if they run. It changes nothing.',
    )
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(doctor)
  return addConfigurationFlags(command, 'serve')
}

const teaching = `
Examples:
  latchkey doctor --config hub.json           as the service is started
  latchkey doctor --data /srv/latchkey/data --json

Run it on the machine of the hub, as the user of the hub. The hub may run or be stopped.

  ✓  good
  !  works, but needs attention
  ✗  wrong; the command ends with 1
  –  not checked`

async function doctor({ json, ...flags }: Flags): Promise<void> {
  const lines = await examine(flags)
  const count = (kind: Line['result']) => lines.filter(({ result }) => result === kind).length
  const [wrong, warnings] = [count('wrong'), count('warning')]
  if (json === true) print(jsonText({ ok: wrong === 0, findings: lines.map(withoutSecrets) }))
  else print(showLines(lines, colours(process.stdout)))
  if (wrong > 0) throw refused(`${counted(wrong, 'fault')} found: see the lines with →`)
  tell(warnings === 0 ? 'all is well' : `no faults, ${counted(warnings, 'warning')}`)
}

async function examine(flags: Flags): Promise<readonly Line[]> {
  // `doctor --help` and a mistyped option load neither the hub nor the storage.
  const { readInstallation } = await import('../doctor/basis/installation.ts')
  const { wrongByError } = await import('@latchkey/service/checks')
  const { checks } = await import('../doctor/checks.ts')
  const { runChecks } = await import('../doctor/run-checks.ts')
  try {
    const installation = readInstallation(flags, process.env, Date.now)
    return await runChecks(checks, installation).finally(installation.close)
  } catch (error) {
    if (!(error instanceof Stop || error instanceof CannotStart)) throw error
    return [
      { check: 'configuration', ...wrongByError(new CannotStart(error.message)) },
      { check: 'the rest', result: 'skipped', found: 'not checked without a configuration' },
    ]
  }
}

function withoutSecrets({ found, todo, ...line }: Line): Line {
  return { ...line, found: scrub(found), ...(todo === undefined ? {} : { todo: scrub(todo) }) }
}

/**
 * Prints findings for people: a sign and a name, then the words, none of them beyond the width of a
 * page.
 */
function showLines(lines: readonly Line[], colours: Colours): string {
  const nameWidth = Math.max(...lines.map(({ check }) => check.length))
  return lines.map((line, index) => lineText(line, lines[index - 1], nameWidth, colours)).join('')
}

/** The name stands before the first of its lines. */
function lineText(
  { check, result, found, todo }: Line,
  above: Line | undefined,
  nameWidth: number,
  colours: Colours,
): string {
  const indent = nameWidth + 4
  const name = (above?.check === check ? '' : check).padEnd(nameWidth)
  const words = wrapped(found, pageWidth - indent)
  const advice = todo === undefined ? [] : wrapped(todo, pageWidth - indent - 2)
  const [first = '', ...rest] = [
    ...words,
    ...advice.map((line, index) => `${index === 0 ? '→' : ' '} ${line}`),
  ]
  const paint = painter(result, colours)
  return [
    `${paint(signs[result])} ${name}  ${first}`,
    ...rest.map((line) => ' '.repeat(indent) + line),
  ]
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

function painter(result: Result, { green, yellow, red, dim }: Colours): (text: string) => string {
  return { good: green, warning: yellow, wrong: red, skipped: dim }[result]
}

/** At spaces; a word that is longer than a line, such as a path, stays whole so that it can be copied. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of escapeText(scrub(text)).split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
