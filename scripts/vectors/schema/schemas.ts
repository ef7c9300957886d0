/** The schema of each file in `vectors/`, by the name of the file. */

import { applyFile } from './apply-schema.ts'
import { clientScript } from './client-schema.ts'
import { decisions, paths, responses } from './hub-schemas.ts'
import type { Schema } from './parts.ts'
import {
  published,
  requests,
  revocations,
  scopeRules,
  tokens,
  visibility,
} from './verifier-schemas.ts'

export const schemas: Readonly<Record<string, Schema>> = {
  'client.json': clientScript,
  'decisions.json': decisions,
  'paths.json': paths,
  'published.json': published,
  'requests.json': requests,
  'responses.json': responses,
  'revocations.json': revocations,
  'scope-rules.json': scopeRules,
  'tokens.json': tokens,
  'visibility.json': visibility,
  'world.json': applyFile,
}
