/** A hub and its storage on a data directory of their own, for commands that care whose objects these are. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyDatabase } from '@latchkey/service/backup'
import { expect } from 'vitest'
import { commit } from '../directory-file.ts'
import { type Held, storageCalls } from '../restore/storage-calls.ts'
import { latchkeyHere } from '../run-here.ts'
import { temporaryDirectory } from '../run-latchkey.ts'
import { type Both, bothHere } from '../serve-here.ts'

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'write' } }],
  repositories: [
    { type: 'model', id: 'acme/bert', visibility: 'private', branches: { main: commit } },
  ],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
})

type Env = Readonly<Record<string, string>>

export interface Site {
  readonly cwd: string
  readonly data: string
  readonly token: string
  run(...args: string[]): ReturnType<typeof latchkeyHere>
  json(...args: string[]): Promise<unknown>
  /** Runs hub and storage meanwhile. */
  serving<Result>(work: (both: Both & { held: Held }) => Promise<Result>): Promise<Result>
}

/** The file of one xorb is in the storage, and one xorb that no file has. */
export async function openSite(env: Env = {}): Promise<Site> {
  const cwd = temporaryDirectory()
  const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input: directory, env })
  const [{ token }] = JSON.parse(stdout).hubTokens
  const site = siteAt(cwd, token, env)
  await site.serving(async ({ storageUrl, held }) => {
    const { put, putXorb } = storageCalls(storageUrl)
    expect(await put(held, 'content')).toBe(200)
    expect(await putXorb(held, 'unused')).toBe(200)
  })
  return site
}

export function siteAt(cwd: string, token: string, env: Env = {}): Site {
  const data = join(cwd, 'latchkey-data')
  const run: Site['run'] = (...args) => latchkeyHere(args, { cwd, env })
  return {
    ...{ cwd, data, token, run },
    async json(...args) {
      const { code, stdout, stderr } = await run(...args, '--json')
      if (code !== 0) throw new Error(stderr)
      return JSON.parse(stdout)
    },
    async serving(work) {
      const both = await bothHere(data, env, { stopDeadlineSeconds: '1' })
      try {
        return await work({ ...both, held: await heldAt(both.url, token) })
      } finally {
        await both.stop()
      }
    },
  }
}

export async function heldAt(hubUrl: string, token: string): Promise<Held> {
  const path = '/api/models/acme/bert/storage-write-token/main'
  const answer = await fetch(hubUrl + path, { headers: { authorization: `Bearer ${token}` } })
  return (await answer.json()) as Held
}

export const catalogueOf = ({ data }: Pick<Site, 'data'>) => join(data, 'storage.db')

export function replaceCatalogue(site: Site, other: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(catalogueOf(site) + ending, { force: true })
  copyDatabase(other, catalogueOf(site))
}
