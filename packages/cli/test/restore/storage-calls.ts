/** Requests at a storage with a storage token: uploads, and looking for what is there. */

import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'

/** What a client was given for a revision. It goes on asking with it when the storage was restarted. */
export interface Held {
  readonly accessToken: string
  readonly casUrl: string
}

export interface StorageCalls {
  /** Uploads a xorb and the file that is made of it; gives the status of the last answer. */
  put(held: Held, word: string): Promise<number>
  /** The status of the question what the file is made of. */
  look(held: Held, word: string): Promise<number>
  /** A xorb that no file is made of. */
  putXorb(held: Held, word: string): Promise<number>
}

/** The storage listens there, whatever the address of the token says. */
export function storageCalls(storageUrl: string): StorageCalls {
  const call = async ({ accessToken, casUrl }: Held, path: string, body?: Uint8Array) => {
    const headers = { authorization: `Bearer ${accessToken}` }
    const sent = body === undefined ? {} : { method: 'POST', body: new Uint8Array(body) }
    const url = storageUrl + new URL(casUrl).pathname + path
    const response = await fetch(url, { ...sent, headers })
    await response.arrayBuffer()
    return response.status
  }
  const putXorb: StorageCalls['putXorb'] = (held, word) => {
    const { hash, bytes } = contentOf(word).xorb
    return call(held, `/v1/xorbs/default/${hash}`, bytes)
  }
  return {
    putXorb,
    async put(held, word) {
      const status = await putXorb(held, word)
      const { xorb, file } = contentOf(word)
      if (status !== 200) return status
      return call(held, '/v1/shards', makeShard({ files: [file], xorbs: [xorb] }))
    },
    look: (held, word) => call(held, `/v1/reconstructions/${contentOf(word).file.hash}`),
  }
}

/** The same for the same word. */
export function contentOf(word: string) {
  const xorb = makeXorb(randomChunks(word, 2))
  return { xorb, file: makeFile([{ xorb }]) }
}
