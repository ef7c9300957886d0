import type { FrontPage } from '@latchkey/service/http/page'

export interface ShownHub {
  readonly publicUrl: string
  readonly watched: FrontPage['watched']
  /** Whether `/readyz` is on the same listener; what else it tells is then shown too. */
  readonly isWatchedHere: boolean
}

export function hubPage({ publicUrl, watched, isWatchedHere }: ShownHub): FrontPage {
  const { isReady, notReady } = watched
  return {
    name: 'hub',
    about:
      'This hub issues short-lived storage tokens: each is for one repository and one revision, to read or to write. It serves programs; for people there is this page.',
    watched: isWatchedHere ? watched : { isReady, notReady },
    commands: [
      `latchkey login --hub ${publicUrl}`,
      'latchkey whoami',
      'latchkey token read models/NAMESPACE/NAME@main',
    ],
    links: [
      { href: 'openapi.json', about: 'the admin API, as OpenAPI' },
      { href: '.well-known/jwks.json', about: 'the public keys that storage tokens verify with' },
      ...(isWatchedHere ? [{ href: 'readyz', about: 'the state above, for programs' }] : []),
    ],
    document: 'docs/guides/command-line.md',
  }
}
