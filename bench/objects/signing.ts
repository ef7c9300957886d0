/** Microseconds of CPU time for one URL of a reconstruction: of the object store, and of the storage. */

import { createSecretKey, randomBytes } from 'node:crypto'
import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  journalNumber,
  unixSeconds,
} from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { S3Place } from '../../packages/storage/src/objects/object-store.ts'
import { openS3Client } from '../../packages/storage/src/objects/s3/open-client.ts'
import { blobUrlsFor } from '../../packages/storage/src/request/blob-url-of.ts'
import { ownCpuMicros } from '../machine.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'

const urls = 20_000
const uid = 'a'.repeat(26)
const bearer = {
  ...{
    repositoryUid: asRepositoryUid(uid),
    refUid: asRefUid(uid),
    tokenId: uid,
    kid: 'k'.repeat(43),
  },
  ...{ namespace: 'acme', hubToken: asHubTokenId(uid), subject: asAccountId(uid) },
  asOf: journalNumber(1_800_000_000_000),
  expiresAt: unixSeconds(1_800_000_300),
}

export async function benchSigning(place: S3Place, rounds: number): Promise<Figure> {
  const client = openS3Client(place)
  const key = { day: 20_833, key: createSecretKey(randomBytes(32)) }
  const blobUrl = blobUrlsFor('https://cas.example/r/{repo}/{ref}')(key, bearer)
  const [own, anchor]: [number[], number[]] = [[], []]
  for (let round = -1; round < rounds; round += 1) {
    const direct = await client.signedRanges({ seconds: 60 })
    const object = `objects/ab/${randomBytes(16).toString('hex')}`
    const xorb = randomBytes(32).toString('hex') as Hash
    const stored = microsOf((start) =>
      blobUrl({ from: bearer.refUid, xorb, start, end: start + 1000 }),
    )
    const signed = microsOf((start) => direct(object, { start, end: start + 1000 }))
    if (round < 0) continue
    own.push(signed)
    anchor.push(stored)
  }
  await client.close()
  const ratios = own.map((micros, index) => micros / (anchor[index] ?? 0))
  const micros = { 'µs of the store': Math.min(...own), 'µs of the storage': Math.min(...anchor) }
  return {
    figure: 'CPU per signed URL',
    anchor: 'URL of the storage',
    result: measuredOf(ratios),
    details: micros,
  }
}

function microsOf(sign: (start: number) => string): number {
  const before = ownCpuMicros()
  for (let start = 0; start < urls; start += 1) sign(start)
  return (ownCpuMicros() - before) / urls
}
