/** Where a result goes: to people or to machines, and a new hub token to a file if one is named. */

import { createNewFile, reasonOf } from './new-file.ts'
import { unavailable } from './stop.ts'
import { tell } from './tell.ts'

export interface Output {
  readonly json: boolean
  /** Takes what must be shown once; undefined shows it on standard output. */
  readonly keepSecret: ((text: string) => void) | undefined
}

type Flags = Readonly<Record<string, unknown>>

/** The file is there before the work begins, and gone again if the work fails. */
export async function withOutput<Result>(
  { json, output: file }: Flags,
  work: (output: Output) => Promise<Result>,
): Promise<Result> {
  if (typeof file !== 'string') return work({ json: json === true, keepSecret: undefined })
  const created = createNewFile(file)
  let kept = false
  try {
    return await work({
      json: json === true,
      keepSecret(text) {
        kept = true
        keep(() => created.finish(text), file)
        tell(`the secret is written to ${file}, for its owner only`)
      },
    })
  } finally {
    if (!kept) created.discard()
  }
}

function keep(finish: () => void, file: string): void {
  try {
    finish()
  } catch (error) {
    throw unavailable(
      `the change is made, but ${file} cannot be written (${reasonOf(error)}): revoke the new hub token and make another`,
    )
  }
}
