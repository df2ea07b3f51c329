// Re-exports by name: otherwise the bundler drops the names of this CommonJS package.
export { buildConnector, EnvHttpProxyAgent, errors, Pool } from 'undici'
