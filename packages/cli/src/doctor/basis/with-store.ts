/** The tables of the hub for a check, where this program can read them. */

import { existsSync } from 'node:fs'
import { type InspectedStore, inspectStore } from '@latchkey/hub/management'
import { CannotStart } from '@latchkey/service/cannot-start'
import { type Finding, skipped } from './finding.ts'
import type { Installation } from './installation.ts'

/** What is wrong with the database itself is said by its own check, once. */
export async function withStore(
  { file }: Installation,
  look: (store: InspectedStore) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const store = readable(file)
  if (store === undefined) return [skipped('not looked at, because the database cannot be read')]
  try {
    if (store.version !== store.newestVersion) {
      return [skipped('not looked at, because the database has another version')]
    }
    return await look(store)
  } finally {
    store.close()
  }
}

function readable(file: string): InspectedStore | undefined {
  if (!existsSync(file)) return undefined
  try {
    return inspectStore(file)
  } catch (error) {
    if (error instanceof CannotStart) return undefined
    throw error
  }
}
