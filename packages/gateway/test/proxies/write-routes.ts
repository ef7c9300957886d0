/** Storages that route by real routers: nginx and Caddy, which decode, repair and ignore case, each in its own way. */

import { caddyWith } from './caddy.ts'
import { nginxWith } from './nginx.ts'
import type { RunningProgram } from './running-program.ts'

/** Every answer of theirs says in `X-Route` which kind of route the request was given to. */
export const routers = { nginx: routingNginx, caddy: routingCaddy }

const writeRoutes = '^/(?:[^/]+/)*(?:shard|xorb)'

function routingNginx(): Promise<RunningProgram> {
  return nginxWith(
    (port) => `
      server {
        listen 127.0.0.1:${port};
        large_client_header_buffers 4 72k;
        location / { add_header X-Route read always; return 200; }
        location ~* "${writeRoutes}" {
          add_header X-Route $route always;
          return 200;
        }
      }
      map $request_method $route { default write; GET read; HEAD read; OPTIONS read; }`,
  )
}

/** Below the three segments that name repository and ref. */
const paths = ['', '/*', '/*/*', '/*/*/*']
  .map((before) => `/*/*/*${before}`)
  .flatMap((before) =>
    ['shard*', 'xorb*'].flatMap((word) => [`${before}/${word}`, `${before}/${word}/*`]),
  )

function routingCaddy(): Promise<RunningProgram> {
  return caddyWith(
    (port) => `
      {
        admin off
        auto_https off
      }
      :${port} {
        bind 127.0.0.1
        @by_path {
          not method GET HEAD OPTIONS
          path ${paths.join(' ')}
        }
        @by_expression {
          not method GET HEAD OPTIONS
          path_regexp (?i)${writeRoutes}
        }
        route {
          header X-Route read
          header @by_path X-Route write
          header @by_expression X-Route write
          respond 200
        }
      }`,
  )
}
