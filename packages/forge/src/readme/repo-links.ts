/** Where a link in a README leads: to a page of its repository, to another site, or nowhere. */

/** Where the README is, as segments that are encoded already. */
export interface ReadmePlace {
  /** The address of a file of the revision is this, a slash and its path: `/acme/bert/blob/main`. */
  readonly files: string
  /** Its folder, with a slash at the end; empty for the top. */
  readonly folder: string
}

const maxLinkLength = 2048
const elsewhere = new Set(['http:', 'https:', 'mailto:'])
/** No site is called so (RFC 6761): what has this origin afterwards was relative. */
const inside = 'https://repository.invalid'

/** Undefined where the text is shown without a link. */
export function linkTarget(href: string, { files, folder }: ReadmePlace): string | undefined {
  if (href.length > maxLinkLength || href === '') return undefined
  if (href.startsWith('#')) return `#${headingId(decoded(href.slice(1)) ?? '')}`
  const url = parsed(href, folder)
  if (url === undefined) return undefined
  if (url.origin === inside) return files + url.pathname
  return elsewhere.has(url.protocol) ? url.href : undefined
}

/** Headings of a README cannot take the names that the page around it uses. */
export function headingId(text: string): string {
  const words = text.toLowerCase().replace(/[^\p{L}\p{M}\p{N} _-]/gu, '')
  return `readme-${words.trim().replaceAll(' ', '-').slice(0, 100)}`
}

/** A path that begins with a slash begins at the top of the repository. */
function parsed(href: string, folder: string): URL | undefined {
  const base = `${inside}/${folder}`
  return URL.canParse(href, base) ? new URL(href, base) : undefined
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
