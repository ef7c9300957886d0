/** docs/reference/errors.md: every error code, from the table of statuses and the guide next to it. */

import { type RefusalCode, statusOf, titleOf } from '@latchkey/protocol'
import { errorAreas, errorGuide } from '../../packages/protocol/src/error-guide.ts'
import { code, opening, prose, table } from './markdown.ts'

type Area = keyof typeof errorAreas

const areas = Object.keys(errorAreas) as readonly Area[]

export function errorsPage(): string {
  return [
    opening('Errors', 'packages/protocol/src/error-guide.ts', introduction),
    '## All codes\n',
    allCodes(),
    ...areas.map(section),
  ].join('\n')
}

const introduction = `
Every error response has a stable code. The body is a problem document (RFC 9457):

| member | content |
| --- | --- |
| \`type\` | \`urn:latchkey:refusal:<code>\` |
| \`title\` | the title in the table of all codes |
| \`status\` | the HTTP status |
| \`detail\` | one sentence for the person who sent the request |
| \`code\` | the code |
| \`requestId\` | the id of the request in the log of the operator |
| \`error\` | the same sentence as \`detail\`, for Hugging Face clients |
| \`missing\` | the missing permission, if the caller may see the repository |
| \`path\` | the location of the mistake in the input |
| \`next\` | a command that helps, for example \`["namespace", "create", "acme"]\`; replace words in capitals |
| \`number\` | the last number of the journal, with \`cursor_unknown\` |

The media type is \`application/problem+json\`. It is \`application/json\` if the \`Accept\` header of the
request names only that type, and always in compatibility mode.
`

function allCodes(): string {
  const rows = codesByStatus().map((name) => [
    code(name),
    String(statusOf[name]),
    titleOf[name],
    areas
      .filter((area) => errorGuide[name].some((one) => one.area === area))
      .map((area) => `[${errorAreas[area]}](#${anchorOf(area)})`)
      .join(', '),
  ])
  return table(['code', 'status', 'title', 'occurs at'], rows)
}

function codesByStatus(): readonly RefusalCode[] {
  const names = Object.keys(statusOf) as readonly RefusalCode[]
  return names.toSorted(
    (one, other) => statusOf[one] - statusOf[other] || one.localeCompare(other, 'en'),
  )
}

function section(area: Area): string {
  const rows = (Object.keys(errorGuide) as readonly RefusalCode[]).flatMap((name) =>
    errorGuide[name]
      .filter((one) => one.area === area)
      .map(({ when, todo }) => [code(name), String(statusOf[name]), when, todo]),
  )
  const notes = notesOf[area]
  return [
    `## ${errorAreas[area]}\n`,
    ...(notes === undefined ? [] : [prose(notes)]),
    table(['code', 'status', 'when', 'what to do'], rows),
  ].join('\n')
}

const notesOf: Readonly<Partial<Record<Area, string>>> = {
  token: `
The hub runs these checks in the order of the table. \`GET /api/whoami\` responds with the same 401,
405 and 429.

[Token API](token-api.md#errors) shows the headers and bodies.
`,
  gate: `
The gate checks the form of the request first, then the token, then the path. Behind
nginx, a 400 or 404 of the gate is a 403, because nginx supports only 401 and 403 there.
`,
  storage: `
The embedded storage runs these checks after the gate, in the same process. The response of
\`POST /v2/shards\` begins with 200 as soon as the check starts. Its last line reports an error.
`,
  report: `
\`POST /revoke\` needs no credential; see [leak reports](../guides/leak-reports.md). No response shows
whether a token was valid: the hub responds with 202 to every report that it accepts.
`,
  link: `
A storage with a hub token of kind \`storage\` uses \`/link/v1/*\`; see
[separate storage](../guides/separate-storage.md). The hub authenticates and limits these requests as
it does token requests.
`,
  forge: `
These are the routes of the forge (\`--forge\`). They authenticate, limit and decide as a token request
does. Errors are \`application/json\`, or a page if a browser asks for one. Git sends the hub token as
the password of Basic authentication.
`,
}

function anchorOf(area: Area): string {
  return errorAreas[area]
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}
