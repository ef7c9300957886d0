/** Reads one path of a repository to standard output: `npx node read-repository.ts models/acme/bert main /v1/chunks/default/abc`. */

import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createStorageClient } from '@latchkey/client'

const [repo = '', revision = '', path = ''] = process.argv.slice(2)

/** A function: when the hub no longer takes the token, it is asked again. */
async function hubToken(): Promise<string> {
  const { LATCHKEY_HUB_TOKEN: token, LATCHKEY_HUB_TOKEN_FILE: file } = process.env
  if (file !== undefined) return (await readFile(file, 'utf8')).trim()
  if (token !== undefined) return token
  throw new Error('set LATCHKEY_HUB_TOKEN_FILE, or LATCHKEY_HUB_TOKEN')
}

try {
  const hubUrl = process.env['LATCHKEY_HUB'] ?? 'http://127.0.0.1:8080'
  const client = createStorageClient({ hubUrl, hubToken, repo, revision })
  const answer = await client.fetch(path)
  if (!answer.ok) throw new Error(`the storage answers ${answer.status}: ${await answer.text()}`)
  if (answer.body !== null) await pipeline(answer.body, process.stdout)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
