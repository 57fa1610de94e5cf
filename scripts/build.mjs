// Builds dist/: the core as WebAssembly with its JavaScript side, and the compiled shim. What is up to date is left alone.
//
//   node scripts/build.mjs                            what ships
//   JEV_MEMORY_BUILD=quick node scripts/build.mjs     the same behaviour in seconds once warm, larger and slower: for work on the core

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { answer, digest, Failure, program, quietly, root, timed } from './process.mjs'
import { node, nodeEnvironment, wasmToolchain } from './toolchain.mjs'

const dist = join(root, 'dist')
const provenanceFile = join(dist, 'provenance.json')
const coreFiles = ['core.js', 'core.d.ts', 'core_bg.wasm', 'licenses.json']
// The second part of what ships; a quick build is in one piece.
const restFile = 'core_rest.wasm.gz'
const coreInputs = [
  'Cargo.toml', 'Cargo.lock', '.cargo', 'crate/Cargo.toml', 'crate/src', 'crate/rank', 'crate/bindgen', 'scripts/build.mjs', 'scripts/first.ts', 'scripts/toolchain.mjs',
]
const shimInputs = ['plugin', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'scripts/build.mjs']

// Node refuses a module that uses a proposal it lacks, so each one is named; --all-features would take them all.
export const optimiser = [
  '-O3', '--enable-simd', '--enable-bulk-memory', '--enable-sign-ext', '--enable-nontrapping-float-to-int',
  '--enable-mutable-globals', '--enable-reference-types', '--enable-multivalue',
]

/** Brings dist/ up to date with the sources. */
export function build() {
  const profile = buildProfile()
  const wasm = wasmToolchain()
  if (wasm === undefined) throw new Failure('there is no Rust toolchain for WebAssembly; run: npm run setup')
  const before = provenance()
  const core = digest(coreInputs, profile === 'release' ? [wasm.kind, wasm.rustc] : [wasm.kind, wasm.rustc, profile])
  const built = profile === 'release' ? [...coreFiles, restFile] : coreFiles
  const coreIsBuilt = before.inputs?.core === core && intact(before, built)
  if (!coreIsBuilt) {
    timed(`build: the core, with ${wasm.rustc} (${wasm.kind}, ${profile})`, () => buildCore(wasm, profile))
    // The core is on record before the shim is tried: a slip in TypeScript does not cost another build of it.
    record(wasm, { core })
  }
  const shim = digest(shimInputs, [core])
  const shimFiles = Object.keys(before.files ?? {}).filter(name => !isOfCore(name))
  const shimIsBuilt = before.inputs?.shim === shim && shimFiles.length > 0 && intact(before, shimFiles)
  if (!shimIsBuilt) timed('build: the shim', buildShim)
  record(wasm, { core, shim })
}

/**
 * Writes what dist/ was made from and what it holds; the same build gives the same bytes.
 * @param {import('./toolchain.mjs').WasmToolchain} wasm
 * @param {{ core: string, shim?: string }} inputs
 */
function record(wasm, inputs) {
  const names = readdirSync(dist).filter(name => join(dist, name) !== provenanceFile).sort()
  const now = {
    version: packageVersion('package.json'),
    source: source(),
    toolchain: {
      kind: wasm.kind,
      rustc: wasm.rustc,
      wasmBindgen: lockedVersion('wasm-bindgen'),
      binaryen: packageVersion('node_modules/binaryen/package.json'),
      typescript: packageVersion('node_modules/typescript/package.json'),
    },
    inputs,
    files: Object.fromEntries(names.map(name => [name, fingerprint(name)])),
  }
  const text = `${JSON.stringify(now, null, 2)}\n`
  if (!existsSync(provenanceFile) || readFileSync(provenanceFile, 'utf8') !== text) writeFileSync(provenanceFile, text)
}

/**
 * Which of the two profiles `JEV_MEMORY_BUILD` asks for.
 * @returns {'release' | 'quick'}
 */
function buildProfile() {
  const asked = process.env.JEV_MEMORY_BUILD ?? 'release'
  if (asked !== 'release' && asked !== 'quick') throw new Failure(`JEV_MEMORY_BUILD is "${asked}"; it may be "release" or "quick"`)
  return asked
}

