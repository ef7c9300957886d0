#!/usr/bin/env node
/** `npx @latchkey/conform`: the command without the rest of latchkey. */

import { parseArgs } from 'node:util'
import { ConformStop, exitCodes } from './conform-stop.ts'
import { type ConformFlags, conformOptions, readForm } from './options.ts'
import { runConform } from './run-conform.ts'

const tell = (line: string) => process.stderr.write(`${line}\n`)

try {
  const { help, ...flags } = readArguments(process.argv.slice(2))
  const print = (text: string) => process.stdout.write(text)
  if (help === true) print(helpText())
  else process.exitCode = await runConform(flags, { print, tell })
} catch (error) {
  if (!(error instanceof ConformStop)) throw error
  tell(`latchkey-conform: ${error.message}`)
  process.exitCode = error.exitCode
}

function readArguments(args: string[]): ConformFlags {
  const rows = conformOptions.map((option) => {
    const { name, takesValue } = readForm(option)
    const type: 'string' | 'boolean' = takesValue ? 'string' : 'boolean'
    return [name, { type, multiple: option.isRepeated === true }] as const
  })
  const help = { type: 'boolean', short: 'h' } as const
  const { values } = parsed(args, { ...Object.fromEntries(rows), help })
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value as ConformFlags[string],
    ]),
  )
}

function parsed(args: string[], options: NonNullable<Parameters<typeof parseArgs>[0]>['options']) {
  try {
    return parseArgs({ args, options: options ?? {}, strict: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConformStop(exitCodes.wrongUsage, `${reason} (--help lists the options)`)
  }
}

function helpText(): string {
  const rows = conformOptions.map(({ form, description }) => `  ${form}\n      ${description}\n`)
  return `Checks a hub or a storage against the specification of storage tokens.\n\n${rows.join('')}`
}
