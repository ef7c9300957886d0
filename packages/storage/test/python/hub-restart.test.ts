/** The unmodified `huggingface_hub` with `hf_xet` while the hub is restarted under its uploads, in a soak: `@huggingface/hub` shows it always. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { expect, onTestFinished, test } from 'vitest'
import { restartHubAt } from '../real-clients/restart-hub.ts'
import { openStage } from '../real-clients/stage.ts'
import { statusesOfUploads } from '../real-clients/transfers.ts'
import { runPython } from './run-python.ts'
import { writeTestFiles } from './test-files.ts'

const sizes = ['empty', 'one', 'some', 'many']
const isSoak = process.env['LATCHKEY_SOAK'] === '1'

for (const environment of pythonClients) {
  const { name, python } = environment
  const isMissing = !isInstalled(environment)
  if (isSoak && isMissing)
    console.warn(`NOT TESTED: ${name} is not installed, so nothing is uploaded by it`)

  test.skipIf(isMissing)(
    `${name}: an upload of several files outlives a hub that is restarted under its xorbs and again under its shard`,
    { tags: 'soak' },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'latchkey-huggingface-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const files = writeTestFiles(folder, sizes)
      const stage = await openStage()
      onTestFinished(stage.close)
      const restarts = restartHubAt(stage, [/^POST .*\/xorbs\//, /^POST .*\/shards$/])
      const ended = await runPython({ python, stage, folder }, ['sizes'])
      await restarts.done()
      const gave = Object.entries(files).map(([name, { sha256 }]) => [name, sha256])
      expect(ended['sizes']).toEqual({ gave: Object.fromEntries(gave) })
      expect(statusesOfUploads(stage.door.passed)).toEqual(new Set([200]))
    },
  )
}
