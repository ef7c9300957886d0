/** Runs the checks one after the other; one that fails takes no other with it. */

import { type Check, type Finding, wrongByError } from '@latchkey/service/checks'
import type { Installation } from './basis/installation.ts'

export interface Line extends Finding {
  /** The name of the check. */
  readonly check: string
}

export async function runChecks(
  checks: readonly Check<Installation>[],
  installation: Installation,
): Promise<readonly Line[]> {
  const lines: Line[] = []
  for (const check of checks) {
    const findings = await findingsOf(check, installation)
    lines.push(...findings.map((finding) => ({ check: check.name, ...finding })))
  }
  return lines
}

async function findingsOf(
  check: Check<Installation>,
  installation: Installation,
): Promise<readonly Finding[]> {
  try {
    return await check.run(installation)
  } catch (error) {
    return [wrongByError(error)]
  }
}
