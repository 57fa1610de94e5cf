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
  const usual = dataDirOf(undefined)
  try {
    if (reason === '') {
      rmSync(join(dataDir, NOTE), { force: true })
      if (usual !== dataDir && readFileSync(join(usual, NOTE), 'utf8').includes(`(${dataDir})`)) rmSync(join(usual, NOTE))
      return
    }
    write(dataDir, `dsh-jev-memory is inert: ${reason}\n`)
  } catch {
    // A file in the place of the folder, a disk that refuses: a person looks in the usual folder, too.
    try { if (reason !== '') write(usual, `dsh-jev-memory (${dataDir}) is inert: ${reason}\n`) } catch { /* `/memory health` and the doctor say it. */ }
  }
}

function write(folder: string, text: string): void {
  performSync(makeFolder(folder))
  writeFileSync(join(folder, NOTE), text, { mode: 0o600 })
}

/** What the host calls itself, as far as it tells. */
export function hostVersion(ctx: Context): string {
  try {
    const entry = createRequire(new URL('_.js', String(ctx.baseUrl))).resolve('@deepseek-ai/dsh-agent')
    const { version } = JSON.parse(readFileSync(resolve(entry, '../../package.json'), 'utf8')) as { version?: string }
    return `dsh ${version ?? ''}`
  } catch { return '' }
}
