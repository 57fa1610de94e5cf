/** The command line of the built package, as a process of its own. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { REPOSITORY, watch, within, type Ended, type Home } from './home.ts'

/** Runs `dsh-jev-memory` in a home, in English unless `env` says otherwise. */
export async function cli(home: Pick<Home, 'dsh'>, args: string[], options: { cwd: string, env?: Record<string, string>, entry?: string }): Promise<Ended> {
  const child = spawn(process.execPath, [options.entry ?? join(REPOSITORY, 'dist/cli.js'), ...args], {
    cwd: options.cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { DSH_HOME: home.dsh, HOME: home.dsh, LANG: 'C', ...options.env },
  })
  try { return await within(watch(child), 30_000, `end of ${args.join(' ')}`) } finally { child.kill('SIGKILL') }
}
