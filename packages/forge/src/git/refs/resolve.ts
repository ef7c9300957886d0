import type { CommitHash, RefName, Revision } from '@latchkey/protocol'
import type { GitTools } from '../objects/git-tools.ts'
import { parseObjectHash } from '../objects/object-hash.ts'
import type { CallOptions } from '../process/git-commands.ts'
import { listRefs } from './list-refs.ts'
import { isShownRef } from './ref-names.ts'

export interface ResolvedObject {
  readonly commit: CommitHash
  /** Undefined where the revision is a hash. */
  readonly ref: RefName | undefined
}

/**
 * No part of a client's text reaches git's own reading of revisions: it would take
 * `refs/heads/x-g1234567` for a hash. A commit is found by its hash whether or not a ref leads to
 * it; the hub's database decides who may see it.
 */
export async function resolve(
  { commands, objects }: GitTools,
  revision: Revision,
  options: Pick<CallOptions, 'signal'> = {},
): Promise<ResolvedObject | undefined> {
  if (revision.kind === 'commit') {
    const hash = parseObjectHash(revision.hash)
    const [info] = hash === undefined ? [] : await objects.infoOf([hash])
    return info?.kind === 'commit' ? { commit: revision.hash, ref: undefined } : undefined
  }
  const names = namesOf(revision).filter(isShownRef)
  if (names.length === 0) return undefined
  const refs = await listRefs(commands, { only: names, ...options })
  const ref = names.find((name) => refs.has(name))
  const target = ref && refs.get(ref)
  const commit = target && (await objects.commitBehind(target))
  return commit && { commit, ref }
}

/** In the order in which they count. */
function namesOf(revision: Exclude<Revision, { readonly kind: 'commit' }>): readonly RefName[] {
  switch (revision.kind) {
    case 'ref':
      return [revision.name]
    case 'bare':
      return [revision.tag, revision.branch]
    case 'impossible':
      return []
  }
}
