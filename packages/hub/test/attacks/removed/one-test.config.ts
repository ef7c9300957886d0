/** For one test of changed sources: what all tests share for a run is not made. */

import { join, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const source = '@latchkey/source'
const conditions = [source, 'node']
const loader = join(import.meta.dirname, 'load-without.ts')

export default defineConfig({
  root: resolve(import.meta.dirname, '../../../../..'),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/hub/test/**/*.test.ts'],
    isolate: false,
    maxWorkers: 1,
    execArgv: [`--conditions=${source}`, '--import', loader],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 120_000,
    tags: [{ name: 'soak', description: 'takes long, or needs much' }],
  },
})
