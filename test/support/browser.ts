import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'puppeteer-core'
import { ROOT } from './documents.ts'

/** Names an installed Chrome or Chromium to test with, where the one from npm does not run. */
const INSTALLED = process.env['KPI_TEST_CHROME']

const USUAL_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
  String.raw`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
]

/** Tells whether npm brings a Chromium for this machine. */
const isBrought = process.platform === 'linux' && process.arch === 'x64'

const installed = INSTALLED ?? (isBrought ? undefined : USUAL_PATHS.find((path) => existsSync(path)))

/** Says why no browser can be opened here; undefined where one can. */
export const noBrowser =
  isBrought || installed !== undefined
    ? undefined
    : 'no Chrome found: install one, or name it in KPI_TEST_CHROME (npm brings one for Linux on x64 only)'

const PACKAGE = join(ROOT, 'node_modules', '@sparticuz', 'chromium')
/** Makes the browser use the fonts that come with it, on all machines. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`
const UNPACK = `import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())`

/** Unpacks the Chromium from npm, once for a checkout; several runs may do so at the same time. */
const unpacked = async (): Promise<string> => {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
  const cache = join(ROOT, 'node_modules', '.cache')
  const folder = join(cache, `chromium-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const own = await mkdtemp(join(cache, 'unpacking-'))
  // The package unpacks into the folder for temporary files, so it gets one of its own.
  const env = { ...process.env, TMPDIR: own }
  await promisify(execFile)(process.execPath, ['-e', UNPACK], { cwd: ROOT, env })
  await writeFile(join(own, 'fonts', 'fonts.conf'), FONTS)
  await rename(own, folder).catch(async (error: unknown) => {
    await rm(own, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  })
  return folder
}

/** Opens a browser that asks nobody for updates, in a sandbox of its own only where it is not run as root. */
export const openBrowser = async (): Promise<Browser> => {
  const { launch } = await import('puppeteer-core')
  const folder = installed === undefined ? await unpacked() : undefined
  return launch({
    executablePath: folder === undefined ? (installed ?? '') : join(folder, 'chromium'),
    defaultViewport: { width: 1200, height: 1500 },
    headless: folder === undefined ? true : 'shell',
    env:
      folder === undefined
        ? process.env
        : { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts', 'fonts.conf'), XDG_CACHE_HOME: folder },
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-crash-reporter',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--disable-sync',
      '--no-first-run',
    ],
  })
}
