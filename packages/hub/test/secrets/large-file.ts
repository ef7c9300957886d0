/** A large file in a repository of a forge, and the address that git-lfs gets for it. */

import { createHash } from 'node:crypto'
import { askHub, type Heard } from '@latchkey/testing/hub/ask-hub'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'

const json = { 'content-type': 'application/json' }
export const lfs = { 'content-type': 'application/vnd.git-lfs+json' }

export interface LargeFile {
  readonly oid: string
  readonly size: number
}

export function basic(password: string, user = 'git'): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** Makes models/acme/weights with the file. */
export async function commitLargeFile(url: string, token: string): Promise<LargeFile> {
  const chunks = randomChunks('weights', 2)
  const [xorb, content] = [makeXorb(chunks), Buffer.concat(chunks)]
  const sha256 = createHash('sha256').update(content).digest()
  const file = { oid: sha256.toString('hex'), size: content.length }
  const send = (path: string, body: string) =>
    askHub(url, path, { token, method: 'POST', headers: json, body }).then(good)
  await send('/api/repos/create', JSON.stringify({ name: 'weights', organization: 'acme' }))
  const told = good(
    await askHub(url, '/api/models/acme/weights/storage-write-token/main', { token }),
  )
  const { accessToken, casUrl } = JSON.parse(told.body) as Record<string, string>
  const upload = async (path: string, body: Uint8Array) => {
    const headers = { authorization: `Bearer ${accessToken}` }
    const answer = await fetch(casUrl + path, {
      ...{ method: 'POST', headers, body: new Uint8Array(body) },
    })
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  }
  await upload(`/v1/xorbs/default/${xorb.hash}`, xorb.bytes)
  const files = [makeFile([{ xorb }], sha256)]
  await upload('/v1/shards', makeShard({ files, xorbs: [xorb] }))
  const value = { path: 'large.bin', algo: 'sha256', ...file }
  const lines = [
    { key: 'header', value: { summary: 'a large file' } },
    { key: 'lfsFile', value },
  ]
  const commit = '/api/models/acme/weights/commit/main'
  await send(commit, lines.map((line) => JSON.stringify(line)).join('\n'))
  return file
}

/** What git-lfs sends or fetches without credentials. */
export async function lfsProof(
  url: string,
  token: string,
  { file, operation }: { readonly file: LargeFile; readonly operation: 'download' | 'upload' },
): Promise<string> {
  const body = JSON.stringify({ operation, transfers: ['basic'], objects: [file] })
  const headers = { ...lfs, authorization: basic(token) }
  const batch = '/acme/weights.git/info/lfs/objects/batch'
  const told = good(await askHub(url, batch, { method: 'POST', headers, body }))
  const href: string = JSON.parse(told.body).objects[0].actions[operation].href
  const proof = new URL(href).searchParams.get('proof') ?? ''
  if (proof === '') throw new Error(href)
  return proof
}

function good(heard: Heard): Heard {
  if (heard.status !== 200) throw new Error(`${heard.status}: ${heard.body}`)
  return heard
}
