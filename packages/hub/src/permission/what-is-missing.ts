import { roleCovers, type Scope, scopeCovers, shortRefName } from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import type { RefFacts, RepositoryFacts } from './access-facts.ts'
import { type CarriedGrant, everHolding, reachesRef, roleHere, roleNeeded } from './reach.ts'

export interface Step {
  readonly step: string
  readonly passed: boolean
  readonly detail: string
}

/** Details are made only when somebody listens. */
export type Tell = (step: string, passed: boolean, detail: () => string) => void

export const silent: Tell = () => {}

export interface JudgedRequest {
  readonly caller: Caller
  readonly repository: RepositoryFacts
  /** The grants of the hub token for this repository. */
  readonly carried: readonly CarriedGrant[]
  readonly scope: Scope
  readonly ref: RefFacts | undefined
  /** The full ref name, or the hash. A ref that does not exist is judged by its name. */
  readonly name: string
  /** The revision in the caller's own words: another name for it would tell that it exists. */
  readonly text: string
  /** Whether the caller's own words can mean nothing but a branch. */
  readonly isBranch: boolean
  /** Whether the caller writes a pull request of its own. */
  readonly asProposer: boolean
}

/** Whether the caller can read anything of the repository. A caller who cannot is told nothing about it. */
export function maySeeRepository(
  { caller, repository, carried }: JudgedRequest,
  tell: Tell,
): boolean {
  const role = roleHere(repository)
  tell('account', role !== undefined, () =>
    role === undefined
      ? `${caller.accountName} has no role here and the repository is private`
      : `${caller.accountName} has the role ${role}; the repository is ${repository.visibility}`,
  )
  if (role === undefined) return false
  tell('hub token', carried.length > 0, () =>
    carried.length > 0
      ? `a ${caller.kind} hub token reaches this repository`
      : `this ${caller.kind} hub token does not reach this repository`,
  )
  return carried.length > 0
}

/** Writing a tag or commit needs the role for every ref that holds or held it: no way past a ref rule. */
export function missingRole(
  { repository, scope, ref, name, text, asProposer }: JudgedRequest,
  tell: Tell,
): string | undefined {
  const ownRole = roleHere(repository)
  const neededFor = (name: string) => roleNeeded(repository, scope, { name, asProposer })
  const suffices = (refName: string) => roleCovers(ownRole, neededFor(refName))
  const holding = scope === 'write' && ref !== undefined ? everHolding(ref) : []
  const blocking = suffices(name) ? holding.find((holder) => !suffices(holder)) : name
  const judged = blocking ?? name
  const needed = neededFor(judged)
  const refText = judged === name ? text : `${shortRefName(judged)}, which holds or held it`
  tell(
    'role',
    blocking === undefined,
    () => `${scope} needs the role ${needed} for ${refText}; the account has ${ownRole}`,
  )
  return blocking === undefined ? undefined : `the role ${needed} for ${refText}`
}

export function missingGrant(request: JudgedRequest, tell: Tell): string | undefined {
  const missing = missingContents(request) ?? missingRef(request)
  tell('grant', missing === undefined, () =>
    missing === undefined
      ? `the hub token carries ${request.scope} on ${request.text}`
      : `this needs ${missing}`,
  )
  return missing
}

function missingContents({ caller, carried, scope }: JudgedRequest): string | undefined {
  if (carried.some(({ contents }) => scopeCovers(contents, scope))) return undefined
  return caller.kind === 'fine-grained'
    ? `a grant with contents: ${scope} on this repository`
    : `a hub token of kind ${scope} (this one is of kind ${caller.kind})`
}

function missingRef({
  carried,
  scope,
  ref,
  name,
  text,
  isBranch,
}: JudgedRequest): string | undefined {
  const reached = reachesRef(carried, scope, ref ?? { name, holders: [], pastHolders: [] })
  if (reached) return undefined
  const grant = `a grant whose refs include ${text}`
  if (isBranch) return grant
  // The same words whether the revision exists or not, and whatever it is.
  const holding =
    scope === 'write' ? 'every branch that holds or held it' : 'a branch that holds it'
  return `${grant} (for a tag or commit: ${holding})`
}
