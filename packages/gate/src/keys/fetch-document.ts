/** Fetches one public document of a hub, from that hub alone and within bounds. */

import { askTwice } from '@latchkey/service/http/ask'

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
  const answer = await askTwice(hubUrl + path, {
    // An old answer of a cache on the way would be worth nothing.
    headers: { accept: type, 'cache-control': 'no-cache' },
    signal,
  })
  const { status } = answer
  if (status !== 200) {
    answer.discard()
    const hint = status === 421 ? '; let it answer to this name with --allowed-hosts' : ''
    throw new Error(`the hub answered with status ${status} instead of ${name}${hint}`)
  }
  const document = await answer.read(mostKiB * 1024)
  if (document === undefined) throw new Error(`the hub sent more than ${mostKiB} KiB as ${name}`)
  return document
}
