/** `latchkey gate`: guards a storage, says so in one line, and stops when asked to. */

import type { GatewaySettings } from '@latchkey/gateway'
import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { gateSettings, warningsAboutGate } from '../configuration/gate-settings.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { trustCaCert } from '../configuration/trust-ca-cert.ts'
import { tell } from '../output/tell.ts'
import { describeBounds, taughtBounds } from './revocation-words.ts'
import { stopOnSignals } from './stop-on-signals.ts'

export function gateCommand(): Command {
  const command = new Command('gate')
    .description(
      'Runs a gateway that rejects requests without a valid storage token, until you stop it. It forwards the other requests with identity headers (Latchkey-…), or tells a proxy to allow them. Logs are JSON lines on standard output.',
    )
    .addHelpText('after', teaching)
    .action(guard)
  return addConfigurationFlags(command, 'gate')
}

const teaching = `
Examples:
  latchkey gate --upstream 'http://127.0.0.1:9000/{repo}/{ref}' --every-unsafe-method-writes \\
                --hub http://127.0.0.1:8080 --cas-url 'http://127.0.0.1:8081/r/{repo}/{ref}' \\
                --port 8081
  latchkey gate --forward-auth nginx --hub https://hub.example \\
                --cas-url 'https://cas.example/r/{repo}/{ref}'

The hub must have the same --cas-url: it sends clients there, and every token contains it.
examples/ has configurations for nginx, Caddy, Traefik and Envoy.
${taughtBounds}
The assertion key has no flag: LATCHKEY_ASSERTION_KEY, LATCHKEY_ASSERTION_KEY_FILE, or a file
of mode 600.

SIGINT, SIGTERM or SIGHUP stops the gate once running requests are done; a second one does not wait.`

async function guard(flags: Flags): Promise<void> {
  const configuration = readConfiguration(flags, process.env)
  const settings = gateSettings(configuration)
  trustCaCert(configuration)
  for (const warning of warningsAboutGate(settings)) tell(`warning: ${warning}`)
  const { startGateway } = await import('@latchkey/gateway')
  const gateway = await startGateway(settings)
  stopOnSignals(gateway)
  if (!gateway.isReady()) {
    tell(
      `warning: the gate cannot fetch the keys or the revocations of ${settings.hub} yet; requests get 503 until it can`,
    )
  }
  tell(`latchkey gate is ready at ${gateway.url}, ${describe(settings)}`)
  tell(`tokens must come from ${settings.issuer} and be for ${settings.casUrl}`)
  tell(describeBounds(settings.revocations))
}

function describe({ work }: GatewaySettings): string {
  return work.kind === 'forward'
    ? `in front of ${work.upstream}`
    : `answering ${work.proxy} (forward auth)`
}
