import type { Person } from '../git/index.ts'

/** Accounts have no addresses; this one leads nowhere. */
export function authorOf(account: string, publicUrl: string): Person {
  return { name: account, email: `${account}@users.noreply.${new URL(publicUrl).hostname}` }
}
