/** How fast are the gateway, and nginx that asks the gate or checks by itself, beside a plain nginx proxy? */

import { hasNginx, hasScripting } from '../gate/nginx.ts'
import { hasWrk } from '../measure/wrk.ts'
import { missing, type Part } from '../part.ts'

const anchor = 'plain nginx proxy'
const withoutNginx = missing('gateway', anchor, 'nginx', 'install Debian’s nginx')
const withoutScripting = ['nginx asking the gate, answers cached', 'nginx checking by itself'].map(
  (name) => missing(name, anchor, 'njs', 'install Debian’s libnginx-mod-http-js'),
)
const withoutWrk = missing(
  'load by wrk',
  anchor,
  'wrk',
  'install Debian’s wrk; without it, the load generator is a slower one',
)

export const proxies: Part = {
  name: 'proxies',
  async figures({ rounds = 5 }) {
    return [
      // What it loads takes longer than to say that nginx is missing.
      ...(hasNginx
        ? await (await import('../gate/proxies.ts')).benchProxies(rounds)
        : [withoutNginx]),
      ...(hasScripting || !hasNginx ? [] : withoutScripting),
      ...(hasWrk ? [] : [withoutWrk]),
    ]
  },
}
