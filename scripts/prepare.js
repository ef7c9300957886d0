/** After `npm ci`: bundles the command. It runs without that as well, and any Node must be able to read this. */

try {
  const { default: bundleCommand } = await import('./bundle-command.ts')
  await bundleCommand()
} catch (error) {
  const reason = error.code ?? error.message
  console.log(`The command is not bundled (${reason}): it runs, and starts more slowly.`)
}
