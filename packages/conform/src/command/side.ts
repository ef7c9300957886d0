import type { Check, Profile } from '../check.ts'
import type { ConformFlags } from './options.ts'

export interface ConformOutput {
  /** The report, on standard output. */
  readonly print: (text: string) => void
  /** Messages for people, on standard error. */
  readonly tell: (line: string) => void
}

/** A kind of server that can be checked. */
export interface Side<Target> {
  readonly checks: readonly Check<Target>[]
  /** Without `--profile`. */
  readonly usualProfiles: readonly Profile[]
  readonly open: (flags: ConformFlags, output: ConformOutput) => Promise<OpenSide<Target>>
}

export interface OpenSide<Target> {
  readonly target: Target
  /** Texts that no report may contain. */
  readonly secrets: () => Iterable<string>
  readonly close?: () => Promise<void>
}