/** @param {import('./toolchain.mjs').WasmToolchain} wasm @param {'release' | 'quick'} profile */
function buildCore(wasm, profile) {
  const { file, args, env } = wasm.cargo(['build', '--profile', profile, '--locked', '--package', 'jev-memory-core', '--lib'])
  quietly('compiling the core', file, args, { env })
  quietly('compiling the generator', 'cargo', ['build', '--locked', '--package', 'bindgen'])
  mkdirSync(dist, { recursive: true })
  for (const name of readdirSync(dist).filter(name => name.startsWith('core') || name === 'licenses.json')) rmSync(join(dist, name))
  quietly('generating the JavaScript side', join(root, 'target/debug/bindgen'), [join(wasm.output, profile, 'jev_memory_core.wasm'), dist])
  writeFileSync(join(dist, 'licenses.json'), `${JSON.stringify(licenses(), null, 2)}\n`)
  // Only a bundler reads the declarations of the raw exports.
  rmSync(join(dist, 'core_bg.wasm.d.ts'), { force: true })
  if (profile === 'release') {
    optimise(join(dist, 'core_bg.wasm'))
    divide(dist)
  }
}

/** @param {string} module */
export function optimise(module) {
  quietly('optimising the module', node, [join(root, 'node_modules/binaryen/bin/wasm-opt'), ...optimiser, module, '-o', module])
}

/**
 * Divides the module of a folder: what a session needs up to its first block, and the rest, which the shim loads beside it.
 * @param {string} folder
 */
function divide(folder) {
  const split = join(root, 'target/debug/split')
  const module = join(folder, 'core_bg.wasm')
  const marked = join(folder, 'core_marked.wasm')
  const rest = join(folder, 'core_rest.wasm')
  const list = join(folder, 'core_ran.txt')
  try {
    quietly('marking what runs', split, ['mark', module, marked])
    quietly('mounting the marked module', node, [join(root, 'scripts/first.ts'), join(folder, 'core.js'), marked, list], { env: nodeEnvironment() })
    quietly('dividing the module', split, ['divide', module, list, module, rest])
    writeFileSync(join(folder, restFile), gzipSync(readFileSync(rest), { level: 9 }))
  } finally {
    for (const file of [marked, rest, list]) rmSync(file, { force: true })
  }
}

/** @param {string} name */
function isOfCore(name) {
  return coreFiles.includes(name) || name === restFile
}

function buildShim() {
  for (const name of readdirSync(dist).filter(name => !isOfCore(name) && name !== 'provenance.json')) rmSync(join(dist, name), { recursive: true })
  const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '--project', 'tsconfig.build.json']
  quietly('compiling the shim', node, tsc, { env: nodeEnvironment() })
}

/** @returns {any} */
function provenance() {
  try {
    return JSON.parse(readFileSync(provenanceFile, 'utf8'))
  } catch {
    return {}
  }
}

/** @param {any} recorded @param {string[]} names */
function intact(recorded, names) {
  return names.every(name => existsSync(join(dist, name)) && fingerprint(name).sha256 === recorded.files?.[name]?.sha256)
}

/** @param {string} name */
function fingerprint(name) {
  const path = join(dist, name)
  if (statSync(path).isDirectory()) throw new Failure(`dist/${name} is a folder; the package is flat`)
  const bytes = readFileSync(path)
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/**
 * The crates that are compiled into the module, with their licences, by name.
 * @returns {{ name: string, version: string, license: string, repository: string }[]}
 */
function licenses() {
  const args = ['tree', '--locked', '--package', 'jev-memory-core', '--edges', 'normal,no-proc-macro', '--target', 'wasm32-unknown-unknown', '--prefix', 'none']
  const lines = answer('cargo', [...args, '--format', '{p}|{l}|{r}'])?.split('\n') ?? []
  const crates = lines.map(line => /^(\S+) v(\S+)[^|]*\|([^|]*)\|(.*?)(?: \(\*\))?$/.exec(line)).filter(found => found !== null)
  const rows = crates.map(([, name = '', version = '', license = '', repository = '']) => ({ name, version, license, repository }))
  const others = rows.filter(({ name }) => !name.startsWith('jev-memory-'))
  if (others.length === 0) throw new Failure('cargo tree named no crate; their licences would be missing from the package')
  return [...new Map(others.map(row => [`${row.name} ${row.version}`, row])).values()].sort((one, other) => one.name.localeCompare(other.name))
}

/** The commit the sources stand at, with a mark when they differ from it. */
function source() {
  const commit = answer('git', ['rev-parse', 'HEAD'])
  if (commit === undefined) return 'unknown'
  const changed = answer('git', ['status', '--porcelain', '--', ...coreInputs, ...shimInputs])
  return changed === '' ? commit : `${commit}+changes`
}

/** @param {string} path */
function packageVersion(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8')).version
}

/** @param {string} crate */
function lockedVersion(crate) {
  const lock = readFileSync(join(root, 'Cargo.lock'), 'utf8')
  return new RegExp(`^name = "${crate}"\\nversion = "(.*)"$`, 'm').exec(lock)?.[1]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await program('build', build)
