/** What does the gate cost? A check beside a bare signature check, the gateway and forward auth beside a plain nginx proxy. */

import { benchCheck } from './gate/check.ts'
import { benchProxies } from './gate/proxies.ts'
import { writeResults } from './results.ts'

const rounds = Number(process.env['ROUNDS'] ?? 11)

const check = await benchCheck(rounds)
writeResults('gate-check', check)
const proxies = await benchProxies(rounds)
if (proxies === undefined) {
  console.warn('NOT MEASURED: nginx or wrk is missing, so the gateway was compared with nothing.')
} else {
  writeResults('gate-proxies', proxies)
}
process.exit()
