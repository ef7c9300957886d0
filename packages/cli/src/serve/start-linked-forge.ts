/** Starts a forge that asks its hub over HTTP. */

import { type ForgeSurroundings, type RunningForge, startForge } from '@latchkey/forge'
import type { ForgeOrder } from '../configuration/forge-settings.ts'
import { trustPem } from '../configuration/trust-ca-cert.ts'

export function startLinkedForge(
  { settings, caCertificates = [] }: ForgeOrder,
  overrides: Partial<ForgeSurroundings> = {},
): Promise<RunningForge> {
  if (caCertificates.length > 0) trustPem(caCertificates, '--ca-cert')
  return startForge(settings, overrides)
}
