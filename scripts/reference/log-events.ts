/** docs/reference/log-events.md: every log event, from the tables of levels and their texts. */

import type { EventLevel, EventText } from '@latchkey/service/observe/log'
import { levelOf as serveLevels } from '../../packages/cli/src/serve/companions.ts'
import { eventTexts as serveTexts } from '../../packages/cli/src/serve/log-event-texts.ts'
import { eventTexts as forgeTexts } from '../../packages/forge/src/serve/log-event-texts.ts'
import { levelOf as forgeLevels } from '../../packages/forge/src/serve/log-events.ts'
import { levelOf as gateLevels } from '../../packages/gateway/src/gateway/gateway-context.ts'
import { eventTexts as gateTexts } from '../../packages/gateway/src/gateway/log-event-texts.ts'
import { eventTexts as hubTexts } from '../../packages/hub/src/operations/log-event-texts.ts'
import { levelOf as hubLevels } from '../../packages/hub/src/operations/log-events.ts'
import { eventTexts as storageTexts } from '../../packages/storage/src/operations/log-event-texts.ts'
import { levelOf as storageLevels } from '../../packages/storage/src/operations/log-events.ts'
import { code, opening, table } from './markdown.ts'

export function logEventsPage(): string {
  return [
    opening('Log events', 'the tables of log events', introduction),
    '## Hub\n',
    eventTable(hubLevels, hubTexts),
    '## latchkey serve\n',
    '`latchkey serve` logs the events of its hub, its storage and its forge, and these:\n',
    eventTable(serveLevels, serveTexts),
    '## Storage\n',
    eventTable(storageLevels, storageTexts),
    '## Forge\n',
    eventTable(forgeLevels, forgeTexts),
    '## Gate\n',
    eventTable(gateLevels, gateTexts),
  ].join('\n')
}

const introduction = `
Latchkey logs one JSON object per line to standard output. Each line has \`level\`, \`time\` and
\`event\`, and the fields in these tables. A line leaves out a field that has no value.
\`log.level\` in the [configuration](configuration.md) sets the lowest level that is logged.

Commands on the hub's machine write \`admin_called\` and \`admin_changed\` to \`commands.log\` in the
data directory.

No line contains a token, a header value or a query string. [Monitoring](../guides/monitor.md) shows
which events to watch.

Some fields have the same meaning in every event:

| field | meaning |
| --- | --- |
| \`subject\`, \`account\` | id and name of the account |
| \`hubToken\` | id of the hub token that was used |
| \`user\` | user of the operating system that ran a command on the hub's machine |
| \`token\`, \`jti\` | id of the storage token |
| \`kid\` | id of the key that signed the storage token |
| \`code\` | [error code](errors.md) of a rejected request |
| \`address\` | IP address of the client; of the proxy, unless it is trusted |
| \`requestId\` | id of the request; the client receives it as \`X-Request-Id\` |
| \`milliseconds\` | duration |
| \`reason\` | a sentence for operators |
| \`error\` | stack trace |
`

function eventTable(
  levels: Readonly<Record<string, EventLevel>>,
  texts: Readonly<Record<string, EventText>>,
): string {
  const rows = Object.entries(levels).map(([event, level]) => {
    const { about = '', fields = [] } = texts[event] ?? {}
    return [code(event), level, about, fields.map(code).join(', ') || '–']
  })
  return table(['event', 'level', 'description', 'fields'], rows)
}
