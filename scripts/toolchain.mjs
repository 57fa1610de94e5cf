// Where the programs are that build and test this repository.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { answer, Failure, root } from './process.mjs'

/** The folder of the Node the host needs, brought by the `node` package. */
export const nodeFolder = join(root, 'node_modules/node/bin')

/**
 * That Node itself. Never started through `.bin/node`: the shim there does not exec, so ending it leaves Node running.
 */
export const node = join(nodeFolder, 'node')

/**
 * The environment of everything that runs on that Node.
 * @returns {NodeJS.ProcessEnv}
 */
export function nodeEnvironment() {
  const { NODE_PATH: _, ...env } = process.env
  return { ...env, PATH: `${nodeFolder}${delimiter}${process.env.PATH ?? ''}` }
}

/** The packages of Debian that hold its second Rust toolchain, which can build std for WebAssembly from source. */
export const debianRustPackages = ['rustc-web', 'cargo-web', 'rust-web-src', 'rust-web-clippy', 'lld-19']

const target = 'wasm32-unknown-unknown'
const debianCargo = '/usr/bin/cargo'
const debianClippy = '/usr/bin/cargo-clippy'
const debianRustc = '/usr/bin/rustc'

/**
 * @typedef {object} WasmToolchain
 * @property {'rustup' | 'debian'} kind
 * @property {string} rustc the version line of its compiler
 * @property {(command: string[], more?: string[]) => { file: string, args: string[], env: NodeJS.ProcessEnv }} cargo
 *   a cargo command for the WebAssembly target; `more` follows a `--`
 * @property {string} output the folder that holds one folder a profile
 */

/**
 * Returns the toolchain that `JEV_MEMORY_WASM_TOOLCHAIN` (`rustup` or `debian`) names, else the first one installed.
 * @returns {WasmToolchain | undefined}
 */
export function wasmToolchain() {
  const forced = process.env.JEV_MEMORY_WASM_TOOLCHAIN
  if (forced) {
    if (forced !== 'rustup' && forced !== 'debian') {
      throw new Failure(`JEV_MEMORY_WASM_TOOLCHAIN is "${forced}"; it may be "rustup" or "debian"`)
    }
    return forced === 'rustup' ? rustup() : debian()
  }
  return rustup() ?? debian()
}

/** @returns {WasmToolchain | undefined} */
function rustup() {
  const sysroot = answer('rustc', ['--print', 'sysroot'])
  if (sysroot === undefined || !existsSync(join(sysroot, 'lib/rustlib', target, 'lib'))) return undefined
  return {
    kind: 'rustup',
    rustc: answer('rustc', ['--version']) ?? 'unknown',
    cargo: (command, more = []) => ({
      file: 'cargo',
      args: [...command, '--target', target, ...after(more)],
      env: { ...process.env, CARGO_ENCODED_RUSTFLAGS: flags() },
    }),
    output: join(root, 'target', target),
  }
}

/** @returns {WasmToolchain | undefined} */
function debian() {
  const sysroot = answer(debianRustc, ['--print', 'sysroot'])
  if (sysroot === undefined || ![debianCargo, debianClippy, '/usr/bin/wasm-ld-19'].every(path => existsSync(path))) return undefined
  if (!existsSync(join(sysroot, 'lib/rustlib/src/rust/library'))) return undefined
  const { RUSTUP_TOOLCHAIN: _, ...inherited } = process.env
  return {
    kind: 'debian',
    rustc: answer(debianRustc, ['--version']) ?? 'unknown',
    cargo: (command, more = []) => ({
      // cargo looks for its clippy beside rustup's programs first, so Debian's is named.
      file: command[0] === 'clippy' ? debianClippy : debianCargo,
      args: [
        ...command, '-Zbuild-std=std,panic_abort', '--target', target, '--target-dir', 'target/debian', ...after(more),
      ],
      env: {
        ...inherited,
        // The proxies of rustup must not be found: they would start another compiler than the one std is built with.
        PATH: '/usr/bin:/bin',
        RUSTC: debianRustc,
        RUSTC_BOOTSTRAP: '1',
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: 'wasm-ld-19',
        CARGO_ENCODED_RUSTFLAGS: flags(),
      },
    }),
    output: join(root, 'target/debian', target),
  }
}

/** @param {string[]} more */
function after(more) {
  return more.length === 0 ? [] : ['--', ...more]
}

/** The flags of `.cargo/config.toml`, which this variable replaces, and none of this machine's paths in the messages of panics. */
function flags() {
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), '.cargo')
  return [
    '--cfg', 'getrandom_backend="wasm_js"', '-C', 'target-feature=+simd128',
    `--remap-path-prefix=${cargoHome}=cargo`, `--remap-path-prefix=${root}=`,
  ].join('\x1f')
}

/** Returns the path of a Chromium for the tests in a browser, `CHROMIUM` first. */
export function chromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  const folders = (process.env.PATH ?? '').split(delimiter)
  return ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap(name => folders.map(folder => join(folder, name)))
    .find(path => existsSync(path))
}
