/** The repository that an address names. */

import {
  decodeOnce,
  type Refusal,
  type RepoRef,
  type RepoType,
  refuse,
  repoRef,
} from '@latchkey/protocol'
import { quoted } from '../words/quoted.ts'

export interface NamedRepo {
  /** Undefined when no repository can have this name: answered like one that is absent. */
  readonly repo: RepoRef | undefined
}

/** Undefined when the segments cannot be decoded. */
export function namedRepo(type: RepoType, namespace: string, name: string): NamedRepo | undefined {
  const names = [decodeOnce(namespace), decodeOnce(name)] as const
  if (names[0] === undefined || names[1] === undefined) return undefined
  return { repo: repoRef(type, names[0], names[1]) }
}

const typeWords: ReadonlyMap<string | undefined, RepoType> = new Map([
  ['models', 'model'],
  ['datasets', 'dataset'],
  ['spaces', 'space'],
])

/** The type behind `models`, `datasets` or `spaces`. */
export function typeOf(word: string | undefined): RepoType | undefined {
  return typeWords.get(word)
}

/** Old addresses name some repositories without a namespace. Here every repository has one. */
export function withoutNamespace(name: string): Refusal {
  return refuse(
    'bad_request',
    `${quoted(name)} has no namespace. Name the repository as namespace/name.`,
  )
}
