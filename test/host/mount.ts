/** The three ways a person mounts the plugin. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { REPOSITORY, scratch, type Home, type Scope } from './home.ts'

/** The plugin's package name. */
export const PACKAGE = 'dsh-jev-memory'

/** A patch row that points at the TypeScript entry of the working copy. */
export function fileRow(config: unknown = {}, entry = join(REPOSITORY, 'plugin/index.ts')): { id: string, name: string, config: unknown } {
  return { id: 'jev-memory', name: pathToFileURL(entry).href, config }
}

/** Packs the working copy as it would be published and returns the archive's path. */
export function pack(scope: Scope): string {
  const folder = scratch(scope)
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: REPOSITORY, stdio: ['ignore', 'ignore', 'pipe'], timeout: 60_000 })
  const [name] = readdirSync(folder)
  if (name === undefined) throw new Error('npm pack left no archive')
  return join(folder, name)
}

/** Unpacks an archive outside the working copy, so that no module of ours can be found by accident. */
export function unpack(scope: Scope, archive: string): string {
  const folder = scratch(scope)
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', archive, '-C', folder], { timeout: 60_000 })
  return join(folder, 'package')
}

/** `dsh plugin add SPEC`: a folder is linked, an archive is copied. */
export async function addPlugin(home: Home, profile: string, spec: string): Promise<void> {
  await plugin(home, profile, 'add', spec)
}

/** `dsh plugin remove`. */
export async function removePlugin(home: Home, profile: string): Promise<void> {
  await plugin(home, profile, 'remove', PACKAGE)
}

async function plugin(home: Home, profile: string, verb: string, spec: string): Promise<void> {
  // Offline: the package has no dependencies, so a look at a registry would be a fault.
  const { code, stderr, stdout } = await home.run(['plugin', '--profile', profile, verb, spec], { cwd: home.workspace(), env: { npm_config_offline: 'true' } })
  if (code !== 0) throw new Error(`dsh plugin ${verb} ended with ${code}: ${stdout}${stderr}`)
}
