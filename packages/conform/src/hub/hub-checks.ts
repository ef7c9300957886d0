import type { Check } from '../check.ts'
import { documentChecks } from './document-checks.ts'
import type { HubTarget } from './hub-target.ts'
import { huggingfaceChecks } from './huggingface-checks.ts'
import { pathChecks } from './path-checks.ts'
import { permissionChecks } from './permission-checks.ts'
import { responseChecks } from './response-checks.ts'
import { tokenChecks } from './token-checks.ts'

/** The last ones change the hub. */
export const hubChecks: readonly Check<HubTarget>[] = [
  ...pathChecks,
  ...permissionChecks,
  ...responseChecks,
  ...huggingfaceChecks,
  ...tokenChecks,
  ...documentChecks,
]
