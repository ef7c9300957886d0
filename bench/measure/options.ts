/** The options of the benchmarks. Those of the rounds are read from variables of the environment too. */

import { parseArgs } from 'node:util'

export interface Options {
  /** Names of parts; empty for all that belong to a whole run. */
  readonly only: readonly string[]
  /** `sqlite` leaves PostgreSQL out. */
  readonly database: 'sqlite' | 'postgres'
  /** In the largest directory. Undefined: as many as a part has by itself. */
  readonly repositories: number | undefined
  /** Undefined: as many as a part has by itself. */
  readonly rounds: number | undefined
  readonly roundMs: number
  /** Of one file that is transferred. */
  readonly megabytes: number
  /** Of load, for the slope of memory. */
  readonly minutes: number
  /** Whether `issue` measures roles by teams, too. */
  readonly teams: boolean
  readonly peer: Peer | undefined
  /** The folder for the JSON; undefined: the one that is committed. */
  readonly results: string | undefined
}

/** A server of somebody else that issues tokens. */
export interface Peer {
  readonly url: string
  /** Each `name: value`. */
  readonly headers: readonly string[]
  /** For its CPU time and memory. */
  readonly pid: number | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

export function readOptions(words: readonly string[], environment: Environment): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: 'string', default: '' },
      database: { type: 'string', default: 'postgres' },
      repositories: { type: 'string', default: environment['REPOSITORIES'] ?? '' },
      rounds: { type: 'string', default: environment['ROUNDS'] ?? '' },
      'round-ms': { type: 'string', default: environment['ROUND_MS'] ?? '1000' },
      megabytes: { type: 'string', default: '100' },
      minutes: { type: 'string', default: '10' },
      teams: { type: 'boolean', default: false },
      peer: { type: 'string' },
      header: { type: 'string', multiple: true, default: [] },
      'peer-pid': { type: 'string' },
      results: { type: 'string' },
    },
  })
  return {
    only: values.only.split(',').filter(Boolean),
    database: oneOf('database', values.database, ['sqlite', 'postgres']),
    repositories: ifGiven('repositories', values.repositories),
    rounds: ifGiven('rounds', values.rounds),
    roundMs: wholeNumber('round-ms', values['round-ms']),
    megabytes: wholeNumber('megabytes', values.megabytes),
    minutes: wholeNumber('minutes', values.minutes),
    teams: values.teams,
    peer: peerOf(values),
    results: values.results,
  }
}

function peerOf(values: {
  readonly peer?: string | undefined
  readonly header: readonly string[]
  readonly 'peer-pid'?: string | undefined
}): Peer | undefined {
  const { peer, header: headers, 'peer-pid': pid } = values
  if (peer === undefined) {
    if (headers.length > 0 || pid !== undefined)
      throw new Error('--header and --peer-pid need --peer')
    return undefined
  }
  const { protocol } = new URL(peer)
  if (protocol !== 'http:') throw new Error('--peer is an address that begins with http://')
  const flaw = headers.find((header) => !/^[\w-]+: *\S[^\r\n]*$/.test(header))
  if (flaw !== undefined) throw new Error("--header is written like 'authorization: Bearer …'")
  return { url: peer, headers, pid: pid === undefined ? undefined : wholeNumber('peer-pid', pid) }
}

function ifGiven(name: string, text: string): number | undefined {
  return text === '' ? undefined : wholeNumber(name, text)
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new Error(`--${name} is a whole number above 0`)
}

function oneOf<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const word = words.find((each) => each === text)
  if (word === undefined) throw new Error(`--${name} is one of ${words.join(', ')}`)
  return word
}
