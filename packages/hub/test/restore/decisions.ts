/** Every token request that few names allow, and whether it would be granted. */

import { systemClock } from '@latchkey/service/machine/time'
import { dump } from '@latchkey/testing/hub/dump'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import type { Store } from '../../src/stores/store.ts'

export interface Question {
  readonly account: string
  /** Left out: with any hub token that the account could have. */
  readonly hubToken?: string
  readonly repository: string
  readonly revision: string
  readonly scope: string
}

const repositories = ['models/acme/bert', 'datasets/beta/set']
const revisions = [
  ...['main', 'dev', 'release/1', 'refs/pr/1', 'refs/tags/v1', 'refs/tags/main'],
  ...['1', '2', '3'].map(commit),
]

export function questionsOn(file: string): readonly Question[] {
  const { accounts = [], hub_tokens: tokens = [] } = dump(file)
  const names = new Map(accounts.map(({ id, name }) => [id, String(name)]))
  const callers = [
    ...accounts.map(({ name }) => ({ account: String(name) })),
    ...tokens.map(({ id, account_id }) => ({
      account: names.get(account_id) ?? '',
      hubToken: String(id),
    })),
  ]
  return callers.flatMap((caller) =>
    repositories.flatMap((repository) =>
      revisions.flatMap((revision) =>
        ['read', 'write'].map((scope) => ({ ...caller, repository, revision, scope })),
      ),
    ),
  )
}

/** Those that would be granted. */
export async function granted(
  store: Store,
  questions: readonly Question[],
): Promise<readonly Question[]> {
  const run = verbRunner(store, systemClock)
  const yes: Question[] = []
  for (const question of questions) {
    // An account or a hub token that is not there is refused before anything is explained.
    const answer = await run('explain', question).catch(() => undefined)
    if (answer?.['allowed'] === true) yes.push(question)
  }
  return yes
}
