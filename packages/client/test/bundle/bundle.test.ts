import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import * as client from '@latchkey/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../../../scripts/bundle-client.ts'
import { sharedBundle } from '../../../../scripts/share-bundles.ts'

/** The words of whoever makes or reads a token; whether it says "signal", "assign" or "design" is nobody's business. */
// biome-ignore format: a list is read line by line
const forbidden: readonly RegExp[] = [
  /(?<!as|de)sign(?!al)/gi, /verif/gi, /claim/gi, /crypto/gi, /subtle/gi,
  /jw[tsk]/gi, /es256/gi, /eddsa/gi, /ed25519/gi, /p-256/gi,
  /\b(?:alg|kid|iss|aud|sub|iat|jti|typ|sees)\b/g, /client_id/g,
]

/** What a module asks of others: `import …`, `import(…)`, `export … from`, `require(…)`, and whatever is Node's. */
const asking = [/\bimport\b/, /\bfrom\s*["'`]/, /\brequire\b/, /\bnode:/]

const wordsIn = (text: string) => forbidden.flatMap((word) => text.match(word) ?? [])
const askingIn = (text: string) => asking.filter((pattern) => pattern.test(text))

describe("the client's bundle", () => {
  let text: string

  beforeAll(async () => {
    text = await sharedBundle('client')
  })

  // conformance: Client / The bundle is small and contains no signing code
  test('contains no word of signing or claims', () => {
    expect(wordsIn(text)).toEqual([])
  })

  test('has no import left and names no module of Node', () => {
    expect(askingIn(text)).toEqual([])
  })

  /** The names of all options, and the sentence about one that is none of them, take 0.9 kB of it. */
  // conformance: Client / The bundle is small and contains no signing code
  test('stays under 7.5 kB gzipped', () => {
    expect(gzipSync(text).length).toBeLessThan(7500)
  })

  // conformance: Client / The client runs in Node 20, browsers, Deno and Bun
  test('calls nothing that the first releases of Node 20 do not have', () => {
    const newer = /withResolvers|URL\.parse|groupBy|fromAsync|Promise\.try|\.union\(/g
    expect(text.match(newer)).toBeNull()
  })

  test('exports what the sources export', async () => {
    const url = `data:text/javascript,${encodeURIComponent(text)}`
    expect(Object.keys(await import(url)).sort()).toEqual(Object.keys(client).sort())
  })
})

test('a bundle that holds @latchkey/token is recognised by those words and imports', async () => {
  const text = await bundle(fileURLToPath(import.meta.resolve('@latchkey/token')))
  const found = forbidden.filter((word) => text.match(word) !== null)
  expect(found.length).toBeGreaterThan(forbidden.length / 2)
  expect(askingIn(text)).toContainEqual(/\bnode:/)
})
