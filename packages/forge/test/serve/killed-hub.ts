/** A hub with a forge on a data directory that stays: the process that a test kills. The directory is its argument. */

import { flushCompileCache } from 'node:module'
import { startHub } from '@latchkey/hub'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { openForge } from '../../src/serve/index.ts'

const [, , data = ''] = process.argv
const publicUrl = 'https://hub.example'
const { url } = await startHub(testSettings(data), {
  openForge: (hub, around) => openForge({ hub, data, publicUrl, ...around }),
  lines: { write: () => {}, async close() {} },
})
// A process that is killed keeps nothing of what Node has compiled.
flushCompileCache()
process.stdout.write(`ready at ${url}\n`)
