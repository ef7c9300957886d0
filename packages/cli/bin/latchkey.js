#!/usr/bin/env node
// Plain enough for any Node to read, so that one that is too old can say so.
var oldestMajor = 24

if (parseInt(process.versions.node, 10) < oldestMajor) {
  import('./newer-node.js')
    .then((newer) => newer.runOnNewerNode())
    .then((found) => found || tellOldNode(), tellOldNode)
} else {
  // Whatever is written is for its owner alone, and Node's warnings are not meant for our users.
  process.umask(63)
  process.removeAllListeners('warning')
  Promise.all([import('./keep-compiled.js'), import('./which-main.js')]).then(([kept, which]) => {
    kept.keepCompiled()
    return import(which.whichMain())
  })
}

function tellOldNode() {
  process.stderr.write(
    'latchkey: this is Node ' +
      process.versions.node +
      ', and latchkey needs Node ' +
      oldestMajor +
      ' or newer; run it through npm ("npx latchkey" or "npm start"), which brings its own, or install a newer Node\n',
  )
  process.exitCode = 3
}
