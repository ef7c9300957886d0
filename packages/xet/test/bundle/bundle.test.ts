import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedBundle } from '../../../../scripts/share-bundles.ts'
import * as files from '../../src/files.ts'

/** What a module asks of others: `import …`, `import(…)`, `export … from`, `require(…)`, and whatever is Node's. */
const asking = [/\bimport\b/, /\bfrom\s*["'`]/, /\brequire\b/, /\bnode:/]

describe("the file client's bundle", () => {
  let text: string

  beforeAll(async () => {
    text = await sharedBundle('files')
  })

  it('has no import left and names no module of Node', () => {
    expect(asking.filter((pattern) => pattern.test(text))).toEqual([])
  })

  it('needs no memory that threads share, which few pages have', () => {
    expect(text).not.toContain('SharedArrayBuffer')
  })

  /** Half of it is the WebAssembly of two hashes. */
  it('stays under 41.5 kB gzipped', () => {
    expect(gzipSync(text).length).toBeLessThan(41_500)
  })

  it('calls nothing that the first releases of Node 20 do not have', () => {
    const newer =
      /withResolvers|URL\.parse|groupBy|fromAsync|Promise\.try|\.union\(|\.(?:values|keys|entries)\(\)\.(?:map|filter|find|some|every|take|drop|toArray)\b|getBuiltinModule|ReadableStream\.from/g
    expect(text.match(newer)).toEqual(['ReadableStream.from'])
  })

  it('exports what the sources export', async () => {
    const url = `data:text/javascript,${encodeURIComponent(text)}`
    expect(Object.keys(await import(url)).sort()).toEqual(Object.keys(files).sort())
  })
})
