/** One page of a namespace: its lists, each with the forms that change it. */

import { parametersOf } from '@latchkey/admin-api'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { type Html, html } from '@latchkey/service/http/html'
import type { VerbMembers } from '../admin/read-request.ts'
import { type Section, verbCalled } from './places.ts'
import { type FormPlace, titleOf, verbButton, verbForm } from './verb-form.ts'

export interface PlaceView extends FormPlace {
  /** The names in the address: `namespace`, and `team` or `repository`. */
  readonly members: VerbMembers
  /** The address of the page of the namespace. */
  readonly namespacePath: string
  /** Where a list continues, by the words of its verb. */
  readonly after: VerbMembers
  /** The result of a verb that lists. */
  readonly list: (words: string, input: VerbMembers) => Promise<unknown>
}

const pageLength = '100'

export async function sectionHtml(section: Section, view: PlaceView): Promise<Html | Refusal> {
  const list = await listHtml(section, view)
  if (isRefusal(list)) return list
  const members = section.list === undefined ? view.members : listMembers(section, view)
  const forms = section.forms.map((words) => verbForm(verbCalled(words), members, view))
  const end = section.end && endForm(section.end, view)
  return html`<h2>${section.title}</h2>\n${list}${forms}${end}`
}

/** The name of what is deleted is typed once more, because no script asks. */
function endForm(words: NonNullable<Section['end']>, view: PlaceView): Html {
  const { namespace = '' } = view.members
  const isTeam = 'team' in view.members
  return verbForm(verbCalled(words), isTeam ? { namespace } : {}, view)
}

/** The verbs about a repository take no namespace. */
function listMembers({ list }: Section, { members }: PlaceView): VerbMembers {
  const parameters =
    list === undefined ? [] : parametersOf(verbCalled(list)).map((one) => one.member)
  return Object.fromEntries(
    Object.entries(members).filter(([member]) => parameters.includes(member)),
  )
}

async function listHtml(section: Section, view: PlaceView): Promise<Html | Refusal> {
  const { list: words, columns = [] } = section
  if (words === undefined) return html``
  const after = view.after[words]
  const hasPages = parametersOf(verbCalled(words)).some(({ member }) => member === 'limit')
  const paging = hasPages && { limit: pageLength, ...(after && { after }) }
  const input = { ...paging, ...listMembers(section, view) }
  const page = await view.list(words, input)
  if (isRefusal(page)) return page
  const { items, next } = Object(page)
  // A verb that shows one thing has no pages.
  const rows: readonly unknown[] = Array.isArray(items) ? items : [page]
  const more =
    typeof next === 'string' &&
    html`<p><a href="${view.action}?${new URLSearchParams({ [words]: next }).toString()}">More</a></p>\n`
  if (rows.length === 0) return html`<p>None.</p>\n`
  return html`<table><thead><tr>${columns.map((column) => html`<th>${titleOf(column)}</th>`)}<th></th></tr></thead>
<tbody>${rows.map((row) => rowHtml(Object(row), section, view))}</tbody></table>
${more}`
}

type Row = Readonly<Record<string, unknown>>

function rowHtml(row: Row, section: Section, view: PlaceView): Html {
  const { columns = [], key = '', page, remove } = section
  const name = textOf(row[key])
  const cells = columns.map((column) => {
    const text = textOf(row[column])
    const isLink = page !== undefined && column === key
    return html`<td>${isLink ? html`<a href="${pagePath(page, name, view)}">${text}</a>` : text}</td>`
  })
  const button = remove && verbButton(verbCalled(remove), { [key]: name }, view)
  return html`<tr>${cells}<td>${button}</td></tr>\n`
}

function pagePath(page: 'teams' | 'repositories', name: string, { namespacePath }: PlaceView) {
  if (page === 'teams') return `${namespacePath}/teams/${encodeURIComponent(name)}`
  const [type = '', , repository = ''] = name.split('/')
  return `${namespacePath}/repositories/${[type, repository].map(encodeURIComponent).join('/')}`
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return value === undefined || value === null ? '' : String(value)
}
