/** The new master key of a rewrap, from the environment or a file; it has no flag of its own. */

import { existsSync } from 'node:fs'
import type { MasterKey } from '@latchkey/hub/management'
import { readKeyFile } from '@latchkey/service/machine/key-file'
import { quoteGiven } from '@latchkey/service/text/escape'
import { unavailable, wrongUsage } from '../output/stop.ts'
import { notAllowed } from './given.ts'
import { masterKey as kind } from './kind.ts'
import { type Environment, newMasterKeyVariable, takeSecret } from './read-environment.ts'

/** Undefined where none is given. */
export function readNewMasterKey(file: unknown, environment: Environment): MasterKey | undefined {
  const taken = takeSecret(environment, newMasterKeyVariable)
  if (typeof file !== 'string') return taken && checked(taken)
  if (taken !== undefined) {
    throw wrongUsage(`--new-key-file and ${taken.called} are both given; give one of them`)
  }
  if (!existsSync(file)) throw unavailable(`--new-key-file: there is no file ${quoteGiven(file)}`)
  return readKeyFile('master-key', file, 'Make one with "openssl rand -base64 32".')
}

function checked({ value, called }: { value: string; called: string }): MasterKey {
  const key = kind.read(value)
  if (key !== undefined) return key
  throw notAllowed({ called, value, written: value, allowed: kind.allowed, secret: true })
}
