// Re-exports by name: otherwise the bundler drops the names of this CommonJS package.
export { errors, Pool } from 'undici'
