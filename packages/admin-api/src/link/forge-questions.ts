/** The questions of a forge to its hub as they come over the link: schemas that parse each part once. */

import {
  type AnyId,
  asRefUid,
  asRepositoryUid,
  idPattern,
  parseCommitHash,
  parseCommitOrNone,
  parseRefName,
  parseRepoRef,
  parseRevision,
  refUidPattern,
  repoTypes,
} from '@latchkey/protocol'
import { z } from 'zod'
import { expectedCommit, parsed } from '../input/words.ts'
import { maxLinkUids } from './questions.ts'

/** As long as a request to the forge may be: a revision that no ref can have is judged by its text. */
const maxText = 96 * 1024
/** Longer than any hub token. */
export const maxCredential = 8 * 1024
export const maxShortText = 4096
/** Dependents of one ref. */
const maxDependents = 400_000

const repo = parsed(parseRepoRef, 'must be a repository such as models/acme/bert')
const refName = parsed(parseRefName, 'must be the full name of a ref')
const hash = parsed(parseCommitHash, expectedCommit)
const hashOrNone = parsed(parseCommitOrNone, expectedCommit)
const repositoryUid = parsed(
  (text) => (idPattern.test(text) ? asRepositoryUid(text) : undefined),
  'must be the uid of a repository',
)
const refUid = parsed(
  (text) => (refUidPattern.test(text) ? asRefUid(text) : undefined),
  'must be the uid of a ref',
)
const revision = z.string().max(maxText).transform(parseRevision)
const id = z.string().regex(idPattern, 'must be 26 letters and digits')
const short = z.string().max(maxShortText)
const visibility = z.enum(['public', 'private'])

const nothing = z.strictObject({})
const target = z.strictObject({
  repo: repo.optional(),
  revision: revision.optional(),
  scope: z.enum(['read', 'write']),
})
const ref = z.strictObject({ repo, ref: refName, asProposer: z.boolean().optional() })
const uids = z.strictObject({ uids: z.array(repositoryUid).max(maxLinkUids) })

/** The caller of a request to the forge: its own credential goes with every question. */
export const forgeCaller = z.strictObject({
  authorization: z
    .array(z.string().max(maxCredential))
    .max(4)
    .describe('The Authorization headers of the request, each as a bearer.'),
  ticket: short
    .optional()
    .describe('Stands for the session of a browser; it answers questions about content alone.'),
  address: z
    .string()
    .regex(/^[\w.:%-]{1,64}$/, 'must be an address')
    .describe('The address of the client.'),
  requestId: z.string().transform((text, context): AnyId => {
    if (idPattern.test(text)) return text as AnyId
    context.addIssue({ code: 'custom', message: 'must be the id of a request' })
    return z.NEVER
  }),
  isCounted: z
    .boolean()
    .describe('Whether an earlier question of this request was counted for its hub token.'),
})

/** Asked as the caller of a request. */
export const callerInputs = {
  admit: nothing,
  visitor: nothing,
  whoami: nothing,
  decide: target,
  describe: z.strictObject({ uid: repositoryUid }),
  storageToken: target.extend({ repo, revision, without: refUid.optional() }),
  refs: z.strictObject({ repo: repo.optional() }),
  repositories: z.strictObject({
    type: z.enum(repoTypes),
    ...{ namespace: short.optional(), search: short.optional(), after: short.optional() },
    limit: z.number().int().min(1).max(10_000),
  }),
  newRef: ref,
  dependents: ref,
  mayForce: ref,
  openUpload: target,
  uploadTokens: z.strictObject({ repo }),
} as const

/** The same, with the id of the operation: a response that is lost can be asked for. */
export const changeInputs = {
  createRepository: z.strictObject({ repo, visibility }),
  deleteRepository: z.strictObject({ repo: repo.optional() }),
  moveRef: ref.extend({
    ...{ from: hashOrNone, to: hashOrNone },
    ...{ refUid: refUid.optional(), isNew: z.boolean().optional() },
    isForced: z.boolean().optional(),
  }),
  deleteRef: ref.extend({
    ...{ from: hashOrNone, refUid },
    savedCommits: z
      .array(z.strictObject({ hash, isHeldElsewhere: z.boolean() }))
      .max(maxDependents),
    savedRefs: z.array(z.strictObject({ name: refName, commit: hashOrNone })).max(maxDependents),
    isForced: z.boolean().optional(),
  }),
} as const

/** Asked with the credential of the forge alone. */
export const ownInputs = {
  claim: nothing,
  refsOf: z.strictObject({ uid: repositoryUid, only: refName.optional() }),
  dropReserved: z.strictObject({ uid: repositoryUid, refUid }),
  expireUploads: nothing,
  deletedAmong: uids,
  hold: uids,
  release: z.strictObject({ uid: repositoryUid }),
  outcomeOf: z.strictObject({ operation: id }),
} as const

export type CallerQuestionName = keyof typeof callerInputs
export type ChangeName = keyof typeof changeInputs
export type OwnQuestionName = keyof typeof ownInputs

type InputOf<Inputs, Name extends keyof Inputs> = Inputs[Name] extends z.ZodType
  ? z.output<Inputs[Name]>
  : never

export type CallerInput<Name extends CallerQuestionName> = InputOf<typeof callerInputs, Name>
export type ChangeInput<Name extends ChangeName> = InputOf<typeof changeInputs, Name>
export type OwnInput<Name extends OwnQuestionName> = InputOf<typeof ownInputs, Name>

/** A question has an input, and around it the caller and the id of a change. */
export interface ForgeQuestion {
  readonly input: z.ZodObject
  readonly envelope: z.ZodObject
}

const ownEnvelope = z.strictObject({ input: z.looseObject({}) })
const callerEnvelope = ownEnvelope.extend({ caller: forgeCaller })
const changeEnvelope = callerEnvelope.extend({ operation: id })

/** Every body and every response, for the document of the API. */
export const forgeBody = z.strictObject({
  caller: forgeCaller
    .optional()
    .describe('For a question that is asked as the caller of a request to the forge.'),
  operation: z
    .string()
    .optional()
    .describe('For a change: the id under which "outcomeOf" tells what became of it.'),
  input: z.looseObject({}).describe('The members of the question.'),
})

export const forgeAnswer = z.object({
  payer: z.string().optional().describe('The id of the account that the work is charged to.'),
  result: z.unknown().optional().describe('The response, if it is not refused.'),
  refusal: z
    .looseObject({ code: z.string(), detail: z.string() })
    .optional()
    .describe('The refusal of the caller, with the members of a problem.'),
})

export type ForgeEnvelope = z.output<typeof ownEnvelope> &
  Partial<Pick<z.output<typeof changeEnvelope>, 'caller' | 'operation'>>

export const forgeQuestions: ReadonlyMap<string, ForgeQuestion> = new Map([
  ...withEnvelope(callerInputs, callerEnvelope),
  ...withEnvelope(changeInputs, changeEnvelope),
  ...withEnvelope(ownInputs, ownEnvelope),
])

function withEnvelope(
  inputs: Readonly<Record<string, z.ZodObject>>,
  envelope: z.ZodObject,
): readonly (readonly [string, ForgeQuestion])[] {
  return Object.entries(inputs).map(([name, input]) => [name, { input, envelope }])
}
