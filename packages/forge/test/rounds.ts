/** How often a property is tried: more in a soak. */

export const rounds = (usual: number, soak: number) => (process.env['LATCHKEY_SOAK'] ? soak : usual)
