/** Trusted publishers: rules by which CI jobs exchange an id token of their platform for a hub token. */

import { z } from 'zod'
import {
  claimConditions,
  idTokenPayload,
  maxPublisherSeconds,
  publisherContents,
  publisherIssuer,
  publisherLabel,
  publisherPreset,
  publisherRefs,
  publisherSeconds,
} from '../input/publishers.ts'
import { moment, name, pageOf, paging, repository } from '../input/words.ts'
import { says } from './says.ts'

const namedRepository = repository.describe('The repository, such as models/acme/bert.')
const namedPublisher = name.describe('The name of the trusted publisher in its repository.')

const publisherOutput = z.object({
  repository: z.string(),
  publisher: z.string(),
  preset: publisherPreset,
  issuer: z.string(),
  claims: z.array(z.string()),
  contents: publisherContents,
  refs: z.array(z.string()).optional(),
  maxSeconds: z.number().int(),
  label: z.string().optional(),
  account: z.string().describe('The service account that the hub made for it.'),
  createdAt: moment,
})

const aboutClaims =
  'A claim and its exact value, such as repository_id=74. A claim that is named twice may have either value.'
const aboutRefs =
  'The refs of the repository that it may use: main, release/* or refs/pr/**. A publisher that writes needs them; one that reads may use every ref without them.'
const refs = publisherRefs.optional().describe(aboutRefs)
const label = publisherLabel
  .optional()
  .describe('A name to show, such as acme/bert. It is never compared.')
const aboutSeconds = `How many seconds a hub token of a job lives, up to ${maxPublisherSeconds}.`

export const createPublisher = says({
  summary: 'Let CI jobs exchange their id tokens for short hub tokens of one repository.',
  input: z.strictObject({
    repository: namedRepository,
    publisher: namedPublisher,
    preset: publisherPreset.describe(
      'github or gitlab require the claims that identify a project there; other requires sub.',
    ),
    contents: publisherContents.describe('Whether the jobs may read or also write the content.'),
    claims: claimConditions.describe(aboutClaims),
    issuer: publisherIssuer
      .optional()
      .describe('The issuer of the id tokens; without it, that of github.com or gitlab.com.'),
    refs,
    maxSeconds: publisherSeconds.default(maxPublisherSeconds).describe(aboutSeconds),
    label,
  }),
  output: publisherOutput,
})

export const listPublishers = says({
  summary: 'List the trusted publishers of a repository.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(publisherOutput),
})

export const showPublisher = says({
  summary: 'Show one trusted publisher.',
  input: z.strictObject({ repository: namedRepository, publisher: namedPublisher }),
  output: publisherOutput,
})

export const setPublisher = says({
  summary: 'Change a trusted publisher; a narrower rule revokes the hub tokens that it gave.',
  input: z.strictObject({
    repository: namedRepository,
    publisher: namedPublisher,
    contents: publisherContents
      .optional()
      .describe('Whether the jobs may read or also write the content.'),
    claims: claimConditions.optional().describe(aboutClaims),
    refs,
    maxSeconds: publisherSeconds.optional().describe(aboutSeconds),
    label,
  }),
  output: publisherOutput,
})

export const deletePublisher = says({
  summary: 'Delete a trusted publisher, its service account and its hub tokens.',
  input: z.strictObject({ repository: namedRepository, publisher: namedPublisher }),
  output: z.object({
    deleted: z.string().describe('The trusted publisher that does not exist any more.'),
  }),
})

export const listRefusedExchanges = says({
  summary: 'List the newest refused exchanges of id tokens that name a project of this repository.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(
    z.object({
      at: moment,
      publisher: z.string(),
      issuer: z.string(),
      reason: z.string().describe('Why the hub refused the exchange.'),
      claims: z.array(z.string()).describe('The claims of the id token that the rule names.'),
    }),
  ),
})

export const explainPublisher = says({
  summary: 'Explain which trusted publisher of a repository admits an id token, or why none does.',
  input: z.strictObject({
    repository: namedRepository,
    payload: idTokenPayload.describe('The claims of the id token as JSON, without its signature.'),
  }),
  output: z.object({
    allowed: z.boolean(),
    detail: z.string(),
    steps: z.array(z.object({ step: z.string(), passed: z.boolean(), detail: z.string() })),
  }),
})
