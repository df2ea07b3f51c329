import { addExamples } from '../args/examples.ts'
import type { Register } from '../cli.ts'
import { declareServe, readServeSettings } from '../serve/settings.ts'
import { addStoreFlag } from '../target/bundled-store.ts'

const EXAMPLES = [
  'serve --port 0 --data-dir ./kpi-data',
  'serve --host 0.0.0.0 --port 8443 --tls-cert cert.pem --tls-key key.pem',
  'serve --behind-proxy --public-url https://kpi.example.com --access-log access.log',
  'serve --metrics-port 9321 --max-connections 500 --rate-limit 1000',
]

/** Registers `kpi serve` */
export const serve: Register = (group, act) => {
  const command = declareServe(group)
  addStoreFlag(command)
  addExamples(command, ...EXAMPLES)
  act(command, async (cli, _, flags) => {
    const settings = readServeSettings(flags)
    const { runServer } = await import('../serve/server.ts')
    await runServer(cli, settings)
  })
}
