// Brings what building and testing need. Run as often as wanted: what is there is left alone.
//
//   node scripts/setup.mjs            Node packages, Rust crates, a Rust toolchain for WebAssembly
//   node scripts/setup.mjs browser    the same, and Chromium for the tests of the page
//   node scripts/setup.mjs peers      the same, and the servers that the judge's client is tested against, in .venv
//
// Needs the package registries the first time; afterwards nothing here touches the network.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { answer, digest, Failure, program, quietly, root, timed } from './process.mjs'
import { chromium, debianRustPackages, node, wasmToolchain } from './toolchain.mjs'

// npm does not finish resolving the host; this pnpm does, and reads the lock file as it was written.
const pnpm = 'pnpm@10.34.9'
const rustMinimum = { major: 1, minor: 95 }
const isRoot = process.getuid?.() === 0

await program('setup', () => {
  rust()
  wasmTarget()
  nodePackages()
  crates()
  if (process.argv.includes('browser')) browser()
  if (process.argv.includes('peers')) peers()
})

function rust() {
  const version = answer('rustc', ['--version'])
  const [, major, minor] = /^rustc (\d+)\.(\d+)/.exec(version ?? '') ?? []
  const wanted = `${rustMinimum.major}.${rustMinimum.minor}`
  if (version === undefined) {
    throw new Failure(`Rust is missing. Install Rust ${wanted} or newer with rustup (rustup.rs), then run this again`)
  }
  if (Number(major) === rustMinimum.major && Number(minor) < rustMinimum.minor) {
    throw new Failure(`Rust is too old (${version}). Run: rustup update stable, so that it is ${wanted} or newer`)
  }
  for (const { component, command } of [{ component: 'clippy', command: 'clippy' }, { component: 'rustfmt', command: 'fmt' }]) {
    if (answer('cargo', [command, '--version']) !== undefined) continue
    timed(`setup: adding ${component} with rustup`, () =>
      quietly(`adding ${component}`, 'rustup', ['component', 'add', component]))
  }
}

function nodePackages() {
  const inputs = digest(['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'test/host/package.json'])
  if (existsSync(node) && existsSync(join(root, 'test/host/node_modules')) && stamped('packages') === inputs) return
  timed(`setup: installing the Node packages and the host with ${pnpm} (about half a minute)`, () => {
    // CI=true keeps pnpm from asking before it replaces a node_modules made by another program.
    quietly('installing the Node packages', 'npx', ['--yes', pnpm, 'install', '--frozen-lockfile'], {
      env: { ...process.env, CI: 'true' },
      hint: 'This step needs the npm registry. If pnpm-lock.yaml is out of date, run: npx --yes ' + pnpm + ' install',
    })
    if (!existsSync(node)) throw new Failure('the package "node" brought no program for this machine')
  })
  stamp('packages', inputs)
}

function wasmTarget() {
  if (wasmToolchain() !== undefined) return
  const forced = process.env.JEV_MEMORY_WASM_TOOLCHAIN
  if (forced !== 'debian' && answer('rustup', ['--version']) !== undefined) {
    console.log('setup: adding the target wasm32-unknown-unknown with rustup')
    if (answer('rustup', ['target', 'add', 'wasm32-unknown-unknown']) !== undefined && wasmToolchain()) return
    console.log('  rustup could not bring it')
  }
  if (forced !== 'rustup') {
    console.log('setup: installing a Rust toolchain for WebAssembly from Debian (about a minute)')
    if (debianInstall(debianRustPackages) && wasmToolchain()) return
  }
  throw new Failure([
    'there is no Rust toolchain for WebAssembly. Run one of these, then run this again:',
    '  rustup target add wasm32-unknown-unknown',
    `  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${debianRustPackages.join(' ')}`,
  ].join('\n'))
}

function crates() {
  const wasm = wasmToolchain()
  if (wasm === undefined) throw new Failure('the Rust toolchain for WebAssembly disappeared')
  const inputs = digest(['Cargo.lock'], [wasm.kind, wasm.rustc])
  if (stamped('crates') === inputs) return
  timed('setup: fetching the Rust crates', () => {
    const hint = 'This step needs the crate registry.'
    quietly('fetching the Rust crates', 'cargo', ['fetch', '--locked'], { hint })
    const fetch = wasm.cargo(['fetch', '--locked'])
    // Debian's toolchain builds std too, and std has crates of its own. They do not depend on the folder of the build.
    const args = fetch.args.filter((arg, at) => arg !== '--target-dir' && fetch.args[at - 1] !== '--target-dir')
    quietly('fetching the Rust crates for WebAssembly', fetch.file, args, { env: fetch.env, hint })
  })
  stamp('crates', inputs)
}

function browser() {
  if (chromium() !== undefined) return
  console.log('setup: installing Chromium from Debian (about a minute)')
  if (debianInstall(['chromium']) && chromium() !== undefined) return
  throw new Failure([
    'there is no Chromium for the tests in a browser. Run this, or name one in CHROMIUM, then run this again:',
    '  sudo apt-get update && sudo apt-get install -y --no-install-recommends chromium',
  ].join('\n'))
}

/** Python's part is only for tests: without it they are left out, and say so. */
function peers() {
  const inputs = digest(['test/jev/requirements.txt'])
  const python = join(root, '.venv/bin/python')
  if (existsSync(python) && stamped('peers') === inputs) return
  const missing = (/** @type {string} */ why) => {
    const message = `${why}: test/peers.test.ts cannot run (the client against servers nobody here wrote)`
    if (process.env.CI) throw new Failure(message)
    console.log(`setup: ${message}`)
  }
  const version = /^Python 3\.(\d+)/.exec(answer('python3', ['--version']) ?? '')?.[1]
  if (version === undefined || Number(version) < 10) { missing('there is no Python 3.10 or newer'); return }
  try {
    timed('setup: installing jevcompat and sparrow-decider in .venv', () => {
      quietly('making .venv', 'python3', ['-m', 'venv', '--clear', join(root, '.venv')])
      quietly('installing them', python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '-r', 'test/jev/requirements.txt'], {
        hint: 'This step needs the Python package registry.',
      })
    })
    stamp('peers', inputs)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    missing(error.message)
  }
}

/**
 * Installs packages of Debian; false when this is no Debian, we are not root, or the archive cannot be reached.
 * @param {string[]} packages
 */
function debianInstall(packages) {
  if (!isRoot || answer('apt-get', ['--version']) === undefined) {
    console.log('  that needs root and apt-get')
    return false
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    quietly('apt-get update', 'apt-get', ['update', '-q'], { env })
    quietly('apt-get install', 'apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], { env })
    return true
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    console.log(`  ${error.message}`)
    return false
  }
}

/** @returns {Record<string, string>} */
function stamps() {
  try {
    return JSON.parse(readFileSync(stampFile(), 'utf8'))
  } catch {
    return {}
  }
}

/** @param {string} step */
function stamped(step) {
  return stamps()[step]
}

/** @param {string} step @param {string} inputs */
function stamp(step, inputs) {
  mkdirSync(dirname(stampFile()), { recursive: true })
  writeFileSync(stampFile(), JSON.stringify({ ...stamps(), [step]: inputs }))
}

function stampFile() {
  return join(root, 'node_modules/.dsh-jev-memory-setup.json')
}
