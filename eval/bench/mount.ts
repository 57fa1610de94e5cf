// Mounts a data folder once in a fresh process and prints how long the first block took and what the memory grew by.
// Started by house.ts: mount.ts ROOT DATA_FOLDER WORKSPACE MESSAGE

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { driveSync } from '../../plugin/drive.ts'
import { NodeFiles } from '../../plugin/files.ts'
import { Host } from '../../plugin/host.ts'
import { type Instance, start } from '../../plugin/instance.ts'

const [root = '', dataDir = '', cwd = '', message = ''] = process.argv.slice(2)
const host = new Host(new NodeFiles())
const begin = performance.now()
const module = createRequire(import.meta.url)(join(root, 'dist/core.js')) as Instance
const loaded = performance.now()
const { memory } = start(module) as { memory: { buffer: ArrayBuffer } }
const startMs = performance.now() - loaded
const before = memory.buffer.byteLength
const core = new module.Core({ config: { dataDir, judge: 'heuristic' }, defaultDataDir: dataDir, hostVersion: 'bench' }, host)
driveSync(core.open(), host)
driveSync(core.attach({ id: 's-bench', cwd, child: false }, 0, 0, undefined), host)
core.hear('s-bench', 1, message)
core.recall('s-bench', 1)
console.log(JSON.stringify({ startMs, firstMs: performance.now() - begin, grownBytes: memory.buffer.byteLength - before }))
