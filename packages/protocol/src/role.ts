/** Roles on a namespace or repository: admin includes write, write includes read. */

import type { Scope } from './scope.ts'

export const roles = ['read', 'write', 'admin'] as const

export type Role = (typeof roles)[number]

export function roleCovers(held: Role | undefined, needed: Role | Scope): boolean {
  return held !== undefined && roles.indexOf(held) >= roles.indexOf(needed)
}

export function strongerRole(one: Role | undefined, other: Role | undefined): Role | undefined {
  return other !== undefined && roleCovers(other, one ?? 'read') ? other : one
}
