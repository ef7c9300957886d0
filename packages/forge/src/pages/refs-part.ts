import type { ReadableRefs } from '@latchkey/admin-api/forge-port'
import type { RefName } from '@latchkey/protocol'
import { type Html, html } from '@latchkey/service/http/html'
import { isNone } from '../large-files/open-revision.ts'
import type { RepoHrefs } from './hrefs.ts'
import { shownText } from './text.ts'

const maxShown = 200
const [branches, tags, pullRequests] = ['refs/heads/', 'refs/tags/', 'refs/pr/']

export function refsPart(
  { refs }: ReadableRefs,
  hrefs: RepoHrefs,
  current: RefName | string,
): Html {
  const names = [...refs].filter(([, commit]) => !isNone(commit)).map(([name]) => name)
  const part = (title: string, folder: string) => {
    const own = names.filter((name) => name.startsWith(folder))
    const visibleRefs = own.slice(0, maxShown)
    const lines = visibleRefs.map((name) => line(name, { hrefs, current, refs }))
    const more = own.length - visibleRefs.length
    const rest = more > 0 && html`<li>and ${more} more</li>\n`
    return own.length > 0 && html`<h2>${title}</h2>\n<ul>\n${lines}${rest}</ul>\n`
  }
  return html`${part('Branches', branches)}${part('Tags', tags)}${part('Pull requests', pullRequests)}`
}

interface Around {
  readonly hrefs: RepoHrefs
  readonly current: string
  readonly refs: ReadableRefs['refs']
}

function line(name: RefName, { hrefs, current, refs }: Around): Html {
  const href = hrefs.tree(revisionOf(name, refs))
  const mark = name === current && html` aria-current="true"`
  return html`<li><a href="${href}"${mark}>${shownText(bareName(name))}</a></li>\n`
}

/** A bare name means the tag where there is a branch of the same name. */
function revisionOf(name: RefName, refs: ReadableRefs['refs']): string {
  if (name.startsWith(tags)) return bareName(name)
  if (!name.startsWith(branches)) return name
  return refs.has((tags + bareName(name)) as RefName) ? name : bareName(name)
}

/** `main` for `refs/heads/main`, `1` for `refs/pr/1`. */
export function bareName(name: string): string {
  return name.replace(/^refs\/[^/]+\//, '')
}
