import { Option } from 'commander'
import { CONNECTION_LIMIT, RATE_LIMIT, RATE_LIMIT_V1 } from '../../domain/limits.ts'
import { addExamples } from '../args/examples.ts'
import type { Cli, Register } from '../cli.ts'
import { DEFAULT_PORT, readServeSettings } from '../serve/settings.ts'
import { addStoreFlag } from '../target/bundled-store.ts'

const EXAMPLES = [
  'serve --port 0 --data-dir ./kpi-data',
  'serve --host 0.0.0.0 --port 8443 --tls-cert cert.pem --tls-key key.pem',
  'serve --behind-proxy --public-url https://kpi.example.com --access-log access.log',
  'serve --metrics-port 9321 --max-connections 500 --rate-limit 1000',
]

/** Registers `kpi serve` */
export const serve: Register = (group, act) => {
  group
    .addOption(new Option('--host <address>', 'the address to listen on').default('127.0.0.1'))
    .addOption(new Option('--port <n>', 'the port; 0 takes a free one').default(String(DEFAULT_PORT)))
    .option('--tls-cert <file>', 'serve HTTPS with this certificate (PEM, the chain included); SIGHUP reads it again')
    .option('--tls-key <file>', 'the private key of the certificate (PEM)')
    .option('--behind-proxy', 'TLS ends at a proxy in front, which passes the address of the client in X-Forwarded-For')
    .option('--public-url <url>', 'where clients reach the service; Location headers begin with it')
    .option('--access-log <file>', 'log each request as a line of JSON; - is standard error')
    .option('--metrics-port <n>', 'serve Prometheus metrics at /metrics on this port, to this machine only')
    .addOption(
      new Option('--max-connections <n>', 'connections at the same time; further ones are closed at once').default(
        String(CONNECTION_LIMIT),
      ),
    )
    .addOption(
      new Option('--rate-limit <n>', 'requests per minute that each account may make; 0 is off').default(
        String(RATE_LIMIT),
      ),
    )
    .addOption(
      new Option('--rate-limit-v1 <n>', 'requests per minute that each key of /v1 may make; 0 is off').default(
        String(RATE_LIMIT_V1),
      ),
    )
  addStoreFlag(group)
  addExamples(group, ...EXAMPLES)
  act(group, async (cli: Cli, _, options) => {
    const settings = readServeSettings(options)
    const { runServer } = await import('../serve/server.ts')
    await runServer(cli, settings)
  })
}
