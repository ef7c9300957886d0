/** Why the hub would allow or deny a token request, step by step. */

import { scopes } from '@latchkey/protocol'
import { z } from 'zod'
import { idTokenPayload } from '../input/publishers.ts'
import { checked, hubTokenId, name, repository } from '../input/words.ts'
import { says } from './says.ts'

const explanation = z.object({
  allowed: z.boolean(),
  code: z.string().optional().describe('The code of the error.'),
  detail: z.string(),
  steps: z.array(z.object({ step: z.string(), passed: z.boolean(), detail: z.string() })),
})

export const explain = says({
  summary: 'Explain why an account would get a storage token, or why not.',
  input: z.strictObject({
    scope: z.enum(scopes).describe('The scope of the storage token: read or write.'),
    repository: repository.describe('The repository, such as models/acme/bert.'),
    revision: checked((text) => text !== '' && text.length <= 1024, 'must be a revision')
      .optional()
      .describe('A branch, tag, full ref name or full hash; without one, the default branch.'),
    account: name.describe('The account of the request.'),
    hubToken: hubTokenId
      .optional()
      .describe('The id of its hub token; without it, any write token.'),
  }),
  output: explanation,
})

export const explainSignIn = says({
  summary: 'Explain whether a sign-in with an id token of a provider would succeed, and as whom.',
  input: z.strictObject({
    provider: name.describe('The name of the identity provider in the configuration.'),
    payload: idTokenPayload.describe('The claims of the id token as JSON, without its signature.'),
  }),
  output: explanation,
})
