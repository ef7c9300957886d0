/** The gate in one file: what it imports, how large it is, and that it is the same gate. */

import { gzipSync } from 'node:zlib'
import * as gate from '@latchkey/gate'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedBundle } from '../../../../scripts/share-bundles.ts'

describe("the gate's bundle", () => {
  let text: string

  beforeAll(async () => {
    text = await sharedBundle('gate')
  })

  test('imports four modules that Node, workerd, Deno and Bun have, and no package', () => {
    const found = Array.from(text.matchAll(/\bfrom\s*["']([^"']+)["']/g), ([, name]) => name)
    const modules = ['buffer', 'crypto', 'net', 'util'].map((name) => `node:${name}`)
    expect(found.sort()).toEqual(modules)
    expect(text).not.toMatch(/\bimport\s*["'(]|\brequire\b/)
  })

  test('stays under 24 kB gzipped', () => {
    expect(gzipSync(text).length).toBeLessThan(24_000)
    // A limit that is far too large would notice nothing.
    expect(gzipSync(text).length).toBeGreaterThan(20_000)
  })

  test('exports what the sources export', async () => {
    const url = `data:text/javascript,${encodeURIComponent(text)}`
    expect(Object.keys(await import(url)).sort()).toEqual(Object.keys(gate).sort())
  })
})
