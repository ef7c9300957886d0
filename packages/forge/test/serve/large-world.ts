/** A forge with a storage behind it, and large files committed through both. */

import { type FakeStorage, type Stored, startFakeStorage } from './fake-storage.ts'
import { type Answer, type ForgeWorld, startForge } from './forge-world.ts'

export interface LargeWorld extends ForgeWorld {
  readonly storage: FakeStorage
  /** Where the tokens of this revision lead. */
  casUrl(name: string, revision?: string): Promise<string>
  /** Uploads the bytes through a branch and commits them there. */
  commitLarge(
    name: string,
    path: string,
    bytes: Buffer,
    branch?: string,
  ): Promise<Stored & { readonly made: Answer }>
}

export async function startLargeForge(
  change: Parameters<typeof startForge>[0] = {},
  more: Parameters<typeof startForge>[1] = {},
): Promise<LargeWorld> {
  const storage = await startFakeStorage()
  const world = await startForge({ casUrl: storage.url, ...change }, more)
  const casUrl: LargeWorld['casUrl'] = async (name, revision = 'main') => {
    const address = `/api/models/acme/${name}/storage-read-token/${encodeURIComponent(revision)}`
    return (await world.ask(address, { as: 'owner' })).json.casUrl
  }
  return {
    ...world,
    storage,
    casUrl,
    async commitLarge(name, path, bytes, branch = 'main') {
      const stored = storage.put(await casUrl(name, branch), bytes)
      const value = { path, algo: 'sha256', oid: stored.sha256, size: bytes.length }
      const body = [
        { key: 'header', value: { summary: `adds ${path}` } },
        { key: 'lfsFile', value },
      ]
      const address = `/api/models/acme/${name}/commit/${branch}`
      const made = await world.ask(address, { as: 'writer', body })
      if (made.status !== 200) throw new Error(made.text)
      // A commit has a place of its own, which sees what its branch has.
      storage.put(await casUrl(name, made.json.commitOid), bytes)
      return { ...stored, made }
    },
    async stopped() {
      await world.stopped()
      await storage.close()
    },
  }
}
