import { describe, expect, it } from 'vitest'
import { keptFiles } from '../bundle-command.ts'
import { withPlainBuiltins } from '../plain-builtins.ts'

const fs = 'process.getBuiltinModule("node:fs")'

describe("Node's own modules in the bundle", () => {
  it.each([
    ['import { open } from "node:fs";', `const { open } = ${fs};`],
    [
      'import { open as open$1, rm } from "node:fs/promises";',
      'const { open: open$1, rm } = process.getBuiltinModule("node:fs/promises");',
    ],
    ['import fs$1 from "node:fs";', `const fs$1 = ${fs};`],
    ['import * as fs from "node:fs";', `const fs = ${fs};`],
    ['import fs, { open } from "node:fs";', `const fs = ${fs}; const { open } = ${fs};`],
    ['import "node:fs";', ''],
  ])('%s becomes %s', (written, plain) => {
    expect(withPlainBuiltins(`${written}\nopen()`)).toBe(`${plain}\nopen()`)
  })

  it('leaves all other imports as they are', () => {
    const others = 'import { Command } from "commander";\nimport("node:fs");\nimport "./main.js";'
    expect(withPlainBuiltins(others)).toBe(others)
  })

  it('no file of the bundle imports one at its start', async () => {
    const files = Object.entries(await keptFiles()).filter(([name]) => name.endsWith('.js'))
    expect(files.length).toBeGreaterThan(5)
    const importing = files.filter(([, code]) => /^import [^(]*"node:/m.test(code))
    expect(importing.map(([name]) => name)).toEqual([])
  })
})
