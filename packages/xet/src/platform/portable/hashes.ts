/** BLAKE3 and SHA-256 as WebAssembly, which has to be loaded before the first hash. */

import { createBLAKE3, createSHA256, type IHasher } from 'hash-wasm'
import type { HashOf, RunningBlake3, RunningSha256 } from '../hash-functions.ts'

/** Hashers with a key, and one without. */
const keyed: { readonly key: Uint8Array; hasher?: IHasher }[] = []
let plain: IHasher | undefined
let loading: Promise<void> | undefined

/** Callers that hash wait for it; it loads only once. */
export function loadHashes(): Promise<void> {
  loading ??= loadAll().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function loadAll(): Promise<void> {
  plain = await createBLAKE3()
  for (const one of keyed) one.hasher = await createBLAKE3(256, one.key)
}

/** Called as modules are loaded, so that all keys are known before any hash is. */
export function blake3Under(key: Uint8Array): HashOf {
  const own: (typeof keyed)[number] = { key }
  keyed.push(own)
  return (bytes) => {
    const hasher = loaded(own.hasher).init().update(bytes)
    return hasher.digest('binary') as Uint8Array<ArrayBuffer>
  }
}

/** One hasher for all: a call ends what the last one has begun. */
export function newBlake3(): RunningBlake3 {
  return loaded(plain).init()
}

export async function newSha256(): Promise<RunningSha256> {
  const hasher = (await createSHA256()).init()
  return { update: (bytes) => hasher.update(bytes), digest: () => hasher.digest('binary') }
}

function loaded(hasher: IHasher | undefined): IHasher {
  if (hasher === undefined) throw new Error('loadHashes has to be awaited before the first hash')
  return hasher
}
