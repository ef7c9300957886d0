/** The options of `latchkey conform` and of the program of this package. */

export interface ConformOption {
  /** As `--help` shows it: `--hub <url>`. */
  readonly form: string
  readonly description: string
  readonly isRepeated?: boolean
}

export const conformOptions: readonly ConformOption[] = [
  {
    form: '--hub <url>',
    description: 'Check the hub at this URL.',
  },
  {
    form: '--tokens <file>',
    description:
      'Read the hub tokens of the world from this JSON file, as "latchkey apply --json --output" writes it.',
  },
  {
    form: '--rotate-command <command>',
    description: 'Rotate the signing keys of the hub with this command, and check them afterwards.',
  },
  {
    form: '--revoke-command <command>',
    description:
      'Revoke a storage token with this command, which reads it from standard input, and check the revocation list afterwards.',
  },
  {
    form: '--cas <url>',
    description:
      'Check the gate or storage at this URL, with {repo} and {ref} as in its configuration. The command plays its hub.',
  },
  {
    form: '--hub-port <port>',
    description: 'Play the hub at this port of this machine. Default: 8080.',
  },
  {
    form: '--files <path>',
    description:
      'Store and read files at this path of the storage, with {name} or {sha256}. Default: PUT /v1/files, as the storage of Latchkey has it.',
  },
  {
    form: '--wait <seconds>',
    description: 'Wait so long until the server under test admits a token. Default: 60.',
  },
  {
    form: '--profile <name>',
    description:
      'Run the checks of this profile: token-api, verifier, storage or huggingface. Can be repeated.',
    isRepeated: true,
  },
  {
    form: '--only <name>',
    description: 'Run only this check, clause or section. Can be repeated.',
    isRepeated: true,
  },
  {
    form: '--expected-failures <file>',
    description:
      'Accept the failure of the checks in this file: an id on each line, comments after #.',
  },
  {
    form: '--format <name>',
    description: 'Print the report as text (the default), junit or json.',
  },
  {
    form: '--timeout <seconds>',
    description: 'Wait so long for each check. Default: 60.',
  },
  {
    form: '--print-world',
    description: 'Print the world that the hub must have, as a file for "latchkey apply".',
  },
  {
    form: '--print-setup',
    description: 'Print in steps what the hub must have, and the form of the tokens file.',
  },
  { form: '--list', description: 'List the checks with their clauses, and run none.' },
]

/** By the names of the options in camel case. */
export type ConformFlags = Readonly<
  Record<string, string | boolean | readonly string[] | undefined>
>

export interface OptionForm {
  /** `expected-failures` */
  readonly name: string
  /** `expectedFailures` */
  readonly key: string
  readonly takesValue: boolean
}

export function readForm({ form }: ConformOption): OptionForm {
  const [, name = '', value] = /^--([a-z-]+)(?: <([a-z-]+)>)?$/.exec(form) ?? []
  const key = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return { name, key, takesValue: value !== undefined }
}
