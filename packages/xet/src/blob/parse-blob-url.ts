/** A blob URL as the storage names it, in a form that may be opened at all. */

import { IntegrityError } from '../format/format-error.ts'

export function parseBlobUrl(text: string, storageUrl: string): URL {
  if (!URL.canParse(text)) throw new IntegrityError('the storage names something that is no URL')
  const url = new URL(text)
  refuseOtherForms(url, new URL(storageUrl))
  return url
}

/** `https` always; `http` where the storage itself is asked over http. */
function refuseOtherForms(url: URL, storage: URL): void {
  const isHttp = url.protocol === 'http:' && storage.protocol === 'http:'
  if (url.protocol !== 'https:' && !isHttp) {
    throw new IntegrityError(
      `the storage names a URL that begins with ${url.protocol} where https: was expected. It was not opened.`,
    )
  }
  if (url.username === '' && url.password === '') return
  throw new IntegrityError('the storage names a URL with a password in it. It was not opened.')
}
