/** What a command line tells the core of the system, and the files a person names. */
import { closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Longest file that is read in: an export of the largest store of the measurements is a fifth of it. */
const FILE_MAX_BYTES = 64 << 20
/** Files whose modes are looked at. */
const MODES_MAX = 500

/** The text of a file a person names; only a regular one, of bounded length. */
export function readFile(path: string): string {
  const stat = statSync(path)
  if (!stat.isFile()) throw new Error(`${path} is no file`)
  if (stat.size > FILE_MAX_BYTES) throw new Error(`${path} is over the limit of ${FILE_MAX_BYTES} bytes`)
  return readFileSync(path, 'utf8')
}

/** Writes a new file that only its owner can read. One that is there stays as it is. */
export function writeFile(path: string, text: string): void {
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    const bytes = new TextEncoder().encode(text)
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
  } finally { closeSync(descriptor) }
}

/** What the doctor is told: modes where the system has them, where credentials lie, which host last started. */
export function factsOf(dataDir: string, home: string): Record<string, unknown> {
  const credentials = join(home, '.credentials.yaml')
  return { modes: process.platform === 'win32' ? [] : modesOf(dataDir), credentials, hasCredentials: existsSync(credentials), host: hostIn(home), home }
}

interface Mode { path: string, folder: boolean, mode: number }

function modesOf(dataDir: string): Mode[] {
  const modes: Mode[] = []
  const look = (path: string): void => {
    try {
      const stat = lstatSync(path)
      if (stat.isFile() || stat.isDirectory()) modes.push({ path, folder: stat.isDirectory(), mode: stat.mode & 0o7777 })
    } catch { /* Gone since it was listed. */ }
  }
  look(dataDir)
  try {
    for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).slice(0, MODES_MAX)) look(join(dataDir, name))
  } catch { /* No folder: said elsewhere. */ }
  return modes
}

/** The version of the host that last started in this home: it links its packages there at each start. */
function hostIn(home: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(home, 'profiles/node_modules/@deepseek-ai/dsh-agent/package.json'), 'utf8')) as { version?: string }
    return version ?? ''
  } catch { return '' }
}
