/** Runs the checks one after the other; one that fails takes no other with it. */

import type { Check } from './basis/check.ts'
import { type Finding, wrongAsTold } from './basis/finding.ts'
import type { Installation } from './basis/installation.ts'

export interface Line extends Finding {
  /** The name of the check. */
  readonly check: string
}

export async function runChecks(
  checks: readonly Check[],
  installation: Installation,
): Promise<readonly Line[]> {
  const lines: Line[] = []
  const own = checks.filter(({ databases }) => databases.includes(installation.databaseKind))
  for (const check of own) {
    const findings = await findingsOf(check, installation)
    lines.push(...findings.map((finding) => ({ check: check.name, ...finding })))
  }
  return lines
}

async function findingsOf(check: Check, installation: Installation): Promise<readonly Finding[]> {
  try {
    return await check.look(installation)
  } catch (error) {
    return [wrongAsTold(error)]
  }
}
