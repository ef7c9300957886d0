/** The addresses that git and git-lfs build from the URL of a repository. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { type LfsOid, parseLfsOid } from '../words/pointer.ts'
import { readQuery } from '../words/query.ts'
import { type ByMethod, byMethod, type Later } from './by-method.ts'
import { type NamedRepo, namedRepo, withoutNamespace } from './named-repo.ts'
import { readRepoPrefix } from './repo-prefix.ts'

export type GitService =
  /** The refs, for a fetch that follows. */
  | 'advertise-refs'
  | 'upload-pack'
  /** Its body says whether it is a download or an upload. */
  | 'lfs-batch'

export type GitAddress = NamedRepo & Service

type Service =
  | { readonly service: GitService }
  /** One large file; its query proves that a batch has named it. */
  | { readonly service: 'lfs-object'; readonly oid: LfsOid }

type Meaning = Service | Later

const push: Later = { later: 'pushing with git' }
const upload: Later = { later: 'uploading large files with git-lfs' }
const locks: Later = { later: 'locking of files' }

// biome-ignore format: a table is read by its columns
export const gitRows: Readonly<Record<string, ByMethod<Meaning>>> = {
  'info/refs':              { GET:  { service: 'advertise-refs' } },
  'git-upload-pack':        { POST: { service: 'upload-pack' } },
  'git-receive-pack':       { POST: push },
  'info/lfs/objects/batch': { POST: { service: 'lfs-batch' } },
  'info/lfs/verify':        { POST: upload },
  'info/lfs/locks':         { GET: locks, POST: locks },
  'info/lfs/locks/verify':  { POST: locks },
}

const object = 'info/lfs/objects/'
/** `info/lfs/locks/{id}/unlock` */
const unlock = /^info\/lfs\/locks\/[^/]+\/unlock$/

/** Undefined when it is no address of git; with or without `.git` behind the name, as git's own users write it. */
export function readGitAddress(
  method: string,
  target: string,
): GitAddress | Later | Refusal | undefined {
  const { type, words } = readRepoPrefix(target) ?? {}
  if (type === undefined || words === undefined) return undefined
  const [namespace = '', name, ...rest] = words
  if (name === undefined) return undefined
  const row = rowOf(rest)
  if (row === undefined) {
    return rowOf(words.slice(1)) === undefined ? undefined : withoutNamespace(namespace)
  }
  const named = namedRepo(type, namespace, name.replace(/\.git$/, ''))
  if (named === undefined) return undefined
  const meaning = byMethod(method, row)
  if (isRefusal(meaning) || 'later' in meaning) return meaning
  return meaning.service === 'advertise-refs'
    ? readAdvertisement(named, target)
    : { ...named, ...meaning }
}

function rowOf(rest: readonly string[]): ByMethod<Meaning> | undefined {
  const words = rest.join('/')
  if (Object.hasOwn(gitRows, words)) return gitRows[words]
  const oid = words.startsWith(object) ? parseLfsOid(words.slice(object.length)) : undefined
  if (oid !== undefined) return { GET: { service: 'lfs-object', oid }, PUT: upload }
  return unlock.test(words) ? { POST: locks } : undefined
}

function readAdvertisement(named: NamedRepo, target: string): GitAddress | Later | Refusal {
  const services = readQuery(target)?.get('service') ?? []
  if (services.length === 1 && services[0] === 'git-upload-pack') {
    return { ...named, service: 'advertise-refs' }
  }
  if (services.length === 1 && services[0] === 'git-receive-pack') return push
  return refuse('bad_request', 'Name one service of git: git-upload-pack or git-receive-pack.')
}
