/** Security boundary: which metrics of another process come onto the page of the hub. */

import type { CompanionKind } from './companions.ts'

type Named = Pick<CompanionKind, 'name' | 'metricWords'>

const label = '[a-zA-Z_]\\w*="(?:[^"\\\\]|\\\\["\\\\n])*"'

/** The hub itself adds it. */
export function upMetric({ name }: Pick<CompanionKind, 'name'>) {
  return {
    name: `latchkey_${name}_up`,
    help: `Whether the ${name} process runs and responds: 1 or 0.`,
  } as const
}

/**
 * A process in the hands of an attacker must not count in the hub's name, nor make the whole page unreadable. Undefined
 * unless every line is a metric of such a process, described once.
 */
export function companionMetrics(kind: Named): (text: string | undefined) => string | undefined {
  const metric = `latchkey_(?:${kind.metricWords.join('|')})_\\w+`
  const sample = new RegExp(
    `^(${metric})(?:\\{(?:${label}(?:,${label})*)?\\})? (?:[-+]?[\\d.e+-]+|[-+]?Inf|Na[Nn])$`,
  )
  const comment = new RegExp(`^# (HELP|TYPE) (${metric}) \\S.*$`)
  const up = upMetric(kind).name
  return (text) => {
    if (text === undefined) return undefined
    const described = new Set<string>()
    const isGood = (line: string) => {
      const [, sampled] = sample.exec(line) ?? []
      const [, what, about] = comment.exec(line) ?? []
      if (what === undefined) return line === '' || (sampled !== undefined && sampled !== up)
      const isNew = !described.has(`${what} ${about}`)
      described.add(`${what} ${about}`)
      return isNew && about !== up
    }
    const whole = text.endsWith('\n') ? text : `${text}\n`
    return whole.split('\n').every(isGood) ? whole : undefined
  }
}

/** Both processes measure themselves; on one page each name may stand once. */
const ofTheProcess = /^(# (?:HELP|TYPE) )?(process_|nodejs_)/gm

/** Metrics of the process under names that its hub's process does not have. */
export function ownNames({ name }: Named, text: string): string {
  return text.replace(ofTheProcess, `$1latchkey_${name}_$2`)
}
