/** Accounts that take every slot they can get leave some to an account that has none. */

import { asRefUid, asRepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { expect, test } from 'vitest'
import { Terms } from '../../src/catalog/terms.ts'
import { fileHasher, type Hashing } from '../../src/files/file-hasher.ts'
import { type ReadingFiles, readFile } from '../../src/files/read-file.ts'
import type { Sha256Task } from '../../src/files/sha256-work.ts'
import {
  answerInSlot,
  reconstructionSlots,
} from '../../src/reconstructions/reconstruction-slots.ts'
import type { StorageCall } from '../../src/request/asked.ts'
import { uploadXorb, type XorbUploading } from '../../src/xorbs/upload-xorb.ts'
import { hash } from '../catalog/content.ts'

/** Work that goes on for ever once it has begun, which it notes. */
type Kind = (begun: (account: string) => void) => (asked: StorageCall) => unknown

const never = new Promise<never>(() => {})
const { signal } = new AbortController()
const settled = () => new Promise((resolve) => setImmediate(resolve))

const checkXorbs: Kind = (begun) => {
  const receiveUpload = async ({ payer }: StorageCall) => ({
    id: payer.account,
    async discard() {},
  })
  const check = (account: string) => {
    begun(account)
    return never
  }
  const handle = uploadXorb({ receiveUpload, checker: { check } } as unknown as XorbUploading, 2)
  return (asked) => handle(asked, hash('any') as Hash)
}

const planReconstructions: Kind = (begun) => {
  const slots = reconstructionSlots()
  return (asked) =>
    answerInSlot(slots, asked, () => {
      begun(asked.payer.account)
      return never
    })
}

/** The slot is held until the reply is sent. */
const readFiles: Kind = (begun) => {
  const catalog = { findFile: async () => ({ bytes: 1, terms: Terms.of([]) }) }
  const handle = readFile({ catalog, contents: {} } as unknown as ReadingFiles)
  return async (asked) => {
    await handle(asked, hash('any') as Hash)
    begun(asked.payer.account)
  }
}

const hashFiles: Kind = (begun) => {
  const run = ({ repositoryUid }: Sha256Task) => {
    begun(repositoryUid)
    return never
  }
  const hasher = fileHasher({ pool: { run } } as unknown as Hashing)
  let files = 0
  return ({ payer }) => {
    files += 1
    return hasher.hashNow(payer, { refUid: asRefUid('main'), hash: hash(`file ${files}`) }, 1)
  }
}

/** Each account uses a repository of its own, of the same name. */
const askedBy = (account: string) =>
  ({
    signal,
    header: () => undefined,
    payer: { account, repositoryUid: asRepositoryUid(account) },
  }) as unknown as StorageCall

// biome-ignore format: a table is read by its columns
test.each<readonly [string, Kind, string]>([
  ['checks of xorbs',       checkXorbs,          'aabbccde'],
  ['reconstructions',       planReconstructions, `${'a'.repeat(16)}${'b'.repeat(16)}${'c'.repeat(16)}${'d'.repeat(8)}e`],
  ['files that are read',   readFiles,           `${'a'.repeat(16)}${'b'.repeat(16)}${'c'.repeat(16)}${'d'.repeat(8)}e`],
  ['files that are hashed', hashFiles,           'aaaabbbbccccde'],
])('%s: each account has its share, and the last slots go to accounts without one', async (_, kind, expected) => {
  const begun: string[] = []
  const work = kind((account) => begun.push(account))
  for (const account of 'abcde') {
    for (let count = 0; count < 20; count += 1) void work(askedBy(account))
    for (let turn = 0; turn < 5; turn += 1) await settled()
  }
  expect(begun.join('')).toBe(expected)
})
