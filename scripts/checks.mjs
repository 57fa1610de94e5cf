// The checks that read the code without running it, in the order of their cost.

import { join } from 'node:path'
import { Failure, root } from './process.mjs'
import { node, nodeEnvironment, wasmToolchain } from './toolchain.mjs'

/** @typedef {{ name: string, file: string, args: string[], env?: NodeJS.ProcessEnv }} Check */

/**
 * The checks of the Rust sources, natively and as the plugin ships them.
 * @returns {Check[]}
 */
export function rustChecks() {
  const wasm = wasmToolchain()
  if (wasm === undefined) throw new Failure('there is no Rust toolchain for WebAssembly; run: npm run setup')
  return [
    { name: 'rustfmt', file: 'cargo', args: ['fmt', '--all', '--check'] },
    {
      name: 'clippy', file: 'cargo',
      args: ['clippy', '--quiet', '--locked', '--workspace', '--all-targets', '--', '-D', 'warnings'],
    },
    {
      name: 'clippy-wasm',
      ...wasm.cargo(['clippy', '--quiet', '--locked', '--package', 'jev-memory-core', '--lib'], ['-D', 'warnings']),
    },
  ]
}

/**
 * The checks of the TypeScript sources; they read the declarations of the built core.
 * @returns {Check[]}
 */
export function shimChecks() {
  const env = nodeEnvironment()
  return [
    { name: 'types', file: node, args: [join(root, 'node_modules/typescript/bin/tsc'), '--project', 'tsconfig.json'], env },
    { name: 'lint', file: node, args: [join(root, 'node_modules/eslint/bin/eslint.js'), '--max-warnings', '0', '.'], env },
  ]
}
