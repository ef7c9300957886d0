/** The options among the environment variables; secrets leave the environment as they are read. */

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { didYouMean } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import { unavailable, wrongUsage } from '../output/stop.ts'
import type { GivenValue } from './given.ts'
import { variableOf } from './option.ts'
import { configOption, type OptionKey, optionKeys, rowOf } from './options.ts'

export type Environment = Record<string, string | undefined>

/** The hub token of a client, or the admin hub token with which `--hub` speaks to a remote hub. */
export const hubTokenVariable = 'LATCHKEY_HUB_TOKEN'

/** The id token of a CI job, for `login --ci`. */
export const idTokenVariable = 'LATCHKEY_ID_TOKEN'

/** The master key that `keys rewrap` encrypts the signing keys with. */
export const newMasterKeyVariable = 'LATCHKEY_NEW_MASTER_KEY'

/** An empty variable counts as not set, except for a secret, where it would hide a mistake. */
export function readEnvironment(environment: Environment): Map<OptionKey, GivenValue> {
  refuseUnknown(environment)
  const values = new Map<OptionKey, GivenValue>()
  for (const key of optionKeys) {
    const { secret, kind } = rowOf(key)
    const variable = variableOf(key)
    const { value, called, warning } = mayBeSecret(key)
      ? (takeSecret(environment, variable) ?? nothing)
      : { ...nothing, value: environment[variable], called: variable }
    if (value === undefined || (value === '' && !secret) || madeByKubernetes(variable, value))
      continue
    values.set(key, { called, value: kind.fromText(value), written: value, warning })
  }
  return values
}

const nothing = { value: undefined, called: '', warning: undefined }

function mayBeSecret(key: OptionKey): boolean {
  const { secret, kind } = rowOf(key)
  return secret === true || kind.holdsSecret !== undefined
}

export interface TakenSecret {
  readonly value: string
  /** The variable that was set. */
  readonly called: string
  readonly warning?: string | undefined
}

/** Reads `NAME` or the file that `NAME_FILE` names, and removes both from the environment. */
export function takeSecret(environment: Environment, name: string): TakenSecret | undefined {
  const fileName = `${name}_FILE`
  const { [name]: value, [fileName]: file } = environment
  delete environment[name]
  delete environment[fileName]
  if (value !== undefined && file !== undefined) {
    throw wrongUsage(`${name} and ${fileName} are both set; set one of them`)
  }
  if (file !== undefined) return { ...readSecretFile(fileName, file), called: fileName }
  return value === undefined ? undefined : { value, called: name }
}

function refuseUnknown(environment: Environment): void {
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('LATCHKEY_') || knownVariables.includes(name)) continue
    if (madeByKubernetes(name, value ?? '')) continue
    throw wrongUsage(`${name} is not an option of latchkey.${didYouMean(name, knownVariables)}`)
  }
}

const secretVariables = [
  ...optionKeys.filter(mayBeSecret).map(variableOf),
  hubTokenVariable,
  idTokenVariable,
  newMasterKeyVariable,
]

const knownVariables = [
  configOption.variable,
  ...optionKeys.map(variableOf),
  ...secretVariables.flatMap((name) => [name, `${name}_FILE`]),
]

/** A Kubernetes service called `latchkey…` puts variables of its own into every container. */
function madeByKubernetes(name: string, value: string): boolean {
  return (
    /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) ||
    (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value))
  )
}

/** A secret in a file that a variable names; orchestrators choose the mode of theirs, so more is allowed than for files of ours. */
interface SecretFile {
  readonly value: string
  /** In words for an operator, where other users can read the file. */
  readonly warning: string | undefined
}

function readSecretFile(variable: string, file: string): SecretFile {
  const { value, mode } = readWithMode(variable, file)
  const modeText = (mode & 0o777).toString(8)
  if ((mode & 0o002) !== 0) {
    throw unavailable(
      `${variable}: any user can write the file ${quoteGiven(file)} (mode ${modeText}), and so choose the secret; chmod 600 it`,
    )
  }
  const warning = `${variable}: any user who gets to the file ${quoteGiven(file)} can read it (mode ${modeText})`
  return { value, warning: (mode & 0o004) === 0 ? undefined : warning }
}

function readWithMode(variable: string, file: string): { value: string; mode: number } {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const { mode } = fstatSync(descriptor)
      return { value: readFileSync(descriptor, 'utf8').trim(), mode }
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unreadable'
    throw unavailable(`${variable}: the file ${quoteGiven(file)} cannot be read (${code})`)
  }
}
