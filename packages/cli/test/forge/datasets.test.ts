/** A user of `datasets` with nothing but `latchkey serve --forge`. */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isInstalled, pythonDatasets } from '@latchkey/testing/tools/python-environments'
import { describe, expect, test } from 'vitest'
import { hubWithForge } from './hub-with-forge.ts'

const isSoak = process.env['LATCHKEY_SOAK'] === '1'
const isThere = isInstalled(pythonDatasets)
if (isSoak && !isThere) console.warn('NOT TESTED: datasets is not installed, so none is loaded')

describe.skipIf(isSoak && !isThere)('latchkey serve --forge, in a soak', { tags: 'soak' }, () => {
  const hub = hubWithForge()
  test('loads and streams a dataset', async () => {
    const env = {
      ...{ HOME: hub.cwd, HF_HOME: join(hub.cwd, 'hf'), HF_ENDPOINT: hub.url },
      ...{ PATH: process.env['PATH'] ?? '', HF_TOKEN: hub.tokens['ada'] ?? '' },
      ...{ HF_HUB_DISABLE_TELEMETRY: '1', HF_HUB_DISABLE_PROGRESS_BARS: '1' },
    }
    const program = join(import.meta.dirname, 'load_datasets.py')
    const python = promisify(execFile)(pythonDatasets.python, [program], { env, timeout: 240_000 })
    python.child.stdin?.end(JSON.stringify({ repo: 'acme/rows', folder: hub.cwd }))
    expect(JSON.parse((await python).stdout)).toEqual({
      ...{ loaded: [100, 'row 7'], streamed: ['row 0', 'row 1'] },
      ...{ large: [1000, true], largeStreamed: [0, 1] },
    })
  }, 300_000)
})
