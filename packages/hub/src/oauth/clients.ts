/** Programs that may sign in by the device flow, by their `client_id`. None of them has a secret: RFC 6749 §2.1. */

/** The name that the approval page shows. */
export type DeviceClients = ReadonlyMap<string, string>

/** The id that is built into `huggingface_hub`. */
export const huggingFaceClientId = '26be6b09-91c5-47da-9861-d2d2bb7a7e36'
export const latchkeyClientId = 'latchkey'

const builtIn: Readonly<Record<string, string>> = {
  [huggingFaceClientId]: 'hf (Hugging Face command line and Python client)',
  [latchkeyClientId]: 'latchkey (command line)',
}

export function deviceClientsOf(configured: Readonly<Record<string, string>> = {}): DeviceClients {
  return new Map(Object.entries({ ...builtIn, ...configured }))
}
