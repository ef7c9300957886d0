/** What the `hf` command shows of a hub that has nothing beside its tokens. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { rounds } from '@latchkey/testing/chance'
import { acme } from '@latchkey/testing/hub/acme'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** The newest: the others show the same. */
const environment = pythonClients.at(-1)
const isMissing = environment === undefined || !isInstalled(environment)
if (isMissing) console.warn('NOT TESTED: huggingface_hub is not installed, so hf shows no refusal')

describe.skipIf(isMissing)('the hf command', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(acme, { compat: { huggingface: true } })
  })
  afterAll(() => world?.close())

  test.each([['download acme/bert f.bin'], ['auth whoami']].slice(0, rounds(1, 2)))(
    'shows what a lone hub serves and what it does not: hf %s',
    async (words) => {
      const shown = await hf(words.split(' '), world)
      expect(shown).toContain('This is a Latchkey hub: it gives out storage tokens')
      expect(shown).toContain('docs/reference/compatibility.md')
    },
  )
})

async function hf(words: readonly string[], { hub, tokens }: World): Promise<string> {
  const child = spawn(environment?.python ?? '', ['-m', 'huggingface_hub.cli.hf', ...words], {
    env: {
      HOME: temporaryFolder(),
      HF_ENDPOINT: hub.url,
      HF_TOKEN: tokens['writer/write']?.reveal() ?? '',
      HF_HUB_DISABLE_TELEMETRY: '1',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [shown] = await Promise.all([text(child.stderr), once(child, 'close')])
  return shown
}
