// Builds what the benchmark needs and runs it:  npm run bench [-- --json] [-- --only rank|house] [-- --max N]
// Without options it writes docs/bench.md and docs/bench.svg. Nothing built here ships.

import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, optimiser } from './build.mjs'
import { Failure, program, quietly, root, shown, timed } from './process.mjs'
import { node, nodeEnvironment, wasmToolchain } from './toolchain.mjs'

const home = join(root, 'eval/bench')
const output = join(root, 'target/bench')

async function bench() {
  // The report alone goes to standard output.
  if (process.argv.includes('--json')) console.log = console.error
  const wasm = wasmToolchain()
  if (wasm === undefined) throw new Failure('there is no Rust toolchain for WebAssembly; run: npm run setup')
  build()
  if (!existsSync(join(home, 'node_modules'))) {
    timed('bench: installing the engines it measures against', () => {
      quietly('installing the engines', 'npx', ['--yes', 'pnpm@10.34.9', 'install', '--frozen-lockfile', '--ignore-workspace', '--dir', home], {
        env: { ...process.env, CI: 'true' }, hint: 'This step needs the npm registry.',
      })
    })
  }
  const native = join(root, 'target/release/examples/rank_times')
  timed('bench: the native build', () => {
    quietly('compiling the native build', 'cargo', ['build', '--release', '--locked', '--package', 'jev-memory-core', '--example', 'rank_times'])
  })
  timed('bench: the module with the index by itself', () => {
    const { file, args, env } = wasm.cargo(['build', '--release', '--locked', '--package', 'jev-memory-core', '--lib', '--features', 'bench'])
    quietly('compiling the module', file, args, { env })
    mkdirSync(output, { recursive: true })
    quietly('generating its JavaScript side', join(root, 'target/debug/bindgen'), [join(wasm.output, 'release', 'jev_memory_core.wasm'), output])
    const module = join(output, 'core_bg.wasm')
    quietly('optimising it', node, [join(root, 'node_modules/binaryen/bin/wasm-opt'), ...optimiser, module, '-o', module])
  })
  const { code } = await shown(node, [join(home, 'main.ts'), output, native, ...process.argv.slice(2)], nodeEnvironment())
  if (code !== 0) throw new Failure('the benchmark did not finish')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await program('bench', bench)
