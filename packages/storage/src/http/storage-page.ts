/** What a person sees who opens the storage's address in a browser. */

import type { FrontPage } from '@latchkey/service/http/page/serve-page'

/** `isWatchedHere`: whether `/readyz` is on the same listener. */
export function storagePage(watched: FrontPage['watched'], isWatchedHere: boolean): FrontPage {
  return {
    name: 'storage',
    about:
      'This storage keeps content by its hash, and serves it to programs with a storage token. The hub issues the tokens; each opens one repository and one revision.',
    watched,
    links: isWatchedHere ? [{ href: 'readyz', about: 'the state above, for programs' }] : [],
    document: 'docs/storage.md',
  }
}
