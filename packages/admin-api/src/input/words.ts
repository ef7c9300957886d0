import {
  accountKinds,
  asHubTokenId,
  branchName,
  expectedStorageName,
  hubTokenKinds,
  hubTokenOrigins,
  idPattern,
  isName,
  isRefPattern,
  parseCommitHash,
  parseCommitOrNone,
  parseRefName,
  parseRepoRef,
  parseStorageName,
  type RefName,
  refKind,
  repoTypes,
  roles,
} from '@latchkey/protocol'
import { z } from 'zod'
import { looksSecret, tokenIsNoName } from './secret-shape.ts'

export const adminScopes = [
  'account',
  'namespace',
  'repository',
  'ref',
  'hub-token',
  'revoke',
  'keys',
  'changes',
  'explain',
  'apply',
] as const

export type AdminScope = (typeof adminScopes)[number]

export const name = checked(
  isName,
  'must be a name: 1 to 96 letters, digits, ".", "_" or "-", with no "." or "-" at either end and no ".git" at the end',
)

export const repoType = z.enum(repoTypes)

export const repository = parsed(
  parseRepoRef,
  'must be a repository such as models/acme/bert: models, datasets or spaces, then namespace and name',
)

export const expectedCommit =
  'must be a full commit hash: 40 or 64 hexadecimal digits, not all of them zero'

export const commitHash = parsed(parseCommitHash, expectedCommit)

export const commitOrNone = parsed(
  parseCommitOrNone,
  'must be a full commit hash of 40 or 64 hexadecimal digits, or as many zeros for none',
)

export const ref = parsed(
  readRef,
  'must be a ref that can exist: a branch such as main, or a full name such as refs/tags/v1.0 or refs/pr/1',
)

/** As git gives it; whether a ref here can be called so is another question. */
export const fullRefName = checked(
  (text) => text.startsWith('refs/') && text.length <= 4096,
  'must be the full name of a ref, such as refs/heads/main',
)

export const movingRef = parsed(
  (text) => only(readRef(text), isMoving),
  'must be a branch such as main, or a full name such as refs/pr/1; a tag holds no separate content',
)

export const branch = parsed(
  (text) => only(readRef(text), (ref) => refKind(ref) === 'branch'),
  'must be a branch that can exist, such as main',
)

export const refPattern = checked(
  isRefPattern,
  'must be a ref pattern such as main, release/* or refs/pr/**, with at most four wildcards',
)

/** A query has it as a word. */
const switched = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean().default(false),
)

export const loseContent = switched.describe(
  'Delete refs of a forge repository even if other refs or recorded commits need their content, which is then lost.',
)

export const storageName = parsed(parseStorageName, `must be ${expectedStorageName}`)

const sizeUnits = { '': 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15 } as const

/** In bytes; `none` is no quota. */
export const quota = parsed(
  parseQuota,
  'must be a number of bytes such as 500GB, 1.5TB or 1048576 (units: kB, MB, GB, TB, PB), or none',
)

/** An object, because a quota of undefined is none that was given. */
function parseQuota(text: string): { readonly bytes: number | null } | undefined {
  if (text === 'none') return { bytes: null }
  const [, number = '', unit = ''] =
    /^(\d{1,16}(?:\.\d{1,3}(?=[kMGTP]))?)([kMGTP]B)?$/.exec(text) ?? []
  const bytes = Math.round(Number(number) * sizeUnits[unit as keyof typeof sizeUnits])
  return number !== '' && bytes >= 1 && Number.isSafeInteger(bytes) ? { bytes } : undefined
}

export const role = z.enum(roles)
/** The role of a team in its namespace. */
export const teamRole = z.enum(['none', ...roles])

/** A value of a groups claim, as the hub reads it at a sign-in. */
export const providerGroup = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[^\p{Cc}]{1,256}$/u,
    'must be 1 to 256 characters without control characters, and not . or ..',
  )
export const maxTeamGroups = 100

export const accountKind = z.enum(accountKinds)
export const hubTokenKind = z.enum(hubTokenKinds)
export const hubTokenOrigin = z.enum(hubTokenOrigins)
export const adminScopeList = z.array(z.enum(adminScopes)).min(1).max(adminScopes.length)
export const managedNamespaces = z.array(name).min(1).max(64)
export const visibility = z.enum(['public', 'private'])
export const writeRole = z.enum(['write', 'admin'])
export const allowForce = z
  .boolean()
  .optional()
  .describe('Whether a push may leave the history of a branch, and move or delete a tag.')
export const refRule = z.strictObject({ pattern: refPattern, write: writeRole, allowForce })
export const maxRefRules = 64
export const moment = z.string()

/** An id and nothing like a token itself: a token given by mistake is not echoed. */
export const hubTokenId = z
  .string()
  .regex(idPattern, 'must be the id of a hub token, as the list shows it; not the token')
  .transform(asHubTokenId)

/** A bare name is a branch. */
export function readRef(text: string): RefName | undefined {
  return text.startsWith('refs/') ? parseRefName(text) : branchName(text)
}

/** Branches and other refs hold commits; a tag only names one. */
export function isMoving(ref: RefName): boolean {
  return refKind(ref) !== 'tag'
}

/** The only bridge from text to a parsed word. */
export function parsed<Word>(parse: (text: string) => Word | undefined, expected: string) {
  return z.string().transform((text, context): Word => {
    const isSecret = looksSecret(text)
    const word = isSecret ? undefined : parse(text)
    if (word !== undefined) return word
    context.addIssue({ code: 'custom', message: isSecret ? tokenIsNoName : expected })
    return z.NEVER
  })
}

/** The same for words that stay text. */
export function checked(holds: (text: string) => boolean, expected: string) {
  return z
    .string()
    .refine((text) => !looksSecret(text), { message: tokenIsNoName, abort: true })
    .refine(holds, expected)
}

function only(ref: RefName | undefined, holds: (ref: RefName) => boolean): RefName | undefined {
  return ref !== undefined && holds(ref) ? ref : undefined
}

const defaultPageLength = 100
export const maxPageLength = 1000

/** The members that every list takes. */
export const paging = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(maxPageLength)
    .default(defaultPageLength)
    .describe(`The maximum number of entries, up to ${maxPageLength}.`),
  after: z
    .string()
    .max(512)
    .refine((text) => !looksSecret(text), { message: tokenIsNoName })
    .optional()
    .describe('Continue after this entry: the "next" of the page before.'),
}

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item).describe('The entries of this page, in order.'),
    total: z.number().int().describe('How many entries there are on all pages.'),
    next: z.string().optional().describe('Pass it as "after" to read the next page.'),
  })
}
