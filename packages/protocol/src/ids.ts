/** The ids of repositories, refs, accounts and hub tokens: a type for each kind, and every spelling an id can have. */

export type RepositoryUid = string & { readonly brand: 'repository-uid' }

/** A commit has one too, because a storage token names a commit as it names a ref. */
export type RefUid = string & { readonly brand: 'ref-uid' }

export type AccountId = string & { readonly brand: 'account-id' }
export type HubTokenId = string & { readonly brand: 'hub-token-id' }

export type AnyId = RepositoryUid | RefUid | AccountId | HubTokenId

const letters = new TextEncoder().encode('abcdefghijklmnopqrstuvwxyz234567')
const ascii = new TextDecoder()

/** An id is made of this many random bytes, one for each letter. */
export const idLength = 26

/** The form of every id that a hub makes. The special ids below have another form, so none of them is ever made. */
export const idPattern = /^[a-z2-7]{26}$/

/** The form of every uid that a hub makes for a ref. */
export const refUidPattern = /^(?:[a-z2-7]{26}\.)?[a-z2-7]{26}$/

/** Five bits of each byte, so 130 random bits: safe in paths, arguments and file names. */
export function idFromBytes<Id extends AnyId>(bytes: Uint8Array): Id {
  if (bytes.length <= idLength) return String.fromCharCode(...Array.from(bytes, letterAt)) as Id
  // Decoded at once: a hub makes many ids in a row, and to add letter by letter takes ten times as long.
  const id = new Uint8Array(bytes.length)
  for (let at = 0; at < id.length; at += 1) id[at] = letterAt(bytes[at] ?? 0)
  return ascii.decode(id) as Id
}

function letterAt(byte: number): number {
  return letters[byte & 31] ?? 0
}

/** A claim may hold any id but the empty one: another hub may make ids of another form. */
export function isId(value: unknown): value is AnyId {
  return typeof value === 'string' && value !== ''
}

export function parseHubTokenId(text: string): HubTokenId | undefined {
  return idPattern.test(text) ? (text as HubTokenId) : undefined
}

/** Text that nobody has parsed yet, so no id of another kind. */
type Text = string & { readonly brand?: never }

/**
 * Security boundary: these four take any text from outside as an id, the empty text too, and never give undefined. A
 * gate compares the id with the one in the token, and it compares nothing where a place has no id.
 */
export const asRepositoryUid = (text: Text) => text as RepositoryUid
export const asRefUid = (text: Text) => text as RefUid
export const asAccountId = (text: Text) => text as AccountId
export const asHubTokenId = (text: Text) => text as HubTokenId

/** The empty id belongs to nothing and sorts before every other id. */
export const noRepositoryUid = '' as RepositoryUid
export const noAccountId = '' as AccountId
export const noHubTokenId = '' as HubTokenId

/** In the tokens of every caller without a hub token. */
export const anonymousAccountId = 'anonymous' as AccountId
export const anonymousHubTokenId = 'anonymous' as HubTokenId

/** The id that the hub logs for the storage that it starts itself. */
export const embeddedHubTokenId = 'embedded' as HubTokenId

/** For a question about an account that names no hub token. */
export const supposedHubTokenId = 'supposed' as HubTokenId

/**
 * Security boundary: the ref uid of a token that must not open what was written under its tag or commit. No ref and no
 * commit has this uid, because ids have no dot. Only tokens to read carry it, and the storage takes no write for it.
 */
export function unwrittenUid(uid: RefUid): RefUid {
  return `${uid}${unwrittenEnding}` as RefUid
}

export function isUnwritten(uid: RefUid): boolean {
  return uid.endsWith(unwrittenEnding)
}

/** The ref or commit behind such a uid; every other uid as it is. */
export function writtenUid(uid: RefUid): RefUid {
  return isUnwritten(uid) ? (uid.slice(0, -unwrittenEnding.length) as RefUid) : uid
}

const unwrittenEnding = '.part'

/**
 * The uid of a ref that is filled by an account without the role `write`. Those of one repository sort beside each other, so
 * that a storage counts together what they hold. No other id has this form, because ids have no dot.
 */
export function proposalUid(repositoryUid: RepositoryUid, uid: RefUid): RefUid {
  return `${repositoryUid}.${uid}` as RefUid
}

export function isProposalUid(repositoryUid: RepositoryUid, uid: RefUid): boolean {
  return uid.startsWith(`${repositoryUid}.`)
}

/** All such uids of a repository are between these two. A slash sorts next after a dot. */
export function proposalUidRange(repositoryUid: RepositoryUid): readonly [RefUid, RefUid] {
  return [`${repositoryUid}.` as RefUid, `${repositoryUid}/` as RefUid]
}

/**
 * Security boundary: an absent repository is looked up for this id, so that it takes as long as a hidden one. No account
 * has the id, because ids have no dash. It sorts beside the account's own id, so both take the same steps in an index.
 */
export function idOfNoAccount(accountId: AccountId): AccountId {
  return `${accountId.slice(0, -1)}-` as AccountId
}

/** The value for `{ref}` in the storage's URL: each URL version of the ref has another one. */
export function refSegment(refUid: RefUid, epoch: number): string {
  return epoch === 0 ? refUid : `${refUid}-${epoch}`
}

/** The uid in such a segment, of whatever epoch: URLs of earlier epochs go on working. It can be empty, as in `-1`. */
export function refUidIn(segment: string): RefUid {
  // Most have no epoch, and the pattern would be tried at every letter.
  if (!segment.includes('-')) return segment as RefUid
  return segment.replace(/-[1-9]\d{0,14}$/, '') as RefUid
}

export const accountKinds = ['user', 'service'] as const
export type AccountKind = (typeof accountKinds)[number]

export const hubTokenKinds = ['read', 'write', 'fine-grained', 'admin', 'storage', 'forge'] as const
export type HubTokenKind = (typeof hubTokenKinds)[number]

/** How a hub token came to be: by an administrator, its own account, a sign-in, a device login, or for a CI job. */
export const hubTokenOrigins = ['admin', 'self', 'session', 'device', 'ci'] as const
export type HubTokenOrigin = (typeof hubTokenOrigins)[number]

/** One line of a fine-grained hub token. */
export interface HubTokenGrant {
  /** `models/acme/bert`, `acme/*` or `*`. */
  readonly on: string
  /** Write includes read. */
  readonly contents: 'read' | 'write'
  /** Ref patterns; without them, every ref. */
  readonly refs?: readonly string[]
}
