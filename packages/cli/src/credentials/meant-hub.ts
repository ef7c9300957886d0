/** The hub that a client's command means: the one that somebody named, or the one logged in to last. */

import type { Configuration } from '../configuration/read-configuration.ts'
import { type Stop, wrongUsage } from '../output/stop.ts'
import type { Credentials } from './credentials.ts'

export interface MeantHub {
  readonly url: string
  /** `--hub`, `LATCHKEY_HUB`, or `hub in client.json`. */
  readonly called: string
  /** Whether somebody named it for this command. */
  readonly isNamed: boolean
}

export function meantHub(
  { values, called }: Configuration,
  { current, tokens }: Credentials,
): MeantHub {
  if (values.hub !== undefined) {
    return { url: values.hub, called: called.get('hub') ?? '--hub', isNamed: true }
  }
  if (current === undefined) throw noHub([...tokens.keys()])
  return { url: current, called: 'the hub logged in to last', isNamed: false }
}

function noHub(others: readonly string[]): Stop {
  return others.length === 0
    ? wrongUsage('no hub is named, and nobody is logged in: latchkey login --hub URL')
    : wrongUsage(`no hub is named: say --hub with one that is logged in to (${others.join(', ')})`)
}
