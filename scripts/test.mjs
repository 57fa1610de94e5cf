// Runs every check and every test, stops at the first that fails, and closes with one line that counts what ran.
//
//   node scripts/test.mjs                 everything
//   node scripts/test.mjs STEP ...        only the named steps; the build is brought up to date before the steps that need it
//
// Steps: rustfmt clippy clippy-wasm build types lint shim core. When everything is asked for, the build goes on beside the checks of the Rust
// sources, and the core's tests beside the shim's and behind them in priority: each leaves a core idle that the other can use.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { build } from './build.mjs'
import { rustChecks, shimChecks } from './checks.mjs'
import { Failure, program, root, shown } from './process.mjs'
import { chromium, node, nodeEnvironment } from './toolchain.mjs'

/**
 * How a step went. `skipped` counts as a failure of the step: a test that does not run proves nothing.
 * @typedef {{ passed: number, failed: number, skipped?: number }} Outcome
 * @typedef {{ name: string, run: () => Promise<Outcome> | Outcome, built?: boolean }} Step
 */

/**
 * A program that runs beside the steps, and what it printed.
 * @typedef {{ child: import('node:child_process').ChildProcess, ended: Promise<{ code: number, text: string }> }} Beside
 * @type {{ build?: Beside, core?: Beside }}
 */
const beside = {}
const CORE_TESTS = ['test', '--quiet', '--locked', '--no-fail-fast']

await program('test', async () => {
  const all = steps()
  const wanted = process.argv.slice(2)
  const unknown = wanted.filter(name => !all.some(step => step.name === name))
  if (unknown.length > 0) throw new Failure(`no step is called ${unknown.join(', ')}; there are ${all.map(step => step.name).join(', ')}`)

  const total = { passed: 0, failed: 0 }
  let failure = ''
  if (wanted.length === 0) startBuild()
  for (const step of all.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const start = performance.now()
    console.log(`test: ${step.name}`)
    if (step.built && wanted.length > 0) build()
    const { passed, failed, skipped = 0 } = await outcome(step)
    total.passed += passed
    total.failed += failed + skipped
    console.log(`  ${passed} passed in ${((performance.now() - start) / 1000).toFixed(1)} s`)
    if (skipped > 0) failure = `${step.name}: ${skipped} skipped, and no test may be`
    if (failed > 0) failure = step.name
    if (failure) break
  }
  for (const { child } of Object.values(beside)) child.kill()
  if (failure) console.log(`test: failed at ${failure}`)
  console.log(`${total.passed} passed, ${total.failed} failed`)
  if (failure) process.exitCode = 1
})

/** @returns {Step[]} */
function steps() {
  return [
    ...rustChecks().map(asStep),
    { name: 'build', run: buildStep },
    ...shimChecks().map(check => ({ ...asStep(check), built: true })),
    { name: 'shim', run: shimTests, built: true },
    { name: 'core', run: coreTests },
  ]
}

/** @param {Step} step */
async function outcome(step) {
  try {
    return await step.run()
  } catch (error) {
    console.log(error instanceof Failure ? error.message : error)
    return { passed: 0, failed: 1 }
  }
}

/** @param {import('./checks.mjs').Check} check @returns {Step} */
function asStep({ name, file, args, env }) {
  return { name, run: async () => one((await shown(file, args, env)).code === 0) }
}

/** @param {boolean} passed */
function one(passed) {
  return passed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** Begins the build, and the core's tests when it is done. The steps wait for them and show what they said. */
function startBuild() {
  beside.build = start(process.execPath, [join(root, 'scripts/build.mjs')])
  beside.build.ended.then(({ code }) => {
    if (code === 0) beside.core = start('cargo', CORE_TESTS, constants.priority.PRIORITY_LOW)
  }).catch(() => {})
}

/** @param {string} file @param {string[]} args @param {number} [priority] @returns {Beside} */
function start(file, args, priority) {
  const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority)
  /** @type {Buffer[]} */
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => chunks.push(chunk))
  const ended = new Promise(resolve => {
    child.on('error', error => { resolve({ code: 1, text: `${error.message}\n` }) })
    child.on('close', code => { resolve({ code: code ?? 1, text: Buffer.concat(chunks).toString() }) })
  })
  return { child, ended }
}

async function buildStep() {
  if (beside.build === undefined) {
    build()
    return one(true)
  }
  const { code, text } = await beside.build.ended
  process.stdout.write(text)
  return one(code === 0)
}

async function coreTests() {
  const { code, text } = await (beside.core?.ended ?? shown('cargo', CORE_TESTS))
  if (beside.core !== undefined) process.stdout.write(text)
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const [, passed, failed, ignored] of text.matchAll(/^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/gm)) {
    sum.passed += Number(passed)
    sum.failed += Number(failed)
    sum.skipped += Number(ignored)
  }
  return atLeastOneFailed(sum, code)
}

async function shimTests() {
  // What needs Python is left out where there is none; the set-up has said so, and fails in CI.
  const left = existsSync(join(root, '.venv/bin/jevcompat')) ? [] : ['peers.test.ts']
  if (left.length > 0) console.log(`  not run without Python: test/${left.join(', test/')}`)
  const names = readdirSync(join(root, 'test')).filter(name => name.endsWith('.test.ts') && !left.includes(name))
  const files = names.sort().map(name => `test/${name}`)
  mkdirSync(join(root, 'target'), { recursive: true })
  const report = join(root, 'target/shim-tests.tap')
  const browser = chromium()
  const { code } = await shown(node, [
    '--test', '--test-timeout=300000',
    '--test-reporter=spec', '--test-reporter-destination=stdout',
    '--test-reporter=tap', `--test-reporter-destination=${report}`,
    ...files,
  ], { ...nodeEnvironment(), ...(browser && { CHROMIUM: browser }), DSH_TELEMETRY_DISABLED: '1' })
  const text = readFileSync(report, 'utf8')
  const count = (/** @type {string} */ what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
  const sum = { passed: count('pass'), failed: count('fail') + count('cancelled'), skipped: count('skipped') + count('todo') }
  return atLeastOneFailed(sum, code)
}

/**
 * A program that ended badly has failed, whatever it counted.
 * @param {Required<Outcome>} sum @param {number} code
 */
function atLeastOneFailed(sum, code) {
  return code !== 0 && sum.failed === 0 ? { ...sum, failed: 1 } : sum
}
