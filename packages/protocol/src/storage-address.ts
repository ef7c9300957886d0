/** Where the storage is: one URL for all, or one for every repository and ref. */

export interface StorageAddress {
  /** The tokens' `aud`: what stands before the first placeholder, without a trailing slash. */
  readonly audience: string
  urlFor(repositoryUid: string, refUid: string): string
}

export function storageAddress(casUrl: string): StorageAddress {
  const placeholder = casUrl.indexOf('{')
  if (placeholder === -1) return { audience: casUrl, urlFor: () => casUrl }
  return {
    audience: casUrl.slice(0, placeholder).replace(/\/+$/, ''),
    urlFor: (repositoryUid, refUid) =>
      casUrl.replace('{repo}', repositoryUid).replace('{ref}', refUid),
  }
}
