// Reads all code without running it: formatting, clippy natively and for WebAssembly, types, lint.

import { build } from './build.mjs'
import { rustChecks, shimChecks } from './checks.mjs'
import { Failure, program, shown } from './process.mjs'

await program('check', async () => {
  for (const check of rustChecks()) await passes(check)
  build()
  for (const check of shimChecks()) await passes(check)
  console.log('check: all passed')
})

/** @param {import('./checks.mjs').Check} check */
async function passes({ name, file, args, env }) {
  console.log(`check: ${name}`)
  if ((await shown(file, args, env)).code !== 0) throw new Failure(`${name} failed`)
}
