// Looks for long for what the tests look for briefly: other histories, other bytes, more kills.
//
//   npm run soak                          ten minutes, shared among the sweeps
//   npm run soak -- --minutes 60          an hour
//   npm run soak -- --only forget,kills   some of them
//
// Each sweep starts from new seeds and prints them. What fails names a seed or leaves a case under crate/tests/corpus;
// either stays in the tests. A new sweep is a row of the table below, a new fuzz target a row of crate/tests/fuzz.rs.

import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { Failure, program, root, shown } from './process.mjs'
import { node, nodeEnvironment } from './toolchain.mjs'

/** @typedef {{ name: string, what: string, run: (seconds: number) => Promise<number>, built?: boolean }} Sweep */

/** @type {Sweep[]} */
const sweeps = [
  { name: 'fuzz', what: 'any bytes for every reader of bytes', run: seconds => cargo('fuzz', { FUZZ_SECONDS: String(seconds) }) },
  { name: 'damage', what: 'damaged folders', run: seconds => cargo('store_fuzz', { FUZZ_SECONDS: String(seconds) }) },
  { name: 'forget', what: 'histories that forget', run: seconds => cargo('store_forget', { FORGET_SECONDS: String(seconds) }) },
  // About thirty histories a second.
  { name: 'devices', what: 'histories of three devices', run: seconds => cargo('devices', { PROPTEST_CASES: String(Math.ceil(seconds * 30)) }) },
  { name: 'kills', what: 'processes killed at random', run: kills, built: true },
]

await program('soak', async () => {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, only: { type: 'string' } } })
  const minutes = Number(values.minutes)
  if (!(minutes > 0)) throw new Failure(`--minutes is "${values.minutes}"; it must be a number above 0`)
  const asked = values.only?.split(',') ?? sweeps.map(({ name }) => name)
  const unknown = asked.filter(name => !sweeps.some(sweep => sweep.name === name))
  if (unknown.length > 0) throw new Failure(`no sweep is called ${unknown.join(', ')}; there are ${sweeps.map(({ name }) => name).join(', ')}`)
  const chosen = sweeps.filter(({ name }) => asked.includes(name))
  const seconds = Math.ceil(minutes * 60 / chosen.length)
  const failed = []
  if (chosen.some(({ built }) => built)) build()
  for (const { name, what, run } of chosen) {
    console.log(`soak: ${name}, ${what}, for ${seconds} s`)
    const begun = performance.now()
    const code = await run(seconds)
    console.log(`soak: ${name} ${code === 0 ? 'found nothing' : 'FAILED'} in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
    if (code !== 0) failed.push(name)
  }
  if (failed.length > 0) throw new Failure(`failed: ${failed.join(', ')}`)
})

/** @param {string} name @param {Record<string, string>} env */
async function cargo(name, env) {
  // One after the other: the targets of one program share its time.
  const args = ['test', '--quiet', '--locked', '--package', 'jev-memory-core', '--test', 'core', `${name}::`, '--', '--nocapture', '--test-threads', '1']
  return (await shown('cargo', args, { ...process.env, ...env })).code
}

/** @param {number} seconds */
async function kills(seconds) {
  const args = ['--test', '--test-timeout', String((seconds + 120) * 1000), '--test-name-pattern', 'kills at random', `${root}/test/processes.test.ts`]
  return (await shown(node, args, { ...nodeEnvironment(), KILL_SECONDS: String(seconds) })).code
}
