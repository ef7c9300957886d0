/** A stage whose storage learns from its hub what was taken back, and accounts that may write to the same repositories. */

import { Secret } from '@latchkey/protocol'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import type { Caller } from '../caller.ts'
import { openStage, type Stage, type StageOptions } from '../stage.ts'
import { type DirectoryRevocations, directoryRevocations } from './directory-revocations.ts'
import type { Run, Taken, Taking } from './takings.ts'

export interface RevokedStage extends Stage {
  readonly news: DirectoryRevocations
  /** A new repository with a branch and a tag, and a hub token of `writer` for this test alone. */
  newTaken(): Promise<Taken>
  /** A token of `writer` that will be taken back. */
  victim(taken: Taken, revision: string): Promise<Caller>
  /** A token of another account for the same. */
  other(taken: Taken, revision: string): Promise<Caller>
  /** Takes back at the hub, and comes back when the storage has followed. */
  take(taking: Taking, taken: Taken): Promise<unknown>
  /** Takes back at the hub; the storage knows nothing of it yet. */
  takeQuietly(taking: Taking, taken: Taken): Promise<unknown>
}

export async function openRevokedStage(options: StageOptions = {}): Promise<RevokedStage> {
  let news: DirectoryRevocations | undefined
  const stage = await openStage({
    ...options,
    revocations(world) {
      news = directoryRevocations(world)
      return news
    },
  })
  if (news === undefined) throw new Error('the storage has no revocations')
  const { world } = stage
  await world.done('member set', { namespace: 'acme', account: 'rival', role: 'write' })
  const quiet: Run = { store: world.store, done: verbRunner(world.store, world.now) }
  let count = 0
  return {
    ...stage,
    news,
    async newTaken() {
      const repository = await stage.newRepository()
      await world.done('ref set', { repository, ref: 'refs/tags/v1', commit: commit('a') })
      count += 1
      const name = `taken${count}`
      const made = await world.done('hub-token create', { account: 'writer', name, kind: 'write' })
      Object.assign(world.tokens, {
        [`writer/${name}`]: new Secret('hub-token', String(made['token'])),
      })
      return { repository, hubToken: String(made['id']), holder: `writer/${name}` }
    },
    victim: ({ repository, holder }, revision) =>
      stage.caller(`write ${repository}@${revision}`, holder),
    other: ({ repository }, revision) =>
      stage.caller(`write ${repository}@${revision}`, 'rival/write'),
    async take(taking, taken) {
      await taking.take(quiet, taken)
      // Any followed verb brings the storage up to date.
      await world.done('account set', { account: 'third', disabled: false })
    },
    takeQuietly: (taking, taken) => taking.take(quiet, taken),
  }
}
