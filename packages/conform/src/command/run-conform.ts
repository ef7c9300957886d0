/** Checks a server as the options say, prints the report, and returns the exit code. */

import { type Check, type CheckResult, type Profile, profiles } from '../check.ts'
import { readExpectedFailures } from '../expected-failures.ts'
import { setupText } from '../hub/setup-text.ts'
import { worldText } from '../hub/world.ts'
import { isAsExpected } from '../report/by-clause.ts'
import { jsonReport } from '../report/json.ts'
import { junitReport } from '../report/junit.ts'
import { textReport } from '../report/text.ts'
import { chosenChecks, isNamed, runChecks } from '../run-checks.ts'
import { casSide } from './cas-side.ts'
import { exitCodes, wrongUsage } from './conform-stop.ts'
import { hubSide } from './hub-side.ts'
import type { ConformFlags } from './options.ts'
import { listOf, readText, textOf } from './read-flags.ts'
import type { ConformOutput, Side } from './side.ts'

const reports: Readonly<Record<string, (results: readonly CheckResult[]) => string>> = {
  text: textReport,
  junit: junitReport,
  json: jsonReport,
}

export async function runConform(flags: ConformFlags, output: ConformOutput): Promise<number> {
  const printed = printedText(flags)
  if (printed !== undefined) {
    output.print(printed)
    return exitCodes.asExpected
  }
  if (flags['hub'] !== undefined && flags['cas'] !== undefined) {
    throw wrongUsage('--hub and --cas exclude each other; run the command once for each')
  }
  if (flags['list'] === true) return listChecks(flags, output)
  if (flags['cas'] !== undefined) return runSide(casSide, flags, output)
  if (flags['hub'] !== undefined) return runSide(hubSide, flags, output)
  throw wrongUsage('give --hub and the URL of a hub, or --cas and that of a gate or storage')
}

/** Lists those of one side if the flags name it, otherwise of both. */
function listChecks(flags: ConformFlags, { print }: ConformOutput): number {
  const sides = [
    ...(flags['cas'] === undefined ? [hubSide] : []),
    ...(flags['hub'] === undefined ? [casSide] : []),
  ]
  const only = onlyOf(
    flags,
    sides.flatMap((side): readonly Check<never>[] => side.checks),
  )
  for (const { checks, usualProfiles } of sides) {
    const profiles = profilesOf(flags) ?? usualProfiles
    for (const { id, clause } of chosenChecks<never>(checks, { profiles, only })) {
      print(`${id}  ${clause}\n`)
    }
  }
  return exitCodes.asExpected
}

function printedText(flags: ConformFlags): string | undefined {
  if (flags['printWorld'] === true) return worldText()
  return flags['printSetup'] === true ? setupText() : undefined
}

async function runSide<Target>(
  side: Side<Target>,
  flags: ConformFlags,
  output: ConformOutput,
): Promise<number> {
  const { checks } = side
  const report = reports[textOf(flags, 'format') ?? 'text']
  if (report === undefined) throw wrongUsage('--format must be text, junit or json')
  const options = {
    profiles: profilesOf(flags) ?? side.usualProfiles,
    only: onlyOf(flags, checks),
    expectedFailures: await expectedFailuresOf(flags, checks),
    timeoutMs: timeoutOf(flags),
  }
  if (chosenChecks(checks, options).length === 0) {
    throw wrongUsage('no check of these profiles is named by --only')
  }
  const { target, secrets, close } = await side.open(flags, output)
  try {
    const results = await runChecks(checks, target, { ...options, secrets })
    output.print(report(results))
    return isAsExpected(results) ? exitCodes.asExpected : exitCodes.notAsExpected
  } finally {
    await close?.()
  }
}

function profilesOf(flags: ConformFlags): readonly Profile[] | undefined {
  const names = listOf(flags, 'profile')
  if (names.length === 0) return undefined
  return names.map((name) => {
    const profile = profiles.find((one) => one === name)
    if (profile === undefined) throw wrongUsage(`--profile must be one of ${profiles.join(', ')}`)
    return profile
  })
}

function onlyOf(flags: ConformFlags, checks: readonly Check<never>[]): readonly string[] {
  const words = listOf(flags, 'only')
  const unknown = words.find((word) => !checks.some((check) => isNamed(check, word)))
  if (unknown !== undefined) {
    throw wrongUsage(`--only ${unknown}: no such check, clause or section; --list shows all`)
  }
  return words
}

async function expectedFailuresOf(
  flags: ConformFlags,
  checks: readonly Check<never>[],
): Promise<readonly string[]> {
  const file = textOf(flags, 'expectedFailures')
  if (file === undefined) return []
  const ids = readExpectedFailures(await readText(file), checks)
  if ('unknown' in ids) {
    throw wrongUsage(`${file}: there is no check ${ids.unknown}; --list shows all`)
  }
  return ids
}

const maxTimeoutSeconds = 3600

function timeoutOf(flags: ConformFlags): number {
  const seconds = Number(textOf(flags, 'timeout') ?? '60')
  if (seconds > 0 && seconds <= maxTimeoutSeconds) return seconds * 1000
  throw wrongUsage(`--timeout must be a number of seconds up to ${maxTimeoutSeconds}`)
}
