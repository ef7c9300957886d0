/** The refs of a repository and what they point to. */

import { parseRefName, type RefName } from '@latchkey/protocol'
import { type ObjectHash, readHash } from '../objects/object-hash.ts'
import type { CallOptions, GitCommands } from '../process/git-commands.ts'
import { refArgument, shownFolders } from './ref-names.ts'

/** By default those that clients see. A tag may point to a tag object. */
export async function listRefs(
  commands: GitCommands,
  { only, signal }: Pick<CallOptions, 'signal'> & { readonly only?: readonly RefName[] } = {},
): Promise<ReadonlyMap<RefName, ObjectHash>> {
  const patterns = only?.map(refArgument) ?? shownFolders
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', '--', ...patterns]
  const said = (await commands.run(args, '', { signal })).toString('utf8')
  const refs = new Map<RefName, ObjectHash>()
  for (const line of said.split('\n')) {
    // A name that the protocol does not know cannot be asked for.
    const name = parseRefName(line.slice(41))
    if (name !== undefined) refs.set(name, readHash(line.slice(0, 40)))
  }
  return refs
}
