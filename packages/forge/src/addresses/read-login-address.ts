/** The addresses of the login of the pages. */

import { pathOf, type Refusal } from '@latchkey/protocol'
import { type ByMethod, byMethod } from './by-method.ts'

export interface LoginAddress {
  readonly form: 'show-login' | 'log-in' | 'log-out'
}

// biome-ignore format: a table is read by its columns
export const loginRows: Readonly<Record<string, ByMethod<LoginAddress>>> = {
  '/login':  { GET: { form: 'show-login' }, POST: { form: 'log-in' } },
  '/logout': { POST: { form: 'log-out' } },
}

export function readLoginAddress(
  method: string,
  target: string,
): LoginAddress | Refusal | undefined {
  const path = pathOf(target)
  return Object.hasOwn(loginRows, path) ? byMethod(method, loginRows[path] ?? {}) : undefined
}
