import type { IssuedStorageToken } from '@latchkey/admin-api/forge-port'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { AskStorage, FileHash } from '../large-files/ask-storage.ts'
import type { Pointer } from '../words/pointer.ts'

const atATime = 8

/** In the order of the files; undefined for one that none of the tokens sees. */
export async function findContent(
  storage: Pick<AskStorage, 'find'>,
  files: readonly Pointer[],
  tokens: readonly IssuedStorageToken[],
): Promise<readonly (FileHash | undefined)[] | Refusal> {
  const hashes: (FileHash | undefined)[] = []
  for (let at = 0; at < files.length; at += atATime) {
    const group = files.slice(at, at + atATime)
    for (const hash of await Promise.all(group.map((file) => findThrough(storage, file, tokens)))) {
      if (isRefusal(hash)) return hash
      hashes.push(hash)
    }
  }
  return hashes
}

async function findThrough(
  storage: Pick<AskStorage, 'find'>,
  file: Pointer,
  tokens: readonly IssuedStorageToken[],
): Promise<FileHash | Refusal | undefined> {
  for (const token of tokens) {
    const hash = await storage.find(token, file)
    if (hash !== undefined) return hash
  }
  return undefined
}
