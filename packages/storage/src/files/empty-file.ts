/** The file without bytes: every repository and ref has it, and nothing has to be looked up. */

import { createHash } from 'node:crypto'
import { fileHash, hashAt, merkleTree } from '@latchkey/xet/format'
import type { StoredFile } from '../catalog/catalog.ts'
import { parseSha256 } from '../catalog/sha256.ts'
import { Terms } from '../catalog/terms.ts'

export const emptyFile: StoredFile = {
  hash: hashAt(fileHash(merkleTree().root())),
  bytes: 0,
  terms: Terms.of([]),
  sha256: parseSha256(createHash('sha256').digest('hex')),
}
