/** Runs verbs of the directory as a management command on the machine would. */

import { readInput, verbs } from '@latchkey/admin-api'
import {
  findMasterKey,
  repositoryFinder,
  runVerb,
  type Store,
  type VerifyOwnToken,
} from '@latchkey/hub/management'
import { type Clock, isRefusal } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { testKeyWork } from './key-work.ts'

/** Gives the verb's answer; a refusal is an error. */
export type RunVerb = (words: string, input?: object) => Promise<Record<string, unknown>>

/** `data` is where the master key is, for verbs that make keys beside those of a hub. */
type Verbal = Pick<Store, 'directory' | 'access'> & { readonly data?: string }

export function verbRunner(
  { directory, access, data }: Verbal,
  clock: Clock,
  hubTokenPrefix = 'lk_',
): RunVerb {
  const policy = { hidePrivateRepositories: false }
  const work = {
    randomBytes: pooledRandom(),
    hubTokenPrefix,
    findRepository: repositoryFinder(access, clock),
    policy,
    keys: data === undefined ? testKeyWork() : testKeyWork((keys) => findMasterKey(data, keys)),
    verifyOwnToken: noToken,
    providers: [],
    repositoriesPerNamespace: 10_000,
  }
  return async (words, input = {}) => {
    const verb = verbs.find((row) => row.words === words)
    if (verb === undefined) throw new Error(`there is no verb ${words}`)
    const read = readInput(verb.input, input)
    if (isRefusal(read)) throw new Error(`${words}: ${read.detail}`)
    const surroundings = { ...work, now: clock(), directory, actor: async () => undefined }
    const output = await runVerb(verb, read, surroundings)
    if (isRefusal(output)) throw new Error(`${words}: ${output.path ?? ''} ${output.detail}`)
    return output as Record<string, unknown>
  }
}

/** Without the keys of a hub no token is one of its own. */
export const noToken: VerifyOwnToken = async () => ({ ok: false, reason: 'unknown_key' })

/** The hub tokens that applying a directory file has made, by `account/name`. */
export async function applied<Name extends string>(
  run: RunVerb,
  file: object,
): Promise<Readonly<Record<Name, string>>> {
  const { hubTokens } = (await run('apply', { file })) as { hubTokens: readonly MadeToken[] }
  return Object.fromEntries(
    hubTokens.map(({ account, name, token }) => [`${account}/${name}`, token]),
  ) as Record<Name, string>
}

interface MadeToken {
  readonly account: string
  readonly name: string
  readonly token: string
}
