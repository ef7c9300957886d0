/** A store in PostgreSQL as a hub opens it, and what a test asks of it. */

import { parseRevision, Secret } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { applied, type RunVerb, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { onTestFinished } from 'vitest'
import { accessOf } from '../../../src/access/find-access.ts'
import type { AccessFacts, AccessQuestion } from '../../../src/access/look-up.ts'
import { hashHubToken } from '../../../src/identity/hub-token.ts'
import {
  openPostgresStore,
  type PostgresStoreOptions,
} from '../../../src/stores/postgres/open-store.ts'
import { defaultStaleness, type Store } from '../../../src/stores/store.ts'
import { repo } from '../../access/fake-store.ts'
import type { WhenOver } from '../test-store.ts'

/** The repository of `openFile`. */
export const open = 'models/acme/open'

export const openFile = {
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    { type: 'model', id: 'acme/open', visibility: 'public', branches: { main: '1'.repeat(40) } },
  ],
}

export interface OpenHub extends Store {
  readonly done: RunVerb
  /** What it told the log. */
  readonly events: readonly string[]
  /** As a token request for the branch main would. */
  findAccess(path: string, more?: Partial<AccessQuestion>): Promise<AccessFacts>
}

export function settingsOf(url: string) {
  return readPostgresSettings(url, { environment: {}, home: '/nonexistent' })
}

/** Closed when the test is over. */
export async function openHub(
  url: string,
  options: Partial<PostgresStoreOptions> = {},
  whenOver: WhenOver = onTestFinished,
): Promise<OpenHub> {
  const events: string[] = []
  const store = await openPostgresStore(settingsOf(url), {
    create: true,
    hub: 'a hub',
    // Longer than a loaded machine stands still; tests of the bound have their own.
    staleness: { ...defaultStaleness, maxMs: 60_000 },
    tell: (event) => void events.push(event),
    ...options,
  })
  whenOver(() => store.close())
  const { findAccess } = accessOf(store.access)
  const asked = { now: systemClock(), hubTokenHash: undefined, revision: parseRevision('main') }
  return {
    ...store,
    done: verbRunner(store, systemClock),
    events,
    findAccess: async (path, more) => findAccess({ ...asked, repo: repo(path), ...more }),
  }
}

/** The hashes of the hub tokens of a directory file, by `account/name`. */
export async function applyFile(
  { done }: OpenHub,
  file: object,
): Promise<Readonly<Record<string, string>>> {
  const tokens = Object.entries(await applied<string>(done, file))
  return Object.fromEntries(
    tokens.map(([name, token]) => [name, hashHubToken(new Secret('hub-token', token))]),
  )
}

/** The repository's visibility as the caller sees it; or why there is no answer. */
export async function seen(asking: Promise<AccessFacts>): Promise<string> {
  try {
    return (await asking).repository?.visibility ?? 'absent'
  } catch (error) {
    return (error as Error).name
  }
}
