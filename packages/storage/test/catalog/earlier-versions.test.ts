/** A catalogue that an earlier version has written is opened, and answers as it did. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asRefUid, asRepositoryUid } from '@latchkey/protocol'
import { openDatabase } from '@latchkey/service/database'
import { expect, onTestFinished, test } from 'vitest'
import { catalogFile, openCatalog } from '../../src/catalog/catalog-database.ts'
import { catalogReader } from '../../src/catalog/catalog-reader.ts'
import { migrations } from '../../src/catalog/migrations/migrations.ts'
import { Terms } from '../../src/catalog/terms.ts'
import { digest, hash } from './content.ts'

test('a file without a first chunk is found, and its first chunk leads to one xorb as before', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-earlier-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  const [refUid, repositoryUid] = [asRefUid('ref'), asRepositoryUid('repository')]
  const earlier = openDatabase(catalogFile(data), migrations.slice(0, 2))
  const terms = Terms.of([{ xorb: hash('xorb'), start: 0, end: 1, unpackedBytes: 1 }])
  earlier
    .prepare('INSERT INTO stored_xorbs VALUES (?, ?, ?, ?, 1, 1, 1, 1, 0, 5)')
    .run(refUid, hash('xorb'), repositoryUid, digest('xorb'))
  earlier
    .prepare('INSERT INTO stored_files VALUES (NULL, ?, ?, ?, 1, ?, 1, 5)')
    .run(refUid, hash('file'), repositoryUid, terms.packed)
  earlier
    .prepare('INSERT INTO stored_chunks VALUES (?, ?, ?, ?, 1, 5)')
    .run(refUid, hash('chunk'), repositoryUid, hash('xorb'))
  earlier.close()
  const database = openCatalog(data)
  onTestFinished(() => database.close())
  const catalog = catalogReader(database)
  const view = { repositoryUid, refs: [{ uid: refUid, before: undefined }] }
  expect((await catalog.findFile(view, hash('file')))?.terms.count).toBe(1)
  expect((await catalog.findChunk(view, hash('chunk')))?.hash).toBe(hash('xorb'))
  expect(await catalog.findFileFrom(view, hash('chunk'))).toBeUndefined()
})
