/** The form of a verb, made from the declaration of its input, and the input that a form brings. */

import { type Parameter, parametersOf, type Verb } from '@latchkey/admin-api'
import { type Html, html } from '@latchkey/service/http/html'
import type { VerbMembers } from '../admin/read-request.ts'

/** The storages belong to the hub, and a list has its own links. */
const neverAsked: readonly string[] = ['storage', 'limit', 'after']

/** The members that a person writes; the page knows the others. */
export function fieldsOf(verb: Verb, members: VerbMembers): readonly Parameter[] {
  return parametersOf(verb).filter(
    ({ member }) => !neverAsked.includes(member) && !Object.hasOwn(members, member),
  )
}

export interface FormPlace {
  /** Where the form goes: the page that it stands on. */
  readonly action: string
  readonly csrfToken: string
}

export function verbForm(verb: Verb, members: VerbMembers, place: FormPlace): Html {
  const fields = fieldsOf(verb, members).map((field) => fieldHtml(verb, field))
  return html`<details><summary>${verb.summary}</summary>
${formHtml(verb, place, { fields, button: html`<button type="submit">${buttonOf(verb)}</button>` })}</details>
`
}

/** A button of a row in a list; `members` are those that the page does not know. */
export function verbButton(verb: Verb, members: VerbMembers, place: FormPlace): Html {
  const fields = Object.entries(members).map(
    ([member, value]) => html`<input type="hidden" name="${member}" value="${value}">`,
  )
  const label = `${buttonOf(verb)} ${Object.values(members).join(' ')}`
  const button = html`<button type="submit" aria-label="${label}">${buttonOf(verb)}</button>`
  return formHtml(verb, place, { fields, button })
}

function formHtml(
  { words }: Verb,
  { action, csrfToken }: FormPlace,
  { fields, button }: { readonly fields: readonly Html[]; readonly button: Html },
): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="csrf" value="${csrfToken}"><input type="hidden" name="verb" value="${words}">${fields}${button}</form>
`
}

function fieldHtml(verb: Verb, field: Parameter): Html {
  const id = `${verb.words.replace(' ', '-')}-${field.member}`
  return html`<label for="${id}">${titleOf(field.member)}</label>${controlOf(field, id)}<p class="note">${field.about}</p>
`
}

function controlOf(field: Parameter, id: string): Html {
  const { member, form, choices, required, standard } = field
  if (form === 'switch') return html`<input type="checkbox" id="${id}" name="${member}" value="on">`
  const mark = required && html` required`
  const usual = typeof standard === 'string' ? standard : ''
  return choices === undefined
    ? html`<input id="${id}" name="${member}" value="${usual}" maxlength="1024" autocomplete="off" autocapitalize="off" spellcheck="false"${mark}>`
    : html`<select id="${id}" name="${member}"${mark}>${optionsOf(field, choices, usual)}</select>`
}

/** Without a choice, the verb leaves the thing as it is. */
function optionsOf({ required }: Parameter, choices: readonly string[], usual: string) {
  const none = required || usual !== '' ? [] : ['']
  return [...none, ...choices].map(
    (choice) => html`<option${choice === usual && html` selected`}>${choice}</option>`,
  )
}

/** `defaultBranch` is "Default branch". */
export function titleOf(member: string): string {
  const words = member.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const buttons: Readonly<Record<string, string>> = { create: 'Create', delete: 'Delete' }

function buttonOf({ words }: Verb): string {
  return buttons[words.split(' ')[1] ?? ''] ?? 'Save'
}

/** Only what the verb declares, and an empty field counts as left out. */
export function inputIn(
  verb: Verb,
  form: URLSearchParams,
  members: VerbMembers,
): Readonly<Record<string, string | true>> {
  const typed = fieldsOf(verb, members).flatMap(({ member, form: kind }) => {
    const value = (form.get(member) ?? '').trim()
    if (value === '') return []
    return [[member, kind === 'switch' && value === 'on' ? true : value] as const]
  })
  return { ...Object.fromEntries(typed), ...members }
}
