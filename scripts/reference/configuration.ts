/** docs/reference/configuration.md: every option, from the table of options. */

import {
  flagOf,
  type Option,
  optionGroups,
  type Taker,
  variableOf,
} from '../../packages/cli/src/configuration/option.ts'
import {
  configOption,
  type OptionKey,
  optionKeys,
  rowOf,
} from '../../packages/cli/src/configuration/options.ts'
import { hubTokenVariable } from '../../packages/cli/src/configuration/read-environment.ts'
import { code, opening, prose, table } from './markdown.ts'

export function configurationPage(): string {
  return [
    opening('Configuration', 'packages/cli/src/configuration/options.ts', introduction),
    ...optionGroups.map(section),
    prose(closing),
  ].join('\n')
}

const introduction = `
You can set every option in three ways: with a flag, with an environment variable, or with a key in
a configuration file. A flag takes precedence over a variable, and a variable over the file. The
command exits with code 2 and one line of text if a value is not allowed, if a key does not exist,
or if a \`LATCHKEY_…\` variable is unknown. An empty variable counts as not set.

## Configuration file

\`${configOption.flag} FILE\` or \`${configOption.variable}\` names the file. It is JSON, nested at
the dots of the keys:

\`\`\`json
{
  "host": "0.0.0.0",
  "publicUrl": "https://hub.example",
  "casUrl": "https://cas.example/r/{repo}/{ref}",
  "cors": { "origins": ["https://app.example"] },
  "log": { "level": "info" }
}
\`\`\`

- **Switches**: the flag turns a switch on (\`--anonymous-public-read\`), and the flag with \`no\` turns
  it off (\`--no-anonymous-public-read\`). Variables take \`true\` or \`false\`.
- **Lists**: flags and variables separate values by commas. The file takes an array.
- **\`storage\`, \`forge\`**: the file takes a switch (\`"storage": false\`) or a section
  (\`"storage": { "quotaBytes": 1000000 }\`). If you use the section, set the switch by flag or
  variable.
- **Paths**: a relative path starts at the working directory of the command.

The column "commands" names the commands that take an option. Other commands ignore its variable and
its key, so one file can serve all of them. "Clients" are \`token\`, \`fetch\`, \`upload\`, \`download\`,
\`login\`, \`logout\` and \`whoami\`. "Management" is every command that works on the hub's database,
for example \`account\` or \`hub-token\`. "Maintenance" is every command below \`storage\` but
\`serve\` and \`usage\`. The [command reference](cli.md) lists the options of each command.
`

const closing = `## Secrets

A secret has no flag, because process lists and shell histories show arguments. Set it with its
variable, with a file that the variable with \`_FILE\` names, or in a configuration file that only its
owner can read (\`chmod 600\`). A file that a \`_FILE\` variable names may be readable for others,
because orchestrators mount secrets that way; \`latchkey doctor\` warns about it. The command rejects a
file that any user can write. It removes variables that hold secrets from its environment when it
reads them.

The URL of a PostgreSQL database (\`database\`, \`directDatabase\`, \`storageDatabase\`) is a secret when
it contains a password. The command then rejects it as a flag. If the URL has no password, the
command takes the password from \`PGPASSWORD\`, from \`~/.pgpass\`, or from the file that \`PGPASSFILE\`
names. It reads that file only if other users cannot read it. Other missing parts of the URL come
from the variables of PostgreSQL's own programs: \`PGHOST\`, \`PGPORT\`, \`PGUSER\`, \`PGDATABASE\`,
\`PGSSLMODE\`, \`PGSSLROOTCERT\`, \`PGSSLCERT\`, \`PGSSLKEY\`, \`PGAPPNAME\` and \`PGCONNECT_TIMEOUT\`.

## A hub on another machine

The management commands work on the hub's database on this machine. With \`--hub URL\` they use the
admin API of that hub instead. The \`admin\` hub token comes from \`${hubTokenVariable}\` or from the
file that \`${hubTokenVariable}_FILE\` names. The URL must be https, unless it is a loopback address
or you add \`--allow-plain-http\`. These commands read neither option from a variable or a file, so
the command line always names the hub that it changes.

## The hub of a client

\`latchkey token\`, \`fetch\`, \`upload\`, \`download\` and \`whoami\` use the hub that \`--hub\`,
\`LATCHKEY_HUB\` or the configuration file names, or else the hub of the last login. The hub token
comes from \`${hubTokenVariable}\` or from the file that \`${hubTokenVariable}_FILE\` names, or else from
\`latchkey login\`. The login keeps one hub token per hub in
\`$XDG_CONFIG_HOME/latchkey/credentials.json\` (by default below \`~/.config\`). The command rejects that
file if other users can read it, and sends each hub token in it only to its own hub. With a hub token
from the environment you must name the hub by flag, variable or configuration file.

## Variables that Kubernetes sets

A Kubernetes service whose name begins with \`latchkey\` puts variables such as
\`LATCHKEY_SERVICE_HOST\` and \`LATCHKEY_PORT=tcp://10.0.0.1:80\` into every container. Latchkey ignores
them.
`

function section(group: string): string {
  const keys = optionKeys.filter((key) => rowOf(key).group === group)
  const titles = ['key', 'description', 'default', 'allowed', 'flag', 'variable', 'commands']
  return `## ${headingOf[group] ?? group}\n\n${table(titles, keys.map(cells))}`
}

/** Headings that people search for, where the title in `--help` is shorter. */
const headingOf: Readonly<Record<string, string>> = { 'Who may ask': 'Access' }

function cells(key: OptionKey): readonly string[] {
  const row = rowOf(key)
  const variable = variableOf(key)
  return [
    code(key),
    row.summary,
    defaultCell(row),
    row.kind.allowed,
    row.secret ? 'none' : code(flagOf(key)),
    row.secret || row.kind.holdsSecret ? `\`${variable}\`, \`${variable}_FILE\`` : code(variable),
    takersCell(row),
  ]
}

function takersCell({ takers }: Option<unknown>): string {
  return [...new Set(takers.map((taker) => takerWords[taker]))].join(', ')
}

const takerWords: Readonly<Record<Taker, string>> = {
  measure: '`storage usage`',
  serve: '`serve`',
  storage: '`storage serve`',
  forge: '`forge serve`',
  'forge-data': '`forge backup`, `forge restore`',
  maintenance: 'maintenance',
  catalogue: '`migrate`, `backup`, `restore`',
  backup: '`backup`, `restore`',
  gate: '`gate`',
  client: 'clients',
  manage: 'management',
  'make-token': 'management',
  explain: 'management',
  'explain-sign-in': '`explain sign-in`',
  remote: 'management',
}

function defaultCell({ default: standard, defaultText }: Option<unknown>): string {
  return defaultText ?? code(String(standard))
}
