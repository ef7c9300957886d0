/** The repository that a body names, as `repos/create` and `repos/delete` take it. */

import {
  type Refusal,
  type RepoRef,
  type RepoType,
  refuse,
  repoRef,
  repoTypes,
} from '@latchkey/protocol'
import { isAbsent, type Members } from '../words/members.ts'

/** Without a namespace it is the caller's own. */
export function namedInBody(members: Members, own: string): RepoRef | Refusal {
  const { name: given, organization, type: word } = members
  const type = isAbsent(word) ? 'model' : repoTypes.find((one) => one === word)
  if (type === undefined) return wrong('type must be "model", "dataset" or "space".')
  if (typeof given !== 'string') return wrong('name must be a text.')
  if (!isAbsent(organization) && typeof organization !== 'string') {
    return wrong('organization must be a text.')
  }
  return named(type, given, organization ?? undefined, own)
}

function named(
  type: RepoType,
  given: string,
  organization: string | undefined,
  own: string,
): RepoRef | Refusal {
  const [namespace, name] = given.includes('/')
    ? [given.slice(0, given.indexOf('/')), given.slice(given.indexOf('/') + 1)]
    : [organization ?? own, given]
  const repo = repoRef(type, namespace, name)
  const letters = 'letters, digits, ".", "_" and "-", and neither begin nor end with "." or "-"'
  return repo ?? wrong(`Namespace and name must have 1 to 96 ${letters}.`)
}

function wrong(detail: string): Refusal {
  return refuse('bad_request', detail)
}
