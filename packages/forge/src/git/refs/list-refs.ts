import { type CommitHash, parseRefName, type RefName } from '@latchkey/protocol'
import { type ObjectHash, readHash } from '../objects/object-hash.ts'
import type { CallOptions, GitCommands } from '../process/git-commands.ts'
import { recordFolder, refArgument, shownFolders } from './ref-names.ts'

export interface RefTarget {
  readonly object: ObjectHash
  /** The target of a tag object; the same hash for every other object. */
  readonly peeled: ObjectHash
}

type Signal = Pick<CallOptions, 'signal'>

/** By default those that clients see. */
export async function listTargets(
  commands: GitCommands,
  { only, signal }: Signal & { readonly only?: readonly RefName[] } = {},
): Promise<ReadonlyMap<RefName, RefTarget>> {
  return list(commands, only?.map(refArgument) ?? shownFolders, { signal })
}

/** The same, with what each ref itself points to: a tag may point to a tag object. */
export async function listRefs(
  commands: GitCommands,
  options: Signal & { readonly only?: readonly RefName[] } = {},
): Promise<ReadonlyMap<RefName, ObjectHash>> {
  const targets = await listTargets(commands, options)
  return new Map(Array.from(targets, ([name, { object }]) => [name, object]))
}

/** By the number of the pull request. */
export async function listRecords(commands: GitCommands): Promise<ReadonlyMap<number, CommitHash>> {
  const targets = await list(commands, [recordFolder])
  return new Map(
    Array.from(targets, ([name, { object }]) => [
      Number(name.slice(recordFolder.length)),
      object as string as CommitHash,
    ]),
  )
}

async function list(
  commands: GitCommands,
  patterns: readonly string[],
  options: Signal = {},
): Promise<ReadonlyMap<RefName, RefTarget>> {
  const format = '%(objectname) %(*objectname) %(refname)'
  const args = ['for-each-ref', `--format=${format}`, '--', ...patterns]
  const output = (await commands.run(args, '', options)).toString('utf8')
  const refs = new Map<RefName, RefTarget>()
  for (const line of output.split('\n')) {
    const [object = '', peeled = '', text = ''] = line.split(' ')
    // A name that the protocol does not know cannot be asked for.
    const name = parseRefName(text)
    if (name === undefined) continue
    const own = readHash(object)
    refs.set(name, { object: own, peeled: peeled === '' ? own : readHash(peeled) })
  }
  return refs
}
