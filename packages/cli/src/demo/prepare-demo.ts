/** Creates the demo's accounts, repositories and hub tokens, or repairs them. The tokens stay the same at every start. */

import type { Words } from '@latchkey/admin-api'
import { type DemoToken, findDemoToken, type Store } from '@latchkey/hub/management'
import { isRefusal } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { z } from 'zod'
import { storeSettings } from '../configuration/hub-settings.ts'
import type { Values } from '../configuration/options.ts'
import { localManagement } from '../management/local.ts'
import { type Management, verbCalled } from '../management/management.ts'
import { stopFor } from '../management/refusal-line.ts'
import { type DemoTokenName, world } from './world.ts'

/** A hub token of the demo as its screens show it. */
interface ShownToken extends Pick<DemoToken, 'id' | 'isReplacement'> {
  readonly text: string
}

/** By the name of the hub token; without those whose account is gone. */
export type DemoTokens = ReadonlyMap<DemoTokenName, ShownToken>

type WantedToken = (typeof world.hubTokens)[number]

export async function prepareDemo(store: Store, values: Values): Promise<DemoTokens> {
  const management = localManagement(store, values)
  const { hubTokens, repositories, ...rest } = world
  const entries = await Promise.all(
    repositories.map((repository) => keepRefs(management, repository)),
  )
  await run(management, 'apply', { file: { ...rest, repositories: entries } })
  for (const token of hubTokens) await makeToken(store, values, token)
  // Whoever has changed the grants of one finds them as they were.
  await run(management, 'apply', { file: { hubTokens } })
  return findDemoTokens(store, values)
}

type WantedRepository = (typeof world.repositories)[number]

/** Refs that are there stay where their users have moved them; those that are gone come back. */
async function keepRefs(management: Management, entry: WantedRepository): Promise<object> {
  const repository = `${entry.type}s/${entry.id}`
  const found = await management.run(verbCalled('ref list'), { repository, limit: 1000 })
  if (isRefusal(found)) return entry
  const there = new Set(refNames.parse(found).items.map(({ name }) => name))
  const { branches, tags = {}, ...rest } = { tags: undefined, ...entry }
  const refs = [
    ...Object.entries(branches).map(([name, commit]) => [`refs/heads/${name}`, commit] as const),
    ...Object.entries(tags).map(([name, commit]) => [`refs/tags/${name}`, commit] as const),
  ]
  for (const [ref, target] of refs.filter(([name]) => !there.has(name))) {
    const wish = typeof target === 'string' ? { commit: target } : target
    await run(management, 'ref set', { repository, ref, ...wish })
  }
  return rest
}

/** The uid of a repository; undefined where it is gone. */
export async function findUid(
  store: Store,
  values: Values,
  repository: string,
): Promise<string | undefined> {
  const found = await localManagement(store, values).run(verbCalled('repo show'), { repository })
  return isRefusal(found) ? undefined : withUid.parse(found).uid
}

/** As they are; nothing is made. */
export async function findDemoTokens(store: Store, values: Values): Promise<DemoTokens> {
  const found = new Map<DemoTokenName, ShownToken>()
  for (const demoToken of world.hubTokens) {
    const token = await findToken(store, values, demoToken)
    if (token === undefined) continue
    const { id, isReplacement } = token
    found.set(demoToken.name, { id, isReplacement, text: token.token.reveal() })
  }
  return found
}

async function makeToken(store: Store, values: Values, demoToken: WantedToken): Promise<void> {
  const token = await findToken(store, values, demoToken)
  if (token === undefined || token.id !== undefined) return
  const management = localManagement(store, values, { secretBytes: () => token.bytes })
  const { account } = demoToken
  const { items } = listed.parse(await run(management, 'hub-token list', { account, limit: 1000 }))
  // One that has expired, or has a secret by chance, has the name, in whatever case.
  const sameName = items.filter(({ name }) => name.toLowerCase() === demoToken.name)
  for (const { id } of sameName) await run(management, 'hub-token revoke', { hubToken: id })
  await run(management, 'hub-token create', demoToken)
}

function findToken(
  { directory }: Store,
  values: Values,
  demoToken: WantedToken,
): Promise<DemoToken | undefined> {
  const { masterKey, hubTokenPrefix } = values
  const { data } = storeSettings(values)
  return directory.read((tables) =>
    findDemoToken(tables, { data, masterKey, hubTokenPrefix, now: systemClock() }, demoToken),
  )
}

async function run(management: Management, words: Words, input: object): Promise<unknown> {
  const result = await management.run(verbCalled(words), { ...input })
  if (isRefusal(result)) throw stopFor(result)
  return result
}

const refNames = z.object({ items: z.array(z.object({ name: z.string() })) })
const withUid = z.object({ uid: z.string() })
const listed = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) })
