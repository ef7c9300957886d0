/** Xorbs that are what they are called, as an upload leaves them. */

import { makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import type { Hash } from '@latchkey/xet/format'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import type { WritablePlace } from '../../src/catalog/catalog.ts'
import { Terms } from '../../src/catalog/terms.ts'
import { placeOf } from '../../src/objects/disk/places.ts'
import { type Digest, type ObjectKey, parseDigest } from '../../src/objects/object-store.ts'
import { objectsIn } from '../../src/objects/open-objects.ts'
import { hash } from '../catalog/content.ts'
import { done, type MaintenanceWorld } from './maintenance-world.ts'

export interface RealXorb {
  readonly hash: Hash
  readonly digest: Digest
  /** Where its object lies below the data directory, and in full. */
  readonly object: string
  readonly file: string
  readonly packedBytes: number
}

export async function putXorb(
  { data, objects, catalog, maintenance }: MaintenanceWorld,
  place: WritablePlace,
  seed: string,
): Promise<RealXorb> {
  const { hash, bytes, table } = makeXorb(randomChunks(seed, 5))
  const ofBytes = parseDigest(new Blake3Hasher().update(bytes).digest('hex'))
  const digest = ofBytes && catalog.digestIn(place.repositoryUid, ofBytes)
  const draft = await objects.receive(bodyOf(bytes, table.encoded()), 10_000)
  if (digest === undefined || draft === undefined) throw new Error('this is no xorb')
  const { packedBytes, unpackedBytes, count: chunks } = table
  const xorb = { hash, digest, packedBytes, unpackedBytes, chunks }
  const known = await catalog.objectOf(digest)
  const isLost = known !== undefined && (await objects.sizeOf(known)) === undefined
  await catalog.reserveObject({ key: draft.id as string as ObjectKey, bytes: draft.bytes })
  const own = await objects.put(draft)
  done(await catalog.addXorb(place, xorb, [], { key: own, lost: isLost ? known : undefined }))
  if (!(await catalog.isNamed(own))) {
    await objects.remove(own)
    await catalog.forgetObject(own)
  }
  const key = (await catalog.objectOf(digest)) ?? own
  return {
    hash,
    digest,
    object: maintenance.placeOf(key),
    file: placeOf(objectsIn(data).folder, key).file,
    packedBytes,
  }
}

/** A file of the whole xorb; gives its hash. */
export async function putFile(
  { catalog }: MaintenanceWorld,
  place: WritablePlace,
  { word, xorb }: { readonly word: string; readonly xorb: RealXorb },
): Promise<Hash> {
  const terms = Terms.of([{ xorb: xorb.hash, start: 0, end: 5, unpackedBytes: 5000 }])
  const file = { hash: hash(word), bytes: 5000, terms }
  done(await catalog.addFiles(place, { files: [file], xorbs: [], chunks: [] }))
  return file.hash
}

async function* bodyOf(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}
