/** Writes the addresses of the repository into every manifest: after a change of scripts/packages/home.ts. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifests, manifestWithHome, repositoryUrl } from './packages/home.ts'
import { root } from './packages/packages.ts'

for (const manifest of manifests)
  writeFileSync(join(root, manifest), manifestWithHome(manifest, repositoryUrl))
