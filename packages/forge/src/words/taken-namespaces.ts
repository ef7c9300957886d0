/** Names that no namespace may have, because addresses begin with them. */

/** The first segments of every route of hub, storage and forge, and those that clients and crawlers ask for unasked. */
const takenNames: ReadonlySet<string> = new Set([
  ...[
    '.well-known',
    'admin',
    'api',
    'healthz',
    'link',
    'metrics',
    'openapi.json',
    'readyz',
    'revoke',
  ],
  ...['blobs', 'chunk', 'chunks', 'reconstruction', 'shard', 'storage', 'v1', 'v2', 'xorb'],
  ...['buckets', 'collections', 'datasets', 'jobs', 'kernels', 'models', 'organizations', 'papers'],
  ...['posts', 'spaces'],
  ...[
    'account',
    'auth',
    'device',
    'docs',
    'join',
    'login',
    'logout',
    'new',
    'oauth',
    'search',
    'settings',
  ],
  ...['assets', 'favicon.ico', 'health', 'index.html', 'robots.txt', 'sitemap.xml', 'static'],
  ...['git', 'lfs', 'refs', 'repos', 'whoami', 'whoami-v2'],
])

/** In any case: some proxies route without regard to it. */
export function isTakenNamespace(name: string): boolean {
  return takenNames.has(name.toLowerCase())
}
