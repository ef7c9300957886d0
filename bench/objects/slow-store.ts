/** A store that takes its time: everything is handed on to another one, after a while. */

import { startFaultProxy } from '@latchkey/testing/s3/fault-proxy'

const [port, delayMs] = process.argv.slice(2).map(Number)
const proxy = await startFaultProxy(port ?? 0)
proxy.decide(() => {
  proxy.forget()
  return { delayMs: delayMs ?? 0 }
})
process.send?.({ url: proxy.endpoint })
process.on('disconnect', () => process.exit())
