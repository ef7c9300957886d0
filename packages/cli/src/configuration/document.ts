import { flagOf, type Option, optionGroups, type Taker, variableOf } from './option.ts'
import { configOption, type OptionKey, optionKeys, rowOf } from './options.ts'
import { hubTokenVariable } from './read-environment.ts'

export function configurationDocument(): string {
  return [opening, ...optionGroups.map(section), closing].join('\n')
}

const opening = `# Configuration

This page is made from the table of options in \`packages/cli/src/configuration/options.ts\`;
\`npm exec -- node scripts/write-configuration-doc.ts\` writes it again.

Every option has a flag, an environment variable and a key in the configuration file. The first of
these that names it decides: flag, environment, file, default. A value that is not allowed, a key
that does not exist and an unknown \`LATCHKEY_…\` variable each end the command with one line and
exit code 2. An empty variable counts as not set.

The file is named by \`${configOption.flag} FILE\` or \`${configOption.variable}\`. It is JSON, nested at the dots of the keys:

\`\`\`json
{
  "host": "0.0.0.0",
  "publicUrl": "https://hub.example",
  "casUrl": "https://cas.example/r/{repo}/{ref}",
  "cors": { "origins": ["https://app.example"] },
  "log": { "level": "info" }
}
\`\`\`

A switch is turned on by its flag (\`--anonymous-public-read\`) and off by the same flag with \`no\`
(\`--no-anonymous-public-read\`); variables say \`true\` or \`false\`. Lists are separated by commas in
flags and variables, and are arrays in the file. In the file \`storage\` is a switch (\`"storage": false\`) or a section
(\`"storage": { "quotaBytes": 1000000 }\`); beside the section the switch goes by flag or variable. Relative paths start where the command runs.
The column "of" says which commands take an option: \`serve\`, \`storage serve\`, \`gate\`, those of clients (\`token\`, \`fetch\`,
\`upload\`, \`download\`, \`login\`, \`logout\` and \`whoami\`), or those that manage the hub's data.
The others ignore its variable and its key, so that one file can serve them all.
`

const closing = `## Secrets

A secret has no flag, because arguments show in process lists and shell histories. It comes from its
variable, from the file that the variable with \`_FILE\` names, or from a configuration file that only
its owner can read (\`chmod 600\`). A file that a \`_FILE\` variable names may be readable for others, because orchestrators mount secrets
so; \`latchkey doctor\` warns of it. One that any user can write is refused. Variables that hold secrets are removed from the environment of the
process as they are read.

The address of a PostgreSQL (\`database\`, \`directDatabase\`, \`storageDatabase\`) is a secret when it holds a password: as a flag it is then refused. An address
without one is none; its password comes from \`PGPASSWORD\`, or from \`~/.pgpass\` or the file that \`PGPASSFILE\` names,
which is read only if others cannot read it. What else the address leaves out comes from \`PGHOST\`, \`PGPORT\`, \`PGUSER\`,
\`PGDATABASE\`, \`PGSSLMODE\`, \`PGSSLROOTCERT\`, \`PGSSLCERT\`, \`PGSSLKEY\`, \`PGAPPNAME\` and \`PGCONNECT_TIMEOUT\`, as for
PostgreSQL's own programs.

## Speaking to a hub on another machine

The management commands work on the database of this machine. With \`--hub URL\` they use the admin
API of that hub instead, with an \`admin\` hub token from \`${hubTokenVariable}\` or from the file that
\`${hubTokenVariable}_FILE\` names. The URL must be https, unless it is a loopback address or
\`--allow-plain-http\` is given. For these commands neither is read from a variable or a file: which hub is changed is
always said in the command.

## Asking a hub as a client

\`latchkey token\`, \`fetch\`, \`upload\`, \`download\` and \`whoami\` ask the hub that \`--hub\`, \`LATCHKEY_HUB\` or the configuration
file names, and otherwise the one logged in to last. The hub token comes from \`${hubTokenVariable}\` or
the file that \`${hubTokenVariable}_FILE\` names, and otherwise from \`latchkey login\`, which keeps one for every
hub in \`$XDG_CONFIG_HOME/latchkey/credentials.json\` (by default below \`~/.config\`). That file is for its
owner only, and is refused when others can read it. A hub token kept there goes to its own hub only; one in
the environment needs a hub that is named beside it, by flag, variable or configuration file.

## Variables made by Kubernetes

A Kubernetes service whose name begins with \`latchkey\` puts variables such as
\`LATCHKEY_SERVICE_HOST\` and \`LATCHKEY_PORT=tcp://10.0.0.1:80\` into every container. They are ignored.
`

function section(group: string): string {
  const keys = optionKeys.filter((key) => rowOf(key).group === group)
  const head = '| key | of | flag | variable | default | allowed |\n|---|---|---|---|---|---|'
  const about = keys.map((key) => `- \`${key}\`: ${rowOf(key).summary}`)
  return `## ${group}\n\n${about.join('\n')}\n\n${head}\n${keys.map(line).join('\n')}\n`
}

function line(key: OptionKey): string {
  const row = rowOf(key)
  const variable = variableOf(key)
  const cells = [
    `\`${key}\``,
    takersCell(row),
    row.secret ? 'none' : `\`${flagOf(key)}\``,
    row.secret || row.kind.holdsSecret
      ? `\`${variable}\`, \`${variable}_FILE\``
      : `\`${variable}\``,
    defaultCell(row),
    row.kind.allowed,
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function takersCell({ takers }: Option<unknown>): string {
  return [...new Set(takers.map((taker) => takerWords[taker]))].join(', ')
}

const takerWords: Readonly<Record<Taker, string>> = {
  measure: '`storage usage`',
  serve: '`serve`',
  storage: '`storage serve`',
  maintenance: 'maintenance',
  catalogue: '`migrate`, `backup`, `restore`',
  gate: '`gate`',
  client: 'clients',
  manage: 'management',
  'make-token': 'management',
  explain: 'management',
  remote: 'management',
}

function defaultCell({ default: standard, defaultText }: Option<unknown>): string {
  return defaultText ?? `\`${standard}\``
}
