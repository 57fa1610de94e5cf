/** What stands beside the ledger: why the plugin is inert, and what the host calls itself. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import type { Context } from '@deepseek-ai/cordis'
import { makeFolder, performSync } from './calls.ts'
import { dataDirOf } from './config.ts'

/** Says why the plugin is inert, where the ledger cannot. */
const NOTE = 'inert.txt'

/** Leaves the reason for being inert where a person looks, or takes it away. */
export function explain(dataDir: string, reason: string): void {
  try {
    if (reason === '') { rmSync(join(dataDir, NOTE), { force: true }); return }
    write(dataDir, reason)
  } catch {
    // A file in the place of the folder, a disk that refuses: a person looks in the folder of old, too.
    try { write(dataDirOf(undefined), reason) } catch { /* `/memory health` and the doctor say it. */ }
  }
}

function write(folder: string, reason: string): void {
  performSync(makeFolder(folder))
  writeFileSync(join(folder, NOTE), `dsh-jev-memory is inert: ${reason}\n`, { mode: 0o600 })
}

/** What the host calls itself, as far as it tells. */
export function hostVersion(ctx: Context): string {
  try {
    const entry = createRequire(new URL('_.js', String(ctx.baseUrl))).resolve('@deepseek-ai/dsh-agent')
    const { version } = JSON.parse(readFileSync(resolve(entry, '../../package.json'), 'utf8')) as { version?: string }
    return `dsh ${version ?? ''}`
  } catch { return '' }
}
