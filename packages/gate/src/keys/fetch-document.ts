/** Fetches one public document of a hub, from that hub alone and within bounds. */

import { readAtMost } from '@latchkey/service/read-at-most'
import { fetchTwice } from './fetch-twice.ts'

export interface PublicDocument {
  /** Below the hub's URL. */
  readonly path: string
  readonly type: string
  /** As a sentence names it: `its keys`. */
  readonly name: string
  readonly mostKiB: number
}

/** Fails unless the hub answers with 200 and all of the document. */
export async function fetchDocument(
  hubUrl: string,
  { path, type, name, mostKiB }: PublicDocument,
  signal: AbortSignal,
): Promise<Buffer> {
  const response = await fetchTwice(hubUrl + path, {
    redirect: 'manual',
    // An old answer of a cache on the way would be worth nothing.
    headers: { accept: type, 'cache-control': 'no-cache' },
    signal,
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    const hint = response.status === 421 ? '; let it answer to this name with --allowed-hosts' : ''
    throw new Error(`the hub answered with status ${response.status} instead of ${name}${hint}`)
  }
  const document = await readAtMost(response.body ?? [], mostKiB * 1024)
  if (document === undefined) throw new Error(`the hub sent more than ${mostKiB} KiB as ${name}`)
  return document
}
