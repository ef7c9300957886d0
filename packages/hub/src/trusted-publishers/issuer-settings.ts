import type { PublisherPreset } from '@latchkey/admin-api'

/** A platform whose id tokens the hub takes. */
export interface IssuerSettings {
  /** As the id tokens name it in `iss`. */
  readonly issuer: string
  /** The presets of rules that it may have. */
  readonly preset: PublisherPreset
  /** How old an id token may be. */
  readonly maxAgeSeconds: number
  /** For a platform inside the network of the hub. */
  readonly allowPrivateAddresses: boolean
  /** For a loopback issuer in a test. */
  readonly allowPlainHttp: boolean
}
