/** A hub in memory and a hub over HTTP, changed by the same verbs. */

import { type HubLink, httpHubLink } from '@latchkey/gate/hub-link'
import { asRefUid, asRepositoryUid, type RefUid, type RepositoryUid } from '@latchkey/protocol'
import { memoryLink } from '@latchkey/testing/gate/memory-link'
import { keys } from '@latchkey/testing/gate/storage-tokens'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { onTestFinished } from 'vitest'

export interface FollowedHub {
  readonly link: HubLink
  addRepository(name: string): Promise<RepositoryUid>
  addRef(repository: string, name: string): Promise<RefUid>
  removeRepository(name: string): Promise<void>
  removeRef(repository: string, name: string): Promise<void>
  /** Appends entries that remove nothing. */
  advance(count?: number): Promise<void>
  /** No number of before is in the journal any more. */
  lose(): Promise<void>
}

export async function inMemory(): Promise<FollowedHub> {
  const link = memoryLink({ keys: { known: () => keys, refresh: async () => true } })
  const uidOf = (...names: string[]) => names.join('-')
  return {
    link,
    async addRepository(name) {
      const uid = asRepositoryUid(uidOf(name))
      link.add(uid)
      return uid
    },
    async addRef(repository, name) {
      const uid = asRefUid(uidOf(repository, name))
      link.add(uid, asRepositoryUid(uidOf(repository)))
      return uid
    },
    async removeRepository(name) {
      link.remove(asRepositoryUid(uidOf(name)))
    },
    async removeRef(repository, name) {
      link.remove(asRefUid(uidOf(repository, name)))
    },
    async advance(count = 1) {
      for (let time = 0; time < count; time += 1) link.advance()
    },
    async lose() {
      link.lose()
    },
  }
}

const file = {
  accounts: [{ name: 'cas', kind: 'service' }],
  namespaces: [{ name: 'acme' }],
  hubTokens: [{ account: 'cas', name: 'link', kind: 'storage' }],
}

export async function overHttp(): Promise<FollowedHub> {
  const world = await startWorld(file)
  onTestFinished(() => world.close())
  const { done } = world
  const repositoryOf = (name: string) => `models/acme/${name}`
  let entries = 0
  const advance = async (count = 1) => {
    const accounts = Array.from({ length: count }, (_, index) => ({ name: `a${entries + index}` }))
    entries += count
    await world.apply({ accounts })
  }
  return {
    link: linkTo(world),
    async addRepository(name) {
      const { uid } = await done('repo create', { repository: repositoryOf(name) })
      return asRepositoryUid(String(uid))
    },
    async addRef(name, ref) {
      const made = { repository: repositoryOf(name), ref, commit: commit('a') }
      const { uid } = await done('ref set', made)
      return asRefUid(String(uid))
    },
    async removeRepository(name) {
      await done('repo delete', { repository: repositoryOf(name) })
    },
    async removeRef(name, ref) {
      await done('ref delete', { repository: repositoryOf(name), ref })
    },
    advance,
    async lose() {
      await advance()
      await removeEntries(world)
    },
  }
}

export function linkTo({ hub, tokens, now }: World): HubLink {
  const credential = tokens['cas/link']
  if (credential === undefined) throw new Error('the storage has no credential')
  return httpHubLink({ hubUrl: hub.url, credential, clock: now })
}

/** As retention would. */
async function removeEntries({ store }: World): Promise<void> {
  await store.directory.note('journal retention', async ({ tables }) => {
    const head = tables.selectFrom('journal_head').select('number')
    const { number } = await head.executeTakeFirstOrThrow()
    await tables.deleteFrom('journal').where('number', '<', number).execute()
    await tables.updateTable('journal_head').set({ pruned_through: number }).execute()
  })
}
